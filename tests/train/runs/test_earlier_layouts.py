"""A run that was begun with an earlier layout of the observation goes on as the program of that layout went on.

``layout_2`` holds two runs after 1,024 decisions, one of them with random rules, and their policies after 2,048.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from agents.policy.policy_file import load_policy
from train.cli.main import main
from train.common.random_rules import random_rules

FOLDER = Path(__file__).with_name("layout_2")


@pytest.mark.parametrize("name", ["run", "rr"])
def test_a_run_of_layout_2_is_continued(name: str, tmp_path: Path) -> None:
    run = shutil.copytree(FOLDER / name, tmp_path / name)
    main(["train", str(run), "--total-timesteps", "2048", "--threads", "1"])
    (weights, card), (expected, before) = load_policy(run), load_policy(FOLDER / f"{name}-continued.safetensors")
    assert (card.layout_version, card.columns, card.actions) == (2, before.columns, before.actions)
    for part, array in expected.items():  # not to the bit: other processors round sums of products otherwise
        assert np.allclose(weights[part], array, atol=1e-4), part


def test_random_rules_of_an_earlier_layout_have_nothing_new() -> None:
    for number in range(200):
        rules = random_rules(3, number, layout_version=2)
        assert (rules.deflect, rules.wild_is_match, rules.draw_two_turn) == (False, False, "lost")
        assert (rules.draw, rules.stacking, rules.first_card) not in [
            ("until_playable_if_stuck", "both", "reverse_only")
        ]
        assert rules.stacking != "both"
