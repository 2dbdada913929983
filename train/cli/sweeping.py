"""The search for hyperparameters: ``uno sweep``."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from train.cli.arguments import Changes, Measured, Measuring
from train.cli.errors import user_input
from train.common.options import Count, Folder
from train.common.table import MarkdownTable, show_lines


@dataclass(frozen=True, kw_only=True)
class SweepCommand(Measuring):
    """Search for hyperparameters by Optuna: each trial is a run with some keys drawn anew. Weak trials are pruned. The
    same command goes on; run it in several processes to share the work."""

    positional: ClassVar = ("target",)
    needs: ClassVar = ("optuna", "torch")

    target: Annotated[Path, Meta(title="CONFIG")]
    """a YAML file, or the name of a shipped config such as ppo_duel-2p"""
    trials: Count = 20
    """trials in all, those of earlier and other processes included"""
    over: tuple[Annotated[str, Meta(title="KEY=VALUES")], ...] = ()
    """keys to search: KEY=LOW:HIGH, KEY=LOW:HIGH:log or KEY=VALUE,VALUE (default: the usual ones of the algorithm)"""
    save: Folder | None = None
    """folder of the study and the runs (default: runs/sweep-CONFIG)"""
    trust_code: bool = False
    """take from the config also code (file.py:Name), addresses (chat:) and agents that see all hands: code runs with
    your rights, so read what somebody else wrote first"""
    changes: Changes
    """any key of the config can be changed, for all trials"""

    def run(self) -> Measured:
        with user_input():
            from train.benchmarks.sweep import Sweep, results

            folder = self.save or Path("runs") / f"sweep-{self.target.stem}"
            sweep = Sweep(self.target, self.changes, self.over, folder, self.trust_code)
            sweep.check()
            study = sweep.study()
            sweep.run(study, self.trials)
        found = results(study)
        return Measured({"trials": found}, lambda: self._show(found, folder))

    def _show(self, found: list[dict[str, Any]], folder: Path) -> None:
        from train.benchmarks.sweep import shown

        keys = list(found[0]["options"])
        rows = [
            [str(each["trial"]), each["state"], f"{each['win_rate']:.1%}", str(each["parts"])]
            + [shown(each["options"].get(key, "")) for key in keys]
            for each in found
        ]
        MarkdownTable("", ("trial", "state", "win rate", "parts", *keys), rows, words=(1,)).show()
        best = found[0]
        options = [f"--{key.replace('_', '-')}={value}" for key, value in best["options"].items()]
        same = [f"--{key.replace('_', '-')}={value}" for key, value in self.changes.items()]
        show_lines(
            [
                f"The best of {len(found)} trials is {folder / str(best['run'])}. To train with its options:",
                shlex.join(["uno", "train", str(self.target), *same, *options]),
            ]
        )
