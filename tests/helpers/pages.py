"""Code on pages that needs a library with an environment of its own."""

import re

from tests.helpers import ROOT


def run_section(page: str, heading: str) -> None:
    """Run the Python of a section of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert blocks
    exec("\n".join(blocks), {})
