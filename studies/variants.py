"""The effects of a variant of the rules: length, the beginner, luck, comebacks, hands that never end, points."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from studies.blocks import NOT_TOLD, cell, first, holm
from studies.question import Row, StudyPart, StudyPlan, pick, row, values
from studies.snapshot import TURNS, Snapshot
from studies.tables import SECONDS, STRONG, WEAK, deals_for, kind, play_alike, play_duplicate, share, tables
from train.evaluation.estimate import Estimate
from uno_env import Rules
from uno_env.core.record import WENT_OUT

LONGEST = 3_000
"""Decisions after which a hand counts as one that never ends."""

SKILL = f"{STRONG} v {WEAK}"
"""The label of the rows of luck in place of a table: one strong player at a table of weak ones."""

MEASURES = {
    "decisions": "decisions a hand",
    "beginner": "first player's win rate",
    "skill": "a strong player's win rate among weak ones",
    "comeback": "wins from two cards behind",
    "never ended": "hands that never end",
    "points": "points of a hand",
    "minutes": "minutes a hand",
}
"""Each measure and its name on a page."""


def parts(plan: StudyPlan, question: str, variants: Mapping[str, Mapping[str, Any]]) -> list[StudyPart]:
    """For each variant and number of players: a part for each kind of table, and one for luck.

    Args:
        plan: size and seed.
        question: whose parts they are.
        variants: fields of the rules by the variant's name; ``preset`` is one of them.
    """
    found = []
    for variant, changes in variants.items():
        for players in plan.players:
            rules = rules_of(changes, players)
            fields = {"variant": variant, "players": players, "changes": tuple(changes.items())}
            name = f"{variant}-{players}".replace(" ", "-").replace(",", "")
            for spec in tables(rules):
                deals = deals_for(plan.deals, spec)
                tail = kind(spec).replace(" ", "-")
                found.append(StudyPart.of(plan, question, f"{name}-{tail}", **fields, table=spec, hands=deals))
            found.append(
                StudyPart.of(plan, question, f"{name}-skill", **fields, table=SKILL, hands=max(2, plan.deals // 2))
            )
    return found


def rules_of(changes: Mapping[str, Any], players: int) -> Rules:
    """The rules of a variant: the classic game, but for its changes; they count points."""
    scored = {"scoring": "winner_takes", "max_decisions": LONGEST, "players": players}
    return Rules.preset(str(changes.get("preset", "classic")), **{**_without_preset(changes), **scored})


def _without_preset(changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in changes.items() if name != "preset"}


def measure(part: StudyPart) -> list[Row]:
    """The rows of a variant at a table."""
    rules, players = rules_of(dict(part["changes"]), part["players"]), part["players"]
    labels = {"variant": part["variant"], "players": players}
    if part["table"] == SKILL:
        scores = play_duplicate(STRONG, WEAK, rules, part["hands"], part.seed)
        return [row("skill", Estimate.of(scores.mean(axis=1)).share(), **labels, table=SKILL)]
    labels |= {"table": kind(part["table"]), "spec": part["table"]}
    middle = Snapshot(TURNS * players, part["hands"], rules)
    played = play_alike(part["table"], rules, part["hands"], part.seed, watch=middle)
    samples = {
        "decisions": played.length.astype(float),
        "beginner": (played.winner == played.starter).astype(float),
        "never ended": (played.end != WENT_OUT).astype(float),
        "points": played.points.sum(axis=1).astype(float),
        "minutes": played.length * SECONDS / 60,
        "comeback": comebacks(middle, played.winner),
    }
    shares = {"beginner", "never ended", "comeback"}
    return [
        row(name, share(each) if name in shares else Estimate.of(each), **labels)
        for name, each in samples.items()
        if len(each) > 1
    ]


def comebacks(middle: Snapshot, winner: Any) -> Any:
    """The share of comebacks: wins of players who held two cards more than the player with the fewest, float64 [hands].

    Only hands with such a player count. Of several in a hand, each counts alike, and the hand counts once.
    """
    sizes = middle.sizes
    behind = middle.reached[:, None] & (sizes == sizes.min(axis=1, keepdims=True) + 2)
    won = behind & (winner[:, None] == np.arange(sizes.shape[1]))
    number = behind.sum(axis=1)
    return won.sum(axis=1)[number > 0] / number[number > 0]


def value(rows: Sequence[Row], measure: str, **labels: Any) -> Row | None:
    """The row of a measure at a table; luck stands at a table of its own."""
    if measure == "skill":
        labels["table"] = SKILL
    return first(pick(rows, measure=measure, **labels))


def compared(rows: Sequence[Row], measure: str, base: str, differences: bool, **labels: Any) -> dict[str, str]:
    """A cell for each variant: its value, or the difference to ``base`` if that is asked for; whatever does not differ
    from ``base`` by Holm's method is called not told apart."""
    found = {name: each for name in values(rows, "variant") if (each := value(rows, measure, variant=name, **labels))}
    if base not in found:
        return {name: shown(measure, each) for name, each in found.items()}
    gaps = {name: difference(each, found[base]) for name, each in found.items() if name != base}
    told = dict(zip(gaps, holm(list(gaps.values())), strict=True))
    cells = {name: shown(measure, each) for name, each in found.items()}
    for name, gap in gaps.items():
        if differences:
            cells[name] = shown(measure, gap, "+") if told[name] else NOT_TOLD
        elif not told[name]:
            cells[name] += f" ({NOT_TOLD})"
    return cells


def difference(one: Row, other: Row) -> Row:
    """The difference of two independent rows, as a row."""
    halves = [(each["high"] - each["low"]) / 2 for each in (one, other)]
    mean, half = one["mean"] - other["mean"], float(np.hypot(*halves))
    return {"mean": mean, "low": mean - half, "high": mean + half}


def shown(measure: str, each: Row | None, sign: str = "") -> str:
    """A row as a cell: shares in per cent, all others as they are."""
    if measure in ("decisions", "points", "minutes"):
        return cell(each, 1, sign, scale=1)
    return cell(each, 2 if measure == "never ended" else 1, sign)
