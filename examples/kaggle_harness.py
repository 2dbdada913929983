"""The three functions by which Kaggle's harness lets a model play, and an agent made of them; kaggle-environments 1.33.

Kaggle has no UNO: `observation_of` makes the observation from a `Game`, with the names that its other games use.
"""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from kaggle_environments.core_harness import ParseResult, create_agent_fn

import agents
from uno_env import Game
from uno_env.actions import name, parse
from uno_env.text import prompt_for, read_answer, rules_text


def observation_of(game: Game, seat: int) -> dict[str, Any]:
    """The knowledge of a seat, in the form of Kaggle's games."""
    if game.over:
        return {"playerId": seat, "isTerminal": True}
    legal = game.legal_actions() if game.to_move == seat else []
    told = f"{rules_text(game.rules)}\n\n{prompt_for(game, seat)}"
    moves = {"legalActions": legal, "legalActionStrings": [*map(name, legal)]}
    return {"observationString": told, **moves, "currentPlayer": game.to_move, "playerId": seat, "isTerminal": False}


def get_legal_moves(observation: Mapping[str, Any]) -> dict[int, str]:
    """Names of the legal moves by their ids."""
    return dict(zip(observation["legalActions"], observation["legalActionStrings"], strict=True))


def generate_prompt(observation: Mapping[str, Any], move_history: list[str], previous_response: str | None = None,
                    previous_action: str | None = None) -> str:  # fmt: skip
    """The prompt; after an answer without a legal move, what was wrong with it, too."""
    wrong = read_answer(previous_response or "", observation["legalActions"]).problem if previous_response else ""
    return f"{observation['observationString']}\n\n{wrong}".strip()


def parse_response(response: str, legal_action_strings: Sequence[str], **_: Any) -> ParseResult:
    """The move that an answer means."""
    answer = read_answer(response, [*map(parse, legal_action_strings)])
    return ParseResult(None if answer.action is None else name(answer.action), response[-500:])


def main(model: str = "ollama/llama3", seed: int = 1, **options: Any) -> list[float]:
    """Play a hand with a model that LiteLLM knows at seat 0, against `greedy`; the rewards."""
    functions = {"get_legal_moves": get_legal_moves, "make_prompt": generate_prompt, "parse_response": parse_response}
    act = create_agent_fn(SimpleNamespace(**functions), max_retries=3, model_override=(model, options))
    game, other = Game("duel", seed), agents.load("greedy")
    while not game.over:
        seat, seen = game.to_move, (game.observe(game.to_move), game.action_mask())
        game.step(other.act(*seen) if seat else act(observation_of(game, 0), {})["submission"])
    return game.rewards()


if __name__ == "__main__":
    print(main())
