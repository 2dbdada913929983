"""The page of the notebook has the cells of the notebook, in their order, and the pictures that it names."""

import re

import pytest

from tools.docs.notebook import MARK, PAGE, PICTURES, cells

TEXT = PAGE.read_text(encoding="utf-8")
AGAIN = "python -m tools.docs.notebook writes it anew"


def test_the_page_has_the_cells_of_the_notebook() -> None:
    found = [(kind, TEXT.find(source)) for kind, source in cells()]
    assert all(place >= 0 for _, place in found), AGAIN
    assert [place for _, place in found] == sorted(place for _, place in found), AGAIN


def test_the_page_has_no_other_code() -> None:
    shown = re.findall(rf"^{re.escape(MARK)}\n```python\n(.*?)\n```$", TEXT, re.MULTILINE | re.DOTALL)
    assert shown == [source for kind, source in cells() if kind == "code"], AGAIN


@pytest.mark.parametrize("name", re.findall(r"\.\./pictures/([\w.-]+)", TEXT))
def test_the_pictures_are_there(name: str) -> None:
    assert (PICTURES / name).read_text(encoding="utf-8").lstrip().startswith(("<svg", "<?xml"))
    assert f"pictures/{name}" in TEXT
