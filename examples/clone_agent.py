"""Clone an agent from recorded decisions: the lines of `uno record`, a network in plain PyTorch, and a measurement.

The colours are alike, so the network scores one move at a time and sees the table with the colours turned until that
move's colour comes first: what it learns of a red card, it knows of a blue one.
"""

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

from train.evaluate import evaluate
from train.game_data import write_jsonl
from uno_env import Rules
from uno_env.actions import DRAW, PLAY_WILD, parse
from uno_env.observation import LAYOUT
from uno_env.replay import Replay

RULES = Rules.preset("duel")
COLOURS, RANKS, KINDS = 4, 13, 22
BY_COLOUR = ("colour", "previous_colour", "drawn_colour", "drew_on")
"""Columns of the observation that come in fours, a column for each colour."""
OTHERS = ("drawn_symbol", "symbol", "hand_sizes", "draw_pile", "phase")


def read(file: Path, decisions: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Observations, masks and actions of the first decisions of a file."""
    rows: list[np.ndarray] = []
    masks: list[np.ndarray] = []
    actions: list[int] = []
    with open(file) as lines:
        next(lines)  # the rules and the agents
        for line in lines:
            hand = json.loads(line)
            game = Replay.from_json(json.dumps(hand["replay"])).game.start()
            for decision in hand["decisions"]:
                rows.append(game.observe(game.to_move, "uint8"))
                masks.append(game.action_mask())
                actions.append(parse(decision["move"]))
                game.step(decision["move"])
                if len(actions) == decisions:
                    return np.array(rows), np.array(masks), np.array(actions)
    raise ValueError(f"{file} holds {len(actions)} decisions, and {decisions} are wanted")


def moves_of(rows: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The table as seen from each of up to M legal moves, uint8 [N, M, features], and their ids [N, M], else −1."""
    most = masks.sum(axis=1).max()
    ids = np.argsort(masks == 0, axis=1, kind="stable")[:, :most]
    game = np.arange(len(rows))[:, None]
    ids = np.where(masks[game, ids] != 0, ids, -1)
    active = rows[:, LAYOUT["colour"].columns].argmax(axis=1)[:, None]
    own = np.where(ids < PLAY_WILD, ids // RANKS, np.where(ids < DRAW, (ids - PLAY_WILD) % COLOURS, active))
    turned = (own[:, :, None] + np.arange(COLOURS)) % COLOURS  # [N, M, 4]
    kind = np.where(
        ids < PLAY_WILD, ids % RANKS, np.where(ids < DRAW, RANKS + (ids - PLAY_WILD) // COLOURS, ids - DRAW + 19)
    )
    hand, discards = (rows[:, LAYOUT[name].columns] for name in ("hand", "discards"))
    coloured = [cards[:, : COLOURS * RANKS].reshape(-1, COLOURS, RANKS) for cards in (hand, discards)]
    coloured += [rows[:, LAYOUT[name].columns].reshape(len(rows), -1, COLOURS).swapaxes(1, 2) for name in BY_COLOUR]
    same_rank = np.where(ids < PLAY_WILD, coloured[0].sum(axis=1)[game, kind % RANKS], 0)
    in_colour = [cards.sum(axis=2)[game, own] for cards in coloured[:2]]
    plain = [hand[:, COLOURS * RANKS :], *(rows[:, LAYOUT[name].columns] for name in OTHERS)]
    parts = [
        *(each[game[:, :, None], turned].reshape(*ids.shape, -1) for each in coloured),
        np.repeat(np.concatenate(plain, axis=1)[:, None], most, axis=1),
        np.eye(KINDS, dtype=np.uint8)[kind],
        np.stack([same_rank, *in_colour], axis=2),
    ]
    return np.concatenate(parts, axis=2).astype(np.uint8), ids


class Clone:
    """Plays the most probable move of a network."""

    name = "clone"
    obs_dtype = "uint8"

    def __init__(self, hidden: int = 32) -> None:
        torch.manual_seed(0)
        self.network = nn.Sequential(
            nn.LazyLinear(hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )
        self.scale = torch.ones(1)

    def logits(self, moves: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        """Of the moves [N, M]; −1e9 where there is none."""
        return torch.where(ids >= 0, self.network(moves * self.scale)[:, :, 0], -1e9)

    def fit(self, rows: np.ndarray, masks: np.ndarray, actions: np.ndarray, epochs: int) -> None:
        """Learn to choose as it was chosen."""
        choice = masks.sum(axis=1) > 1
        moves, ids = map(torch.as_tensor, moves_of(rows[choice], masks[choice]))
        wanted = (ids == torch.as_tensor(actions[choice])[:, None]).int().argmax(dim=1)
        self.scale = 1 / moves.amax(dim=(0, 1)).clamp(min=1)
        self.logits(moves[:1], ids[:1])  # the first call tells the network its width
        optimizer = torch.optim.AdamW(self.network.parameters(), 2e-3, weight_decay=1e-2)
        steps = epochs * -(-len(ids) // 128)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=steps)
        for _ in range(epochs):
            for batch in torch.randperm(len(ids)).split(128):
                loss = nn.functional.cross_entropy(self.logits(moves[batch], ids[batch]), wanted[batch])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The most probable legal move of each row."""
        moves, ids = map(torch.as_tensor, moves_of(observations, action_masks))
        with torch.no_grad():
            return ids.gather(1, self.logits(moves, ids).argmax(dim=1)[:, None])[:, 0].numpy()


def main(decisions: int = 20_000, epochs: int = 12, deals: int = 5_000, file: Path = Path("greedy.jsonl")) -> list:
    """Record, clone, and measure the clone and the original against the original."""
    write_jsonl(file, ["greedy"], RULES, decisions // 15, 0, lambda hands: None)  # hands have about 28 decisions
    clone = Clone()
    clone.fit(*read(file, decisions), epochs)
    results = [evaluate(agent, "greedy", RULES, deals, seed=1_000_000) for agent in (clone, "greedy")]
    for result in results:
        print(f"{result.agent} against greedy: {result.win_rate:.1%} ({result.low:.1%} to {result.high:.1%})")
    return results


if __name__ == "__main__":
    main()
