"""The files of hashes that installs are checked by; ``python -m tools.requirements`` writes them anew.

It needs uv, which looks up the hashes of every file of each version in ``constraints.txt``, for all platforms and every
Python from 3.11 on. Builds of torch without CUDA come from other places than the rest: theirs are added with ``--cpu
torch-VERSION+cpu-….whl``. Hashes that a file holds already for the same version stay.
"""

import argparse
import hashlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

from tools import ROOT

FOLDER = ROOT / "requirements"
TORCH = re.compile(r"(torch|nvidia|cuda|triton)\b")
"""torch, and what only a build with CUDA needs, some gigabytes."""

_HEADS = {
    "install.txt": "What `make install` installs besides torch, with the hashes of all files of each version.",
    "torch_cpu.txt": "torch without CUDA, where the index has it.",
    "torch.txt": "torch as it is everywhere: on Linux with CUDA and its libraries.",
    "browser.txt": "What `make test-browser` installs besides.",
    "docs.txt": "What `make docs` installs besides.",
    "video.txt": "What videos take besides.",
    "gpu.txt": "What compiles for a GPU, besides torch.",
}
_MADE = "Made from constraints.txt by `python -m tools.requirements`."

APART = {"browser": ["browser"], "docs": ["docs"], "video": ["video"], "gpu": ["gpu"]}
"""Extras that are installed besides, by their file; torch has files of its own."""

Pins = dict[str, tuple[str, set[str]]]
"""By the requirement (``numpy==2.4.6``, perhaps with a marker): its package and its hashes."""


def read(path: Path) -> Pins:
    """The pins of a file of hashes; none if it is not there."""
    return parse(path.read_text(encoding="utf-8")) if path.exists() else {}


def parse(text: str) -> Pins:
    """The pins of a text in pip's format, a requirement and its hashes on continued lines."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    parts = [line.split("--hash=") for line in lines]
    return {head.strip(): (head.partition("==")[0], {each.strip() for each in rest}) for head, *rest in parts}


def _compiled(*arguments: str, given: str | None = None) -> Pins:
    command = ["uv", "pip", "compile", *arguments, "--constraints", str(ROOT / "constraints.txt"), "--universal"]
    command += ["--python-version", "3.11.5", "--generate-hashes", "--no-annotate", "--no-header", "--quiet"]
    done = subprocess.run(command, cwd=ROOT, input=given, stdout=subprocess.PIPE, text=True, check=True)
    return parse(done.stdout)


def _write(name: str, pins: Pins) -> None:
    before = read(FOLDER / name)
    blocks = [
        " \\\n".join([pin, *(f"    --hash={each}" for each in sorted(hashes | before.get(pin, ("", set()))[1]))])
        for pin, (_, hashes) in sorted(pins.items())
    ]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_text("\n".join([f"# {_HEADS[name]}", f"# {_MADE}", *blocks, ""]), encoding="utf-8")


def main(wheels: Iterable[str]) -> None:
    """Write all files; ``wheels`` are builds of torch without CUDA that may be installed."""
    everything, torch = _compiled("pyproject.toml", "--extra", "all"), _compiled("-", given="torch")
    without_cuda = read(FOLDER / "torch_cpu.txt")
    for wheel in map(Path, wheels):
        package, version = wheel.name.split("-")[:2]
        pin = f"{package}=={version}"
        without_cuda = {pin: without_cuda.get(pin, (package, set()))}
        without_cuda[pin][1].add(f"sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}")
    base = {pin: found for pin, found in everything.items() if not TORCH.match(found[0])}
    _write("install.txt", base)
    _write("torch_cpu.txt", without_cuda)
    _write("torch.txt", {pin: found for pin, found in torch.items() if TORCH.match(found[0])})
    for name, extras in APART.items():
        more = _compiled("-", given="\n".join(_asked(extras)))
        _write(f"{name}.txt", {pin: found for pin, found in more.items() if pin not in base})


def _asked(extras: Iterable[str]) -> list[str]:
    """The requirements of some extras, without torch; extras within them are resolved."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = [each for extra in extras for each in project["optional-dependencies"][extra]]
    inner = [name for each in listed for name in re.findall(r"uno-env\[(.+)\]", each)]
    asked = [each for each in listed if not each.startswith(("uno-env", "torch"))]
    return asked + [each for name in inner for each in _asked(name.split(","))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", nargs="*", default=[], metavar="FILE.whl")
    main(parser.parse_args(sys.argv[1:]).cpu)
