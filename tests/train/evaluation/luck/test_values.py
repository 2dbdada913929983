"""train/evaluation/luck/values.py: files of value functions, and which rules they are for."""

import numpy as np
import pytest

from train.evaluation.luck.draws import num_columns
from train.evaluation.luck.values import FOLDER, ValueNetwork, shipped_values, values_for
from uno_env import Rules

DUEL = Rules.preset("duel")


def network(**changes):
    rng = np.random.default_rng(0)
    shapes = ((num_columns(2), 5), (5, 2))
    layers = tuple((rng.normal(size=shape).astype(np.float16).astype(np.float32), np.ones(shape[1], np.float32))
                   for shape in shapes)  # fmt: skip
    return ValueNetwork(**{"name": "some", "rules": DUEL, "gain": 1.5, "layers": layers, **changes})


def test_a_saved_network_is_the_same(tmp_path):
    values, file, rows = network(), tmp_path / "some.safetensors", np.ones((3, num_columns(2)), np.uint8)
    values.save(file)
    loaded = ValueNetwork.load(file)
    assert (loaded.name, loaded.rules, loaded.gain) == ("some", DUEL, 1.5)
    assert (loaded(rows) == values(rows)).all()
    assert loaded(rows).sum(axis=1) == pytest.approx(np.ones(3))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": network().layers[:1]}, "it gives 5 values for 2 players"),
        ({"layers": network().layers[1:]}, "layer 0 has weights of shape"),
        ({"layers": ()}, "its weights have other names"),
        ({"rules": DUEL.replace(players=3)}, "layer 0 has weights of shape"),
    ],
)
def test_files_that_do_not_fit(tmp_path, changes, message):
    file = tmp_path / "bad.safetensors"
    network(**changes).save(file)
    with pytest.raises(ValueError, match=message):
        ValueNetwork.load(file)


@pytest.mark.parametrize("content", [b"", b"nothing", b"\x00" * 100])
def test_a_file_of_something_else_takes_no_luck_out(tmp_path, content):
    file = tmp_path / "bad.safetensors"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.safetensors' cannot be used to take luck out"):
        ValueNetwork.load(file)


def test_a_policy_is_no_value_function():
    with pytest.raises(ValueError, match="it is no value function of format 1"):
        ValueNetwork.load(FOLDER.parent / "duel-2p.safetensors")


@pytest.mark.parametrize("name", shipped_values())
def test_shipped_value_functions_are_small_and_for_the_rules_in_their_names(name):
    from agents.zoo.shipped import track_rules

    assert (FOLDER / f"{name}.safetensors").stat().st_size < 300_000
    values = values_for(track_rules(name))
    assert values.name == name
    assert values.gain > 1


def test_rules_without_a_value_function():
    assert values_for(DUEL.replace(max_decisions=500)).name == "duel-2p"
    with pytest.raises(ValueError, match=r"there are value functions for .*duel-2p"):
        values_for(DUEL.replace(hand_size=5))
    with pytest.raises(ValueError, match="luck cannot be taken out of games with dialect='rlcard'"):
        values_for(Rules.preset("rlcard"))
