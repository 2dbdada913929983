"""Clone an agent from recorded decisions: the lines of `uno record`, a network in plain PyTorch, and a measurement."""

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn

from train.evaluate import evaluate
from train.game_data import write_jsonl
from uno_env import Rules
from uno_env.actions import NUM_ACTIONS, parse
from uno_env.observation import OBSERVATION_SIZE, float_form
from uno_env.replay import Replay

RULES = Rules.preset("duel")


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
                rows.append(game.observe(game.to_move))
                masks.append(game.action_mask())
                actions.append(parse(decision["move"]))
                game.step(decision["move"])
                if len(actions) == decisions:
                    return np.array(rows), np.array(masks), np.array(actions)
    raise ValueError(f"{file} holds {len(actions)} decisions, and {decisions} are wanted")


class Clone:
    """Plays the most probable move of a network."""

    name = "clone"

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.network = nn.Sequential(
            nn.Linear(OBSERVATION_SIZE, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, NUM_ACTIONS)
        )

    def logits(self, rows: torch.Tensor, masks: torch.Tensor) -> torch.Tensor:
        """Of legal moves; −1e9 of all others."""
        return torch.where(masks != 0, self.network(rows), -1e9)

    def fit(self, rows: np.ndarray, masks: np.ndarray, actions: np.ndarray, epochs: int) -> None:
        """Learn to choose as it was chosen."""
        data = [torch.as_tensor(each) for each in (rows, masks, actions)]
        optimizer = torch.optim.AdamW(self.network.parameters(), 1e-3, weight_decay=1e-2)
        for _ in range(epochs):
            for batch in torch.randperm(len(actions)).split(256):
                shown, allowed, wanted = (each[batch] for each in data)
                loss = nn.functional.cross_entropy(self.logits(shown, allowed), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The most probable legal move of each row."""
        with torch.no_grad():
            rows, masks = torch.as_tensor(float_form(observations)), torch.as_tensor(np.array(action_masks))
            return self.logits(rows, masks).argmax(dim=1).numpy()


def main(decisions: int = 20_000, epochs: int = 12, deals: int = 5_000, file: Path = Path("greedy.jsonl")) -> list:
    """Record, clone, and measure the clone and the original against the original."""
    write_jsonl(file, ["greedy"], RULES, decisions // 15, 0, lambda hands: None)  # hands have about 28 decisions
    clone = Clone()
    clone.fit(*read(file, decisions), epochs)
    results = [evaluate(agent, "greedy", RULES, deals) for agent in (clone, "greedy")]
    for result in results:
        print(f"{result.agent} against greedy: {result.win_rate:.1%} ({result.low:.1%} to {result.high:.1%})")
    return results


if __name__ == "__main__":
    main()
