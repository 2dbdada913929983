"""What TensorBoard shows of a run, so that it tells the story by itself: :class:`TensorBoardLog`.

=============================== ====================================================================================
tag                             content
=============================== ====================================================================================
``eval/win_rate_vs_<agent>``    win rate against an opponent, on duplicate deals
``…_vs_<agent>_<n>p``           where a run has several numbers of players: at tables of n
``interval/low_vs_<agent>``     its 95 % interval, with ``interval/high_vs_<agent>``
``eval/rating``                 mean over the opponents of :func:`elo_difference`: 0 is as strong as they are
``eval/table`` (text)           the same as a table
``eval/game`` (text)            a game against the last opponent in sentences
``eval/game`` (image)           the same game: deal, a third, two thirds, end, all hands open
``rollout/…``, ``train/…``      under SB3's names; also ``rollout/value_mean``, the reward that the players expected,
                                and ``train/entropy``, in nats
``league/win_rate_vs_<member>`` the same against a member of the league, in the training games
(:mod:`train.algorithms.parts.league`)
``ray/workers``                 workers whose games an iteration learnt from, and ``ray/workers_lost``, how many have
                                been lost so far; see :mod:`train.algorithms.ray.distributed_ppo`
``time/fps``                    decisions a second, evaluations included
``config`` (text)               the config, as resolved
=============================== ====================================================================================

The dashboard *Custom scalars* has them in order: strength with its intervals, learning, speed.
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

from train.evaluation.duplicate import Evaluation
from train.runs.config import config_values
from train.runs.run_config import RunConfig
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
"""What Markdown and HTML take for more than a letter."""


class TensorBoardLog:
    """Writes a run's events.

    Args:
        folder: the run's folder.
        config: what is shown as text.
        decisions: where the run goes on; what was written after that is forgotten.
    """

    def __init__(self, folder: Path, config: RunConfig, decisions: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._writer = SummaryWriter(str(folder), purge_step=decisions or None)
        players = [rules.players for rules in config.all_rules()]
        labels = [label_of(name, each, len(players) > 1) for each in players for name in config.eval_against]
        self._writer.add_custom_scalars(_layout(labels))
        text = yaml.safe_dump(config_values(config), sort_keys=False, allow_unicode=True)
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
        """Leave out what the writer's thread says of a full disk: whoever writes next gets that error."""
        if not isinstance(failed.exc_value, OSError):
            self._hook(failed)

    def show_figures(self, figures: Mapping[str, float], decisions: int) -> None:
        """Write figures by tag."""
        for tag, figure in figures.items():
            self._writer.add_scalar(tag, figure, decisions)

    def show_evaluations(self, results: Sequence[Evaluation], decisions: int) -> None:
        """Write the results of an evaluation as a table."""
        labels = opponent_labels(results)
        lines = ["| opponent | win rate | 95 % interval | par | Elo difference |", "| --- | --- | --- | --- | --- |"]
        for label, each in zip(labels, results, strict=True):
            interval = f"{each.low:.1%} to {each.high:.1%}"
            difference = f"{elo_difference(each):+.0f}"
            lines.append(f"| {label} | {each.win_rate:.1%} | {interval} | {each.par:.0%} | {difference} |")
        self._writer.add_text("eval/table", "\n".join(lines), decisions)

    def show_game(self, replay: Replay, decisions: int) -> None:
        """Write a game as a picture, and in words."""
        self._writer.add_image("eval/game", strip(replay), decisions, dataformats="HWC")
        self._writer.add_text("eval/game", transcript(replay), decisions)


def evaluation_figures(results: Sequence[Evaluation]) -> dict[str, float]:
    """An evaluation's figures by tag."""
    figures = {}
    for label, each in zip(opponent_labels(results), results, strict=True):
        figures[WIN_RATE + label] = each.win_rate
        figures[LOW + label], figures[HIGH + label] = each.low, each.high
    if results:
        figures[RATING] = sum(map(elo_difference, results)) / len(results)
    return figures


def opponent_labels(results: Sequence[Evaluation]) -> list[str]:
    """What each result's opponent is called: its name, and where there are several, the number of players."""
    several = len({each.players for each in results}) > 1
    return [label_of(each.opponent, each.players, several) for each in results]


def label_of(opponent: str, players: int, several: bool) -> str:
    """An opponent, with the number of players where there are ``several``."""
    return f"{opponent}_{players}p" if several else opponent


def elo_difference(result: Evaluation) -> float:
    """By how many Elo points the agent is stronger than its opponent, by a win rate as Bradley and Terry would have it.

    Each of the n − 1 opponents at the table wins with weight 1, the agent with weight w: its win rate is
    w / (w + n − 1), and the difference 400 log10(w). A win rate of 0 or 1 counts as half a game won or lost.
    """
    least = 0.5 / result.games
    rate = min(max(result.win_rate, least), 1 - least)
    return 400 * math.log10(rate * (result.players - 1) / (1 - rate))


def strip(replay: Replay) -> npt.NDArray[np.uint8]:
    """Moments of a game side by side, from the deal to the end, all hands open: uint8 [H, W, 3]."""
    last = len(replay.game.history)
    moments = [last * place // (_STRIP - 1) for place in range(_STRIP)]
    shown, pictures, names = replay.game.start(), [], player_names(replay)
    for number, action in enumerate([*replay.game.history, None]):
        pictures += [rgb_array(picture(view_of(shown, names=names)), _WIDTH)] * moments.count(number)
        if action is not None:
            shown.step(action)
    return np.concatenate(pictures, axis=1)


def transcript(replay: Replay) -> str:
    """What happened in a game, an event a line, as Markdown; names are not taken for more than words."""
    words = Sentences(player_names(replay), None)
    told = [words.event(event) for event in replay.game.events] + [words.situation(view_of(replay.game))]
    lines = (_SPECIAL.sub(_escaped, " ".join(line.split())) for line in told)
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _escaped(character: re.Match[str]) -> str:
    return f"\\{character[0]}"


def _layout(opponents: Sequence[str]) -> dict[str, Any]:
    """Charts of the dashboard of custom scalars."""
    rates = {f"win rate v {name}": ["Margin", [WIN_RATE + name, LOW + name, HIGH + name]] for name in opponents}
    learning = ("train/entropy", "rollout/value_mean", "train/explained_variance", "train/approx_kl")
    return {
        "1 strength": {**rates, "rating": ["Multiline", [RATING]]},
        "2 learning": {tag.partition("/")[2]: ["Multiline", [tag]] for tag in learning},
        "3 speed": {"decisions a second": ["Multiline", ["time/fps"]]},
    }
