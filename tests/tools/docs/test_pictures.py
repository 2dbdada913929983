"""The pictures of the pages are those that the program draws now."""

import pytest

from tools.docs.pictures import FOLDER, pictures
from tools.docs.tables import PAGES


@pytest.mark.parametrize("name", sorted(pictures()))
def test_the_pictures_of_the_readme_are_current(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text == pictures()[name]() + "\n", "write them anew: python -m tools.docs.pictures"
    assert any(f"pictures/{name}" in page.read_text(encoding="utf-8") for page in PAGES)
