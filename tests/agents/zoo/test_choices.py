"""Shipped policies and those of the frozen suite choose what they chose when their scores were measured."""

import json
from pathlib import Path
from typing import Any

import pytest

import agents
from tests.helpers import ROOT
from train.common.suite import TOP, read_suite
from uno_env import Game, Rules

CASES = json.loads(Path(__file__).with_name("choices.json").read_text(encoding="utf-8"))


def test_every_policy_is_among_the_cases() -> None:
    suite = read_suite()
    frozen = {str(Path(suite.track(name).opponent_specs()[TOP]).relative_to(ROOT)) for name in suite.tracks}
    shipped = {name for name in agents.names() if name.startswith("zoo:")}
    assert {case["policy"] for case in CASES} == frozen | shipped


@pytest.mark.parametrize("obs_dtype", ["uint8", "float32"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{Path(case['policy']).name}-{case['seed']}")
def test_a_policy_chooses_what_it_chose(case: dict[str, Any], obs_dtype: str) -> None:
    name = case["policy"]
    agent = agents.load(name if name.startswith("zoo:") else str(ROOT / name))
    game = Game(Rules.from_dict(case["rules"]), seed=case["seed"])
    for chosen in case["actions"]:
        assert agent.act(game.observe(game.to_move, obs_dtype), game.action_mask()) == chosen
        game.step(chosen)
