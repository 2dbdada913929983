"""What pyproject.toml cannot say: configs/ is installed as the folder train/configs; README.md as others show it."""

import re
from pathlib import Path

from setuptools import find_packages, setup

PACKAGES = find_packages(
    include=[f"{name}{inside}" for name in ("uno_env", "agents", "train") for inside in ("", ".*")]
)


def long_description() -> str:
    """README.md without what only shows beside the other files: pictures, and links to files or headings."""
    text = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    text = re.sub(r"<img\b[^>]*>\s?", "", text)
    text = re.sub(r"!\[[^\]]*\]\((?!https?:)[^)]*\)", "", text)
    return re.sub(r"\[([^\]]+)\]\((?!https?:|mailto:)[^)]*\)", r"\1", text)


setup(
    packages=[*PACKAGES, "train.configs"],
    py_modules=["uno_command"],
    package_dir={"train.configs": "configs"},
    long_description=long_description(),
    long_description_content_type="text/markdown",
)
