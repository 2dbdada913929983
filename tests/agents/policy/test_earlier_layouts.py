"""Policies of earlier layouts of the observation load, and choose what they chose then.

``layout_1`` holds a policy of random rules, its network as an ONNX file, a saved game, and what policies chose. The
program of that layout made them. What a policy of the zoo chose counts as long as its file is the same.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import agents
from agents.zoo import shipped
from uno_env import Game, Rules

FOLDER = Path(__file__).with_name("layout_1")
ZOO = Path(shipped.__file__).parent


def _file(case: dict[str, Any]) -> Path:
    name = case["policy"]
    return ZOO / f"{name.removeprefix('zoo:')}.safetensors" if name.startswith("zoo:") else FOLDER / name


CASES = [
    case
    for case in json.loads((FOLDER / "choices.json").read_text(encoding="utf-8"))
    if hashlib.sha256(_file(case).read_bytes()).hexdigest() == case["sha256"]
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['seed']}-{case['policy']}" for case in CASES])
def test_a_policy_of_layout_1_chooses_what_it_chose(case: dict[str, Any]) -> None:
    if case["policy"].endswith(".onnx"):
        pytest.importorskip("onnxruntime")
    agent = agents.load(str(_file(case)))
    game = Game(Rules.from_dict(case["rules"]), seed=case["seed"])
    for chosen in case["actions"]:
        assert agent.act(game.observe(game.to_move, "uint8"), game.action_mask()) == chosen
        game.step(chosen)


def test_files_of_layout_1_are_among_the_cases() -> None:
    assert {case["policy"] for case in CASES} >= {"policy.safetensors", "policy.onnx"}


def test_a_game_saved_before_the_pile_could_be_renewed_at_once() -> None:
    saved = json.loads((FOLDER / "game.json").read_text(encoding="utf-8"))
    assert "renew" not in saved["rules"]
    game = Game.from_json(json.dumps(saved))
    assert game.rules == Rules.preset("guide_001", renew="when_needed")
    assert Game.from_json(game.to_json()).to_json() == game.to_json()
