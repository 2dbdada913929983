"""The example for Kaggle's harness: its own agent plays with a scripted model."""

from typing import Any

import pytest

from tests.helpers import ROOT
from uno_env import Game
from uno_env.common.importing import import_object
from uno_env.text import prompt_for

pytest.importorskip("kaggle_environments", reason="kaggle-environments is not installed: make test-adapters")
pytestmark = pytest.mark.adapters


def example(attribute: str) -> Any:
    """A part of the example."""
    return import_object(f"{ROOT}/examples/kaggle_harness.py:{attribute}")


def scripted(monkeypatch: pytest.MonkeyPatch, answers: Any) -> list[str]:
    """Let a model answer what a function of the prompt says; the prompts."""
    from kaggle_environments import core_harness

    prompts: list[str] = []

    def call(prompt: str, *_: Any) -> tuple[str, dict[str, Any]]:
        prompts.append(prompt)
        names = ("prompt_tokens", "generation_tokens", "total_tokens", "finish_reason", "duration_secs")
        return answers(prompt), dict.fromkeys(names)

    monkeypatch.setattr(core_harness, "_call_llm", call)
    return prompts


def test_its_agent_plays_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    prompts = scripted(monkeypatch, lambda prompt: 'I think so.\n{"move": "1"}')
    assert sorted(example("main")(seed=2)) == [-1, 1]
    assert prompts


def test_a_wrong_answer_is_told_and_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter(["hm", "[77]"])
    prompts = scripted(monkeypatch, lambda prompt: next(said, "[1]"))
    example("main")(seed=2)
    assert "No clear move was found in the answer" in prompts[1]
    assert "There is no move number 77" in prompts[2]
    assert prompts[1].startswith(prompts[0])


def test_an_observation_holds_what_the_seat_may_know() -> None:
    game = Game("duel", seed=2)
    for seat in (0, 1):
        seen = example("observation_of")(game, seat)
        assert seen["observationString"].endswith(prompt_for(game, seat))
        assert bool(seen["legalActions"]) == (game.to_move == seat)
        assert list(example("get_legal_moves")(seen)) == seen["legalActions"]
