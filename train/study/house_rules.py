"""What house rules do, each alone and all together: length, beginner, luck, comebacks, hands that never end."""

from collections.abc import Mapping, Sequence
from typing import Any

from train.study import variants
from train.study.blocks import NUMBERS, bars, cell, first, holm, table
from train.study.question import Page, Part, Question, Row, StudyPlan, pick, values
from train.study.snapshot import TURNS
from train.study.tables import STRONG, WHO
from train.study.variants import LONGEST, MEASURES, SKILL, compared, difference, measure

BASE = "classic"
HOUSE: Mapping[str, Mapping[str, Any]] = {
    BASE: {},
    "draw until a card fits": {"draw": "until_playable"},
    "play the card just drawn": {"after_draw": "must_play"},
    "stack Draw Two on Draw Two": {"stacking": "same"},
    "stack any draw card": {"stacking": "any"},
    "seven swaps, zero passes on": {"seven_zero": True},
    "jump in": {"jump_in": True},
    "slap on a six": {"six_smackdown": True},
    "two equal cards at once": {"double_play": True},
    "Wild Draw Four at any time": {"wild_draw_four": "free"},
    "Wild Draw Four only when nothing fits": {"wild_draw_four": "restricted"},
    "nobody need call UNO": {"uno_call": "automatic"},
    "no action card as the last": {"go_out_on": "not_action"},
    "the house rules together": {"preset": "house"},
}
"""Each variant's changes of the classic rules."""

COLUMNS = ("decisions", "beginner", "skill", "comeback", "never ended")


def parts(plan: StudyPlan) -> list[Part]:
    """A part for each variant, number of players and kind of table, and for luck."""
    return variants.parts(plan, "house_rules", HOUSE)


def page(rows: Sequence[Row]) -> Page:
    """The page, from rows alone."""
    counts = values(rows, "players")
    middle = 4 if 4 in counts else counts[-1]
    ranked = _ranked(rows, middle)
    figure = bars(
        {name: difference(each, _length(rows, BASE, middle)) for name, each in ranked if name != BASE},
        "decisions a hand more than by the classic rules",
        null=0,
    )
    caption = f"What each house rule does to the length of a hand, {middle} players, `{STRONG}` at all seats."
    order = [name for name, _ in ranked]
    sections = [_section(rows, order, players) for players in counts]
    text = "\n\n".join(["{figure:length}", _LEGEND, *sections, *_others(rows, order)])
    return Page(_summary(rows, ranked, middle), text, {"length": figure}, {"length": caption})


_LEGEND = f"""{WHO}

The row of the classic game says what it is like; all others say what a rule adds to it or takes away. The tables are
sorted by the length of a hand among four. "Beginner's win rate" is that of whoever decides first. The strong player is
one `{STRONG}` among `random-play`, on duplicate deals: the lower the figure, the more is luck. "Wins from two cards
behind" is how often somebody wins who, when each has been asked about {TURNS} times, holds two cards more than the one
with the fewest. A hand never ends if it takes more than {LONGEST:,} decisions. Shares are in per cent. What does not
differ from the classic game by Holm's method over the column is called not told apart."""


def _length(rows: Sequence[Row], variant: str, players: int) -> Row:
    return pick(rows, variant=variant, players=players, table=STRONG, measure="decisions")[0]


def _ranked(rows: Sequence[Row], players: int) -> list[tuple[str, Row]]:
    named = [(name, _length(rows, name, players)) for name in values(rows, "variant")]
    return sorted(named, key=lambda item: -item[1]["mean"])


def _section(rows: Sequence[Row], order: Sequence[str], players: int) -> str:
    columns = [compared(rows, name, BASE, True, players=players, table=STRONG) for name in COLUMNS]
    lines = [[name, *(column.get(name, "–") for column in columns)] for name in order]
    return f"## {players} players\n\n{table(['rule', *(MEASURES[name] for name in COLUMNS)], lines)}"


def _others(rows: Sequence[Row], order: Sequence[str]) -> list[str]:
    """The tables of other players than the strong scripted one: does the answer depend on who plays?"""
    texts = ["## Does it depend on who plays?", "Decisions a hand, when others sit at the table."]
    counts = values(rows, "players")
    for who in [name for name in values(rows, "table") if name not in (STRONG, SKILL)]:
        there = [players for players in counts if pick(rows, players=players, table=who)]
        columns = [compared(rows, "decisions", BASE, True, players=players, table=who) for players in there]
        lines = [
            [name, *(column.get(name, "–") for column in columns)]
            for name in order
            if any(name in column for column in columns)
        ]
        texts.append(f"**{who}**\n\n{table([who, *(f'{players} players' for players in there)], lines)}")
    return texts


def _summary(rows: Sequence[Row], ranked: Sequence[tuple[str, Row]], players: int) -> str:
    base = _length(rows, BASE, players)
    others = [(name, each) for name, each in ranked if name != BASE]
    told = holm([difference(each, base) for _, each in others])
    gaps = [(name, difference(each, base)) for (name, each), yes in zip(others, told, strict=True) if yes]
    longer = [f"{name} ({cell(gap, 1, '+', 1)})" for name, gap in gaps if gap["mean"] > 0][:3]
    shorter = [f"{name} ({cell(gap, 1, '+', 1)})" for name, gap in reversed(gaps) if gap["mean"] < 0][:3]
    sentences = [
        f"Among {NUMBERS[players]} good players a hand by the classic rules takes {cell(base, 1, scale=1)} decisions."
    ]
    sentences += [f"What makes it longer: {', '.join(longer)}."] if longer else []
    sentences += [f"What makes it shorter: {', '.join(shorter)}."] if shorter else []
    left = len(told) - sum(told)
    sentences += [f"{left} of the {len(told)} rules are not told apart from none, in length."] if left else []
    together, alone = (
        first(pick(rows, variant=name, players=players, table=SKILL)) for name in ("the house rules together", BASE)
    )
    if together and alone:
        word = "not told apart from" if not holm([difference(together, alone)])[0] else (
            "more than" if together["mean"] > alone["mean"] else "less than")  # fmt: skip
        sentences.append(
            f"With the house rules together a strong player among weak ones wins {cell(together)} %, {word} the "
            f"{cell(alone)} % of the classic game."
        )
    return " ".join(sentences)


QUESTION = Question(name="house_rules", title="What do house rules do?", parts=parts, measure=measure, page=page)
