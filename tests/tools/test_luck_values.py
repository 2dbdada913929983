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
