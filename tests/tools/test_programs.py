"""Every program that CONTRIBUTING.md lists is there, and says what it takes."""

import re
import runpy
import sys

import pytest

from tests.helpers import ROOT

PROGRAMS = sorted(
    {
        name
        for row in re.findall(r"^\| (.+?) \|", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
        if "python -m" in row and "tools.docs" not in row  # those take no arguments, and write files
        for name in re.findall(r"tools\.[\w.]+", row)
    }
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_says_how_it_is_called(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    if not (ROOT / name.replace(".", "/")).is_dir():  # a package imported anew would be another one for later tests
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(SystemExit) as end:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    assert not end.value.code
    assert capsys.readouterr().out.startswith("usage: ")
