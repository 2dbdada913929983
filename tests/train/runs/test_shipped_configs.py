"""train/runs/config.py: configs by name, from a checkout and from a wheel."""

from pathlib import Path

import pytest

from tests.helpers import ROOT
from train.algorithms.registry import prepare_training
from train.runs.config import find_config, shipped_configs


def test_names_are_those_of_folders_and_files() -> None:
    names = shipped_configs()
    assert {"demo", "ppo_duel-2p", "sb3_ppo_classic-4p", "distributed_ppo_duel-2p"} <= set(names)
    assert names["ppo_duel-2p"] == ROOT / "configs" / "ppo" / "duel-2p.yaml"
    assert len(names) == len(list((ROOT / "configs").rglob("*.yaml")))


def test_a_file_is_preferred_and_a_wrong_name_is_told_the_right_one(tmp_path: Path) -> None:
    (tmp_path / "demo").touch()
    assert find_config(tmp_path / "demo") == tmp_path / "demo"
    assert find_config(Path("ppo_duel-2p")).name == "duel-2p.yaml"
    with pytest.raises(
        ValueError, match=r"^ppo_dule: this config cannot be read .*did you mean 'ppo_duel-2p'\?.*demo, "
    ):
        find_config(Path("ppo_dule"))


@pytest.mark.parametrize("name", ["ppo_duel-2p", "demo", "mine.yaml"])
def test_a_wrong_key_is_told_with_the_name_that_the_user_gave(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("algorithm: ppo\n")
    with pytest.raises(ValueError, match=f"^{name}: unknown key 'lerning_rate' .did you mean 'learning_rate'"):
        prepare_training(Path(name), {"lerning_rate": "1"})


def test_training_takes_the_name_of_a_shipped_config(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from train.algorithms.registry import prepare_training

    assert callable(prepare_training(Path("mmd_classic-2p"), {"folder": str(tmp_path)}))
    assert not list(tmp_path.iterdir())
