"""What pyproject.toml cannot say: the folder configs/ is installed as the data folder train/configs."""

from setuptools import find_packages, setup

PACKAGES = find_packages(
    include=[f"{name}{inside}" for name in ("uno_env", "agents", "train") for inside in ("", ".*")]
)

setup(packages=[*PACKAGES, "train.configs"], package_dir={"train.configs": "configs"})
