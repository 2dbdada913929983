"""The configs that come with the package, by name: ``ppo_duel`` is ``configs/ppo/duel.yaml``."""

from pathlib import Path

from uno_env.common.spelling import did_you_mean

_INSTALLED, _CHECKOUT = Path(__file__).parents[1] / "configs", Path(__file__).parents[2] / "configs"
FOLDER = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""Where they are: in an installed package ``train/configs``, in a checkout ``configs`` at the top."""


def shipped_configs() -> dict[str, Path]:
    """The files by name, sorted: the folders and the file's own name, joined by ``_``."""
    files = sorted(FOLDER.rglob("*.yaml"))
    return {"_".join(file.relative_to(FOLDER).with_suffix("").parts): file for file in files}


def find_config(target: Path) -> Path:
    """The path of a config or a run that exists, or else the shipped config of that name.

    Raises:
        ValueError: there is neither.
    """
    if target.exists():
        return target
    shipped = shipped_configs()
    if str(target) not in shipped:
        raise ValueError(
            f"{target}: this config cannot be read (No such file or directory){did_you_mean(target, shipped)}: "
            f"name a YAML file, or one of {', '.join(shipped)}"
        )
    return shipped[str(target)]
