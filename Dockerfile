FROM python:3.12-slim
COPY . /uno-env
RUN pip install --no-cache-dir '/uno-env[train]' -c /uno-env/constraints.txt
ENV UNO_ENV_CACHE_DIR=/var/cache/uno-env
RUN python -m uno_env.warm_up
