"""The figures, tables and games of a run that TensorBoard shows: :class:`TensorBoardLog`.

docs/reference/files.md lists the tags. The dashboard *Custom scalars* groups them: strength with its intervals,
learning, speed.
"""

import math
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import yaml

from train.common.table import MarkdownTable
from train.evaluation.duplicate import Evaluation
from train.runs.config import config_values
from train.runs.run_config import RunConfig
from uno_env.editions import edition_for
from uno_env.render import picture, rgb_array, view_of
from uno_env.render.replay_frames import player_names
from uno_env.render.sentences import Sentences
from uno_env.replay import Replay

WIN_RATE, LOW, HIGH = "eval/win_rate_vs_", "interval/low_vs_", "interval/high_vs_"
"""Beginnings of tags; the opponent's name follows."""
RATING = "eval/rating"

_STRIP = 4
"""Moments of a game in its picture."""
_WIDTH = 400
"""Pixels of each across."""
_SPECIAL = re.compile(r"[\\`*_{}\[\]()<>#|]")
"""Characters with a meaning in Markdown or HTML."""


class TensorBoardLog:
    """Writes the TensorBoard events of a run; a context manager, which closes the file.

    Args:
        config: the run's config, shown as text and as hyperparameters. Its opponents name the charts of the custom
            dashboard.
        decisions: the step at which the run begins or continues. TensorBoard hides events of later steps that an
            interrupted run wrote; those of this step are of what goes on.
    """

    def __init__(self, folder: Path, config: RunConfig, decisions: int) -> None:
        from torch.utils.tensorboard import SummaryWriter
        from torch.utils.tensorboard.summary import hparams

        self._writer = SummaryWriter(str(folder), purge_step=decisions + 1 if decisions else None)
        players = [rules.players for rules in config.all_rules()]
        labels = [label_of(name, each, len(players) > 1) for each in players for name in config.eval_against]
        self._writer.add_custom_scalars(_layout(labels))
        values = config_values(config)
        plain = {name: value if isinstance(value, int | float) else str(value) for name, value in values.items()}
        begin = hparams(plain, {})[1]  # the other two summaries would fix the tab's columns
        self._writer._get_file_writer().add_summary(begin)
        text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
        self._writer.add_text("config", "".join(f"    {line}\n" for line in text.splitlines()), decisions)

    def __enter__(self) -> Self:
        self._hook, threading.excepthook = threading.excepthook, self._keep_quiet
        return self

    def __exit__(self, error: object, *_: object) -> None:
        try:
            self._writer.close()
        except OSError:
            if error is None:
                raise
        finally:
            threading.excepthook = self._hook

    def _keep_quiet(self, failed: threading.ExceptHookArgs) -> None:
        """Ignore an OSError, such as a full disk, in the writer's thread. The next write raises it again."""
        if not isinstance(failed.exc_value, OSError):
            self._hook(failed)

    def show_figures(self, figures: Mapping[str, float], decisions: int) -> None:
        """Write scalars, given by tag."""
        for tag, figure in figures.items():
            self._writer.add_scalar(tag, figure, decisions)

    def show_evaluations(self, results: Sequence[Evaluation], decisions: int) -> None:
        """Write the results of an evaluation as a table."""
        labels = opponent_labels(results)
        rows = []
        for label, each in zip(labels, results, strict=True):
            interval = f"{each.low:.1%} to {each.high:.1%}"
            rows.append((label, f"{each.win_rate:.1%}", interval, f"{each.par:.0%}", f"{elo_difference(each):+.0f}"))
        headings = ("opponent", "win rate", "95 % interval", "par", "Elo difference")
        self._writer.add_text("eval/table", MarkdownTable("", headings, rows).markdown(), decisions)

    def show_game(self, replay: Replay, decisions: int) -> None:
        """Write a game as a picture and as text."""
        self._writer.add_image("eval/game", strip(replay), decisions, dataformats="HWC")
        self._writer.add_text("eval/game", transcript(replay), decisions)


def evaluation_figures(results: Sequence[Evaluation]) -> dict[str, float]:
    """The scalars of an evaluation, by tag."""
    figures = {}
    for label, each in zip(opponent_labels(results), results, strict=True):
        figures[WIN_RATE + label] = each.win_rate
        figures[LOW + label], figures[HIGH + label] = each.low, each.high
    if results:
        figures[RATING] = sum(map(elo_difference, results)) / len(results)
    return figures


def opponent_labels(results: Sequence[Evaluation]) -> list[str]:
    """A label for each result: the opponent's name, with the number of players if the results differ in it."""
    several = len({each.players for each in results}) > 1
    return [label_of(each.opponent, each.players, several) for each in results]


def label_of(opponent: str, players: int, several: bool) -> str:
    """Return the opponent's name. If the run has ``several`` numbers of players, ``_<n>p`` is appended."""
    return f"{opponent}_{players}p" if several else opponent


def elo_difference(result: Evaluation) -> float:
    """The agent's Elo rating minus its opponent's, estimated from the win rate by the Bradley–Terry model.

    In this model each of the n − 1 opponents at the table has strength 1 and the agent has strength w. The agent's win
    rate is then w / (w + n − 1), and the difference is 400 log10(w). A win rate of 0 or 1 is replaced by that of half a
    game won or lost.
    """
    least = 0.5 / result.games
    rate = min(max(result.win_rate, least), 1 - least)
    return 400 * math.log10(rate * (result.players - 1) / (1 - rate))


def strip(replay: Replay) -> npt.NDArray[np.uint8]:
    """Four moments of a game side by side, from the deal to the end, with all hands open: uint8 [H, W, 3]."""
    last = len(replay.game.history)
    moments = [last * place // (_STRIP - 1) for place in range(_STRIP)]
    shown, pictures, names = replay.game.start(), [], player_names(replay)
    for number, action in enumerate([*replay.game.history, None]):
        if number in moments:
            pictures += [rgb_array(picture(view_of(shown, names=names)), _WIDTH)] * moments.count(number)
        if action is not None:
            shown.step(action)
    return np.concatenate(pictures, axis=1)


def transcript(replay: Replay) -> str:
    """The events of a game as Markdown, one numbered line each; Markdown and HTML in names are escaped."""
    words = Sentences(player_names(replay), None, edition_for(replay.game.rules))
    told = [words.event(event) for event in replay.game.events] + [words.situation(view_of(replay.game))]
    lines = (_SPECIAL.sub(r"\\\g<0>", " ".join(line.split())) for line in told)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _layout(opponents: Sequence[str]) -> dict[str, Any]:
    """Charts of the dashboard of custom scalars."""
    rates = {f"win rate v {name}": ["Margin", [WIN_RATE + name, LOW + name, HIGH + name]] for name in opponents}
    learning = ("train/entropy", "rollout/value_mean", "train/explained_variance", "train/approx_kl")
    return {
        "1 strength": {**rates, "rating": ["Multiline", [RATING]]},
        "2 learning": {tag.partition("/")[2]: ["Multiline", [tag]] for tag in learning},
        "3 speed": {"decisions a second": ["Multiline", ["time/fps"]]},
    }
