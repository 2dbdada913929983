"""Policies of earlier layouts of the observation load, and choose what they chose then.

Each folder holds small policies, a network as an ONNX file, and what policies chose, those of the zoo and of the frozen
suite among them. The program of that layout made them. What a policy that ships chose counts as long as its file is the
same. ``layout_1`` also holds a saved game.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.policy.policy_file import PolicyError, load_policy, save_policy
from agents.zoo import shipped
from uno_env import Game, Rules
from uno_env.observation import LAYOUT_SIZES

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ZOO = Path(shipped.__file__).parent


def _file(folder: Path, name: str) -> Path:
    if name.startswith("zoo:"):
        return ZOO / f"{name.removeprefix('zoo:')}.safetensors"
    return ROOT / name if name.startswith("benchmark/") else folder / name


def _cases(layout: int) -> list[tuple[Path, dict[str, Any]]]:
    folder = HERE / f"layout_{layout}"
    cases = [
        (_file(folder, case["policy"]), case)
        for case in json.loads((folder / "choices.json").read_text(encoding="utf-8"))
    ]
    return [(file, case) for file, case in cases if hashlib.sha256(file.read_bytes()).hexdigest() == case["sha256"]]


CASES = [(layout, *case) for layout in (1, 2) for case in _cases(layout)]
NAMES = [f"{layout}-{case['seed']}-{case['policy'].rpartition('/')[2]}" for layout, _, case in CASES]


@pytest.mark.parametrize("obs_dtype", ["uint8", "float32"])
@pytest.mark.parametrize(("layout", "file", "case"), CASES, ids=NAMES)
def test_a_policy_of_an_earlier_layout_chooses_what_it_chose(
    layout: int, file: Path, case: dict[str, Any], obs_dtype: str
) -> None:
    if file.suffix == ".onnx":
        pytest.importorskip("onnxruntime")
    agent = agents.load(str(file))
    game = Game(Rules.from_dict(case["rules"]), seed=case["seed"])
    for chosen in case["actions"]:
        assert agent.act(game.observe(game.to_move, obs_dtype), game.action_mask()) == chosen
        game.step(chosen)


@pytest.mark.parametrize("layout", [1, 2])
def test_files_of_the_layout_are_among_the_cases(layout: int) -> None:
    assert {case["policy"] for since, _, case in CASES if since == layout} >= {"policy.safetensors", "policy.onnx"}


def test_the_policies_of_the_frozen_suite_are_among_the_cases() -> None:
    frozen = {f"benchmark/v1/policies/{file.name}" for file in (ROOT / "benchmark/v1/policies").iterdir()}
    assert frozen <= {case["policy"] for _, _, case in CASES}


@pytest.mark.parametrize("layout", [1, 2])
def test_a_saved_policy_keeps_its_layout(layout: int, tmp_path: Path) -> None:
    weights, card = load_policy(HERE / f"layout_{layout}" / "policy.safetensors")
    assert card.layout_version == layout
    save_policy(tmp_path / "again.safetensors", weights, card)
    assert load_policy(tmp_path / "again.safetensors")[1] == card


def test_a_card_that_names_columns_beyond_its_layout_is_refused(tmp_path: Path) -> None:
    weights, card = load_policy(HERE / "layout_1" / "policy.safetensors")
    columns = [*card.columns[:-1], LAYOUT_SIZES[1]]
    object.__setattr__(card, "columns", columns)
    with pytest.raises(
        PolicyError, match=f"its card names column {LAYOUT_SIZES[1]}, and layout 1 has {LAYOUT_SIZES[1]}"
    ):
        save_policy(tmp_path / "beyond.safetensors", weights, card)


def test_a_policy_sees_the_last_value_that_its_layout_knew() -> None:
    agent = agents.load(str(HERE / "layout_2" / "policy.safetensors"))
    for new, known in (("both", "any"),):
        games = [Game(Rules(players=3, stacking=value), seed=4) for value in (new, known)]
        seen = [agent.probabilities(game.observe(game.to_move)[None], game.action_mask()[None]) for game in games]
        assert np.array_equal(*seen)


def test_a_game_saved_before_the_pile_could_be_renewed_at_once() -> None:
    saved = json.loads((HERE / "layout_1" / "game.json").read_text(encoding="utf-8"))
    assert "renew" not in saved["rules"]
    game = Game.from_json(json.dumps(saved))
    ordinary = Rules.preset("guide_001", renew="when_needed", first_card="effects_no_wild")
    assert game.rules == ordinary
    assert Game.from_json(game.to_json()).to_json() == game.to_json()
