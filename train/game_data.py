"""Games as data, for imitation and offline learning: ``uno record``; docs/reference/files.md has the format."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

import agents
from train.common.growing_file import GrowingFile
from train.evaluation.duplicate import AGENT_STREAM, derived_seed
from train.evaluation.game_recorder import thoughts
from uno_env.actions import name, number_of
from uno_env.common.files import parse_json
from uno_env.game import Game
from uno_env.observation import layout, number_of_columns
from uno_env.replay import Note, Replay, decisions_of
from uno_env.rules import Rules
from uno_env.text import prompt_for, rules_text
from uno_env.text.text_env import choose

_HAND_STREAM = 2**63 + 3


class PlayedHand(NamedTuple):
    """A hand that was played to its end."""

    seed: int
    agents: tuple[str, ...]
    game: Game
    notes: tuple[Note | None, ...]

    def to_dict(self) -> dict[str, Any]:
        """The hand as a line of a file."""
        decisions = [
            {
                "seat": past.to_move,
                "prompt": prompt_for(past),
                "legal": past.legal_names(),
                "move": name(action, self.game.rules),
                "value": None if note is None else note.value,
            }
            for (past, action), note in zip(decisions_of(self.game), self.notes, strict=True)
        ]
        return {
            "seed": self.seed,
            "agents": list(self.agents),
            "decisions": decisions,
            "rewards": self.game.rewards(),
            "end": self.game.end,
            "replay": json.loads(Replay.of(self.game, self.agents, self.notes).to_json()),
        }


def play_hands(specs: Sequence[str], rules: Rules, games: int, seed: int, first: int = 0) -> Iterator[PlayedHand]:
    """Play the hands ``first`` to ``games`` − 1 of a seed. Each hand depends on the seed and its number alone.

    ``specs`` name one agent for all seats, or one for each. Raises ValueError if an agent cannot be loaded, or their
    number does not fit, and PlayerError if an agent failed, or chose an action that is not legal.
    """
    if len(specs) not in (1, rules.players):
        raise ValueError(f"{len(specs)} agents are not allowed: name 1, or one for each of {rules.players} seats")
    players = [agents.load(spec, rules=rules) for spec in specs]
    for number in range(first, games):
        hand_seed = derived_seed(seed, _HAND_STREAM, number)
        game, notes = Game(rules, hand_seed), []
        for index, player in enumerate(players):
            player.reset(derived_seed(hand_seed, AGENT_STREAM, index))
        while not game.over:
            player = players[(game.to_move + number) % len(players)]
            notes.append(thoughts(player, game))
            game.step(choose(player, game))
        seated = tuple(specs[(seat + number) % len(specs)] for seat in range(rules.players))
        yield PlayedHand(hand_seed, seated, game, tuple(notes))


def write_jsonl(
    file: Path, specs: Sequence[str], rules: Rules, games: int, seed: int, progress: Callable[[int], object]
) -> int:
    """Append hands as they are played to those that the file holds already, and return the number of its hands.

    Raises:
        ValueError: the file holds something else, another process writes to it, or it cannot be written any more, such
            as on a full disk; or as :func:`play_hands` does.
        OSError: it cannot be read or written at all.
    """
    header = {"format": "uno-env games 1", "seed": seed, "agents": list(specs), "rules": rules.to_dict(),
              "rules_text": rules_text(rules)}  # fmt: skip
    with GrowingFile(file, json.dumps(header)) as out:
        if out.lines and not _is_hand(out.last, derived_seed(seed, _HAND_STREAM, out.lines - 1)):
            raise ValueError(f"{str(file)!r} is damaged: line {out.lines + 1} is not its hand; name another file")
        for hand in play_hands(specs, rules, games, seed, out.lines):
            line = json.dumps(hand.to_dict())
            try:
                out.append(line)
            except OSError as error:
                raise ValueError(
                    f"{str(file)!r} cannot be written any more ({error.strerror}): it holds {out.lines} whole hands; "
                    "see to it that it can, then the same command goes on"
                ) from error
            progress(out.lines)
        return out.lines


def _is_hand(line: bytes, seed: int) -> bool:
    """True if a line is the hand of a seed."""
    try:
        hand = parse_json(line)
    except ValueError:
        return False
    return isinstance(hand, dict) and hand.get("seed") == seed


def write_minari(
    dataset: str, specs: Sequence[str], rules: Rules, games: int, seed: int, progress: Callable[[int], object]
) -> int:
    """Make a data set of Minari; its episodes, one for each seat and hand. Raises ValueError if Minari cannot."""
    try:
        import minari
        from minari.data_collector import EpisodeBuffer
    except ImportError as error:
        raise ValueError(f"Minari cannot be used ({error}): pip install 'minari[hdf5]' pillow") from None

    episodes: list[Any] = []
    for number, hand in enumerate(play_hands(specs, rules, games, seed), 1):
        for seat in range(rules.players):
            observations, masks, actions = _seen_by(hand.game, seat)
            if not actions:
                continue
            ends = [False] * (len(actions) - 1)
            went_out = hand.game.end == "went_out"
            episodes.append(
                EpisodeBuffer(
                    id=len(episodes),
                    seed=hand.seed % 2**63,
                    observations={"observation": np.array(observations), "action_mask": np.array(masks)},
                    actions=np.array(actions),
                    rewards=[*[0.0] * len(ends), hand.game.rewards()[seat]],
                    terminations=[*ends, went_out],
                    truncations=[*ends, not went_out],
                )
            )
        progress(number)
    row = spaces.Box(0, 255, (number_of_columns(rules),), np.uint8)
    mask = spaces.Box(0, 1, (number_of(rules),), np.int8)
    minari.create_dataset_from_buffers(
        dataset, episodes, observation_space=spaces.Dict({"observation": row, "action_mask": mask}),
        action_space=spaces.Discrete(number_of(rules)), algorithm_name=", ".join(specs),
        description=f"UNO by {rules!r}, seed {seed}; observations in integer form ({len(layout(rules))} sections).",
    )  # fmt: skip
    return len(episodes)


def _seen_by(game: Game, seat: int) -> tuple[list[Any], list[Any], list[int]]:
    """A seat's observations, masks and actions at each of its decisions, and its observation at the end."""
    seen, masks, actions = [], [], []
    for past, action in decisions_of(game):
        if past.to_move == seat:
            seen.append(past.observe(seat, "uint8"))
            masks.append(past.action_mask())
            actions.append(action)
    return [*seen, game.observe(seat, "uint8")], [*masks, np.zeros(number_of(game.rules), np.int8)], actions
