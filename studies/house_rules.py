"""The effects of house rules, each alone and all together: length, beginner, luck, comebacks, hands that never end."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies import variants
from studies.blocks import NUMBERS, about, bars, first, holm, table
from studies.question import Row, StudyPage, StudyPart, StudyPlan, StudyQuestion, pick, values
from studies.snapshot import TURNS
from studies.tables import STRONG, WHO
from studies.variants import LONGEST, MEASURES, SKILL, compared, difference, measure

BASE = "classic"
ALL = "the house rules together"
FEWER_QUESTIONS = "nobody need call UNO"
"""A rule under which hands are no shorter, but have fewer decisions: nobody is asked to call or to catch."""
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
    FEWER_QUESTIONS: {"uno_call": "automatic"},
    "no action card as the last": {"go_out_on": "not_action"},
    ALL: {"preset": "house"},
}
"""Each variant's changes of the classic rules."""

COLUMNS = ("decisions", "beginner", "skill", "comeback", "never ended")


def parts(plan: StudyPlan) -> list[StudyPart]:
    """A part for each variant, number of players and kind of table, and for luck."""
    return variants.parts(plan, "house_rules", HOUSE)


def page(rows: Sequence[Row]) -> StudyPage:
    """The page, from rows alone."""
    counts = values(rows, "players")
    middle = 4 if 4 in counts else counts[-1]
    ranked = _ranked(rows, middle)
    figure = bars(
        {name: difference(each, _length(rows, BASE, middle)) for name, each in ranked if name != BASE},
        "decisions a hand more than under the classic rules",
        null=0,
    )
    caption = f"What each house rule does to the length of a hand, {middle} players, `{STRONG}` at all seats."
    order = [name for name, _ in ranked]
    sections = [_section(rows, order, players) for players in counts]
    text = "\n\n".join(["{figure:length}", _LEGEND, *sections, *_others(rows, order)])
    return StudyPage(_summary(rows, ranked, middle), text, {"length": figure}, {"length": caption})


_LEGEND = f"""{WHO}

The row "{BASE}" has the figures of the classic game. Every other row says what a rule adds to them or takes away. The
tables are sorted by the length of a hand among four players.

- *Decisions* include answers. Under the rule "{FEWER_QUESTIONS}" nobody is asked to call. So a hand has fewer
  decisions, but not fewer turns.
- The *first player* is the one who decides first.
- The *strong player* is one `{STRONG}` among `random-play`, on duplicate deals. A lower figure means more luck.
- *Two cards behind* is a player who holds two cards more than the player with the fewest, after about {TURNS} decisions
  of each player.
- A hand *never ends* if it takes more than {LONGEST:,} decisions.

Shares are in per cent. Holm's method over a column says which differences from the classic game are clear."""


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
    texts = ["## Does it depend on who plays?", "Decisions a hand with other players."]
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
    others = [(name, difference(each, base)) for name, each in ranked if name not in (BASE, FEWER_QUESTIONS)]
    clear = [(name, gap) for (name, gap), told in zip(others, holm([gap for _, gap in others]), strict=True) if told]
    longer = [(name, gap) for name, gap in clear if gap["mean"] > 0 and name != ALL][:2]
    shorter = [(name, gap) for name, gap in reversed(clear) if gap["mean"] < 0]
    together = dict(clear).get(ALL)
    findings = [
        f"**Drawing makes hands long.** Under the classic rules, a hand of {NUMBERS[players]} good players takes "
        f"{about(base, 1)} decisions."
    ]
    findings[0] += f" With all the house rules together, it takes {about(together, 1)} more." if together else ""
    findings[0] += "".join(f" The rule *{name}* alone adds {about(gap, 1)}." for name, gap in longer)
    if shorter:
        most, gap = shorter[0]
        findings.append(f"**Few rules make a hand shorter.** The rule *{most}* saves most: {about(gap, 1)} decisions.")
    same = [f"*{name}*" for name, _ in others if name not in dict(clear)]
    if same:
        findings.append(f"**Some rules make no clear difference to the length:** {', '.join(same)}.")
    mixed, alone = (first(pick(rows, variant=name, players=players, table=SKILL)) for name in (ALL, BASE))
    if mixed and alone:
        findings.append(_skill(mixed, alone))
    return "\n\n".join(findings)


def _skill(together: Row, alone: Row) -> str:
    """A sentence about luck with the house rules together and without."""
    gap = difference(together, alone)
    if not holm([gap])[0]:
        return "**Luck counts as much with the house rules as without:** there is no clear difference."
    more = "more" if gap["mean"] < 0 else "less"
    return (
        f"**The house rules together leave a little {more} to luck.** A strong player among weak ones wins "
        f"{about(together)} of 100 hands with them, and {about(alone)} under the classic rules."
    )


QUESTION = StudyQuestion(
    name="house_rules",
    title="What do house rules do?",
    at_the_table="If you want short hands, leave out *draw until a card fits*.",
    parts=parts,
    measure=measure,
    page=page,
)
