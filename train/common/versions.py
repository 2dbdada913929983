"""The versions that results depend on: :func:`versions`."""

import importlib.metadata
import platform

import uno_env

LIBRARIES = ("numpy", "numba", "torch")


def versions() -> dict[str, str]:
    """Versions of Python, of this project and of the libraries that are installed of :data:`LIBRARIES`."""
    found = {"python": platform.python_version(), "uno-env": uno_env.__version__}
    for library in LIBRARIES:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
