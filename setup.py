"""What pyproject.toml cannot say: where folders of the checkout are installed; README.md for PyPI; addresses."""

import re
from pathlib import Path

from setuptools import Distribution, find_packages, setup

ROOT = Path(__file__).parent
PACKAGES = find_packages(
    include=[f"{name}{inside}" for name in ("uno_env", "agents", "train", "uno_table") for inside in ("", ".*")]
)


class Carrying(Distribution):
    """A wheel with compiled code, as `python -m tools.wheel.build` makes it, is for one Python and one system."""

    def has_ext_modules(self) -> bool:
        return (ROOT / "uno_env" / "compiled").is_dir()


def long_description() -> str:
    """README.md where no other file is beside it: without the parts that are for a checkout, with those for PyPI."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    text = re.sub(r"<!-- in a checkout -->.*?<!-- end of checkout -->\n", "", text, flags=re.DOTALL)
    return re.sub(r"<!-- on PyPI\n(.*?)-->", r"\1", text, flags=re.DOTALL)


def project_urls() -> dict[str, str]:
    """The addresses that follow from that of the repository, which CITATION.cff names; none as long as it does not."""
    named = re.search(r"^repository-code: \"?([^\s\"]+)", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    if named is None:
        return {}
    address = named[1].rstrip("/")
    files = f"{address}/blob/main/"
    return {
        "Source": address,
        "Documentation": files + "docs/index.md",
        "Changes": files + "CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


setup(
    distclass=Carrying,
    packages=[*PACKAGES, "train.configs", "train.suites", "uno_env.examples"],
    py_modules=["uno_command"],
    package_dir={"train.configs": "configs", "train.suites": "benchmark", "uno_env.examples": "examples"},
    project_urls=project_urls(),
    long_description=long_description(),
    long_description_content_type="text/markdown",
)
