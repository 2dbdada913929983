"""Mistakes of the user, which end a command in one sentence: :class:`UserError`, :func:`user_input`."""

import contextlib
from collections.abc import Iterator

_LIBRARIES = {
    "search": ("cma",),
    "train": ("torch", "tensorboard", "matplotlib", "scipy"),
    "render": ("PIL",),
    "video": ("moviepy",),
    "sb3": ("stable_baselines3", "sb3_contrib"),
    "onnx": ("onnx", "onnxruntime"),
    "bench": ("rlcard", "pyspiel", "open_spiel"),
    "play": ("starlette", "textual", "uvicorn", "websockets"),
    "distributed": ("ray",),
    "wandb": ("wandb",),
    "mlflow": ("mlflow",),
    "sweep": ("optuna",),
}
EXTRAS = {library: extra for extra, libraries in _LIBRARIES.items() for library in libraries}
"""Libraries that not everyone installs, and the extra of this project that brings them."""


class UserError(Exception):
    """A mistake of the user, in one sentence that a terminal can show."""

    def __init__(self, sentence: str) -> None:
        from uno_env.common.plain_text import printable  # --help must not wait for the package

        super().__init__(printable(sentence))


LONGEST = 1_000
"""The most characters of a sentence: a hostile file must not fill the screen."""


@contextlib.contextmanager
def user_input() -> Iterator[None]:
    """A context for reading the user's input: its ValueErrors and OSErrors are the user's mistakes."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from error
    except ValueError as error:
        sentence = " ".join(str(error).split())
        raise UserError(sentence if len(sentence) <= LONGEST else f"{sentence[:LONGEST]}...") from error
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRAS:
            raise
        raise UserError(f"this command needs {library}: pip install 'uno-env[{EXTRAS[library]}]'") from error


@contextlib.contextmanager
def run_errors() -> Iterator[None]:
    """A context for long work: that it cannot go on (numbers diverge, say, or a cluster is gone) is no bug either."""
    from train.runs.learner import RunError

    try:
        yield
    except RunError as error:
        raise UserError(str(error)) from error
