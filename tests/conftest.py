"""What all tests share."""

import os
from pathlib import Path

# Workers of pytest-xdist compile at the same time: each gets a cache of its own, before uno_env is imported.
if _worker := os.environ.get("PYTEST_XDIST_WORKER"):
    _cache = Path(__file__).parent.parent / ".pytest_cache" / "numba" / _worker
    os.environ.setdefault("UNO_ENV_CACHE_DIR", str(_cache))
