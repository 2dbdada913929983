"""``python -m tools.wheel.build FOLDER``: the wheel with compiled code, of the source distribution in a folder.

It is for this version of Python, and for Linux on processors of :data:`uno_env.core.jit.level.LEVEL`. It carries what
``python -m uno_env.warm_up`` compiles and, if the compiler for GPUs is installed, what ``python -m
tools.wheel.cubins`` makes. With another version of Numba, its code is compiled as from the pure wheel.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import uno_env
from uno_env.core.jit.level import LEVEL, is_used
from uno_env.warm_up import LEFT_OUT

BUILD = """
import sys
from setuptools import build_meta
print(build_meta.build_wheel(sys.argv[1], {"--build-option": ["--plat-name", sys.argv[2]]}))
"""


def build(folder: Path) -> Path:
    """Build the wheel beside the source distribution, which takes some minutes. Raises ValueError if this cannot be
    done here.
    """
    tag = platform_tag()
    if not is_used():
        raise ValueError(f"compiled code is carried for {LEVEL}, and the engine is not compiled for it here")
    with tempfile.TemporaryDirectory() as work:
        with tarfile.open(folder / f"uno_env-{uno_env.__version__}.tar.gz") as archive:
            archive.extractall(work, filter="data")
        (sources,) = Path(work).iterdir()
        compile_into(sources / "uno_env" / "compiled", sources)
        make_cubins(sources / "uno_env" / "compiled", sources)
        line = [sys.executable, "-c", BUILD, str(folder.absolute()), tag]
        done = subprocess.run(line, cwd=sources, check=True, stdout=subprocess.PIPE, text=True)
    return folder / done.stdout.splitlines()[-1]


def compile_into(compiled: Path, sources: Path) -> None:
    """Compile with the sources in a folder what a wheel carries. Raises SystemExit if a part cannot be compiled."""
    if LEFT_OUT in _run("uno_env.warm_up", sources, compiled):
        raise SystemExit("Not all that a wheel carries was compiled.")
    for translation in compiled.glob("translation-*"):  # what is needed only to compile
        translation.unlink()


def make_cubins(compiled: Path, sources: Path) -> None:
    """Make with the sources in a folder the machine code for GPUs that a wheel carries, if it can be made here. Raises
    SystemExit if it cannot, although the compiler is installed.
    """
    if find_spec("numba_cuda") is None:
        print("No machine code for GPUs is carried: make gpu installs its compiler.")
        return
    with tempfile.TemporaryDirectory() as cache:  # code of the processor is made as well, which nobody needs
        _run("tools.wheel.cubins", sources, Path(cache))
        for made in Path(cache).glob("*.cubin"):
            shutil.copy(made, compiled)


def _run(module: str, sources: Path, cache: Path) -> str:
    """Run a program of the sources in a folder with a cache, and return what it says. Raises SystemExit if it fails."""
    environment = {**os.environ, "UNO_ENV_CACHE_DIR": str(cache)}
    said = ""
    line = [sys.executable, "-m", module]
    with subprocess.Popen(line, cwd=sources, env=environment, stdout=subprocess.PIPE, text=True) as program:
        for each in program.stdout or ():
            print(each, end="", flush=True)
            said += each
    if program.returncode:
        raise SystemExit(f"python -m {module} has failed.")
    return said


def platform_tag() -> str:
    """The oldest system that Numba's own wheel is for. Raises ValueError if it is not for Linux on x86-64."""
    tags = re.findall(r"manylinux_(\d+)_(\d+)_x86_64", distribution("numba").read_text("WHEEL") or "")
    if not tags or platform.machine() != "x86_64":
        raise ValueError("compiled code is carried only by wheels for Linux on x86-64, with Numba from PyPI")
    major, minor = min((int(major), int(minor)) for major, minor in tags)
    return f"manylinux_{major}_{minor}_x86_64"


def main() -> None:
    """Build the wheel, and say where it is."""
    parser = argparse.ArgumentParser("python -m tools.wheel.build", description=(__doc__ or "").partition(": ")[2])
    parser.add_argument("folder", type=Path, help="where the source distribution is, and where the wheel goes")
    try:
        wheel = build(parser.parse_args().folder)
    except ValueError as error:
        print(f"No wheel with compiled code was built: {error}", file=sys.stderr)
    else:
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
