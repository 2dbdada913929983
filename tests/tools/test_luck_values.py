"""tools/luck_values.py: a network is trained, measured and saved; the same seed gives the same one."""

from pathlib import Path

import pytest

from tools.luck_values import main
from train.evaluation.luck.values import ValueNetwork


@pytest.mark.slow
def test_a_value_function_is_trained(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        main(["duel-2p", "--hands", "400", "--deals", "50", "--folder", str(tmp_path / folder)])
    one, two = (tmp_path / folder / "duel-2p.safetensors" for folder in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert ValueNetwork.load(one).gain > 0.5


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("duell-2p", "'duell-2p' is no name of a shipped policy"),
        ("rlcard-2p", "luck cannot be taken out of games with dialect='rlcard'"),
        ("duel-2p --hands 3", "hands=3 is not allowed"),
        ("duel-2p --seed -1", "seed"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], line: str, message: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(line.split())
    assert stop.value.code == 2
    assert message in capsys.readouterr().err
