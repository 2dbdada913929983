"""``uno export``: a saved policy as an ONNX file for other programs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec import Meta

import agents
from agents.policy.policy_agent import PolicyAgent
from train.cli.arguments import Command
from train.cli.errors import user_input
from train.common.options import File
from uno_env.batched import BatchedGames
from uno_env.rules import Rules

POSITIONS = 2_000
"""Decisions on which both are compared."""
TOLERANCE = 1e-4
"""Difference of probabilities and values that rounding explains."""


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """Write a saved policy as an ONNX file for other programs, and check that it plays the same."""

    positional: ClassVar = ("policy",)
    needs: ClassVar = ("onnx", "onnxruntime")

    policy: Annotated[str, Meta(title="POLICY")]
    """the path of a saved policy, or zoo:NAME"""
    onnx: File
    """the file to write; `agents/policy/onnx_file.py` lists its inputs and outputs"""

    def run(self) -> None:
        with user_input():
            from agents.policy.onnx_export import export_onnx

            ours = agents.load(self.policy)
            if not isinstance(ours, PolicyAgent):
                raise ValueError(f"{self.policy!r} is no saved policy of ours: name its file, or zoo:NAME")
            if self.onnx.suffix != ".onnx":
                raise ValueError(f"{str(self.onnx)!r} is not allowed: name a file that ends in .onnx")
            export_onnx(self.onnx, ours.weights, ours.card)
            difference = difference_of(ours, self.onnx)
            if difference > TOLERANCE:
                raise ValueError(f"{str(self.onnx)!r} plays otherwise: probabilities differ by {difference:.2g}")
        print(f"Wrote {self.onnx}: on {POSITIONS:,} decisions its probabilities and values differ by at most "
              f"{difference:.1g}")  # fmt: skip


def difference_of(ours: PolicyAgent, file: Path) -> float:
    """The largest difference in probabilities and values between a policy of ours and an ONNX file, in random games."""
    theirs = agents.load(file)
    rules, worst, games = Rules.from_dict(ours.card.rules), 0.0, 100
    batch = BatchedGames(games, rules, seed=0, obs_dtype="uint8")
    seen, masks, _ = batch.reset()
    for _ in range(POSITIONS // games):
        values, other = ours.values(seen), theirs.values(seen)
        chances, others = ours.probabilities(seen, masks), theirs.probabilities(seen, masks)
        assert other is not None
        assert others is not None
        worst = max(worst, float(np.abs(values - other).max()), float(np.abs(chances - others).max()))
        seen, masks, *_ = batch.step(batch.sample_actions())
    return worst
