"""The worth of the deal: the seat, the first card, and the cards in hand at the start and in the middle."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from studies.blocks import NUMBERS, about, bars, cell, first, grid, holm, table
from studies.editions.official import BASE, EDITIONS
from studies.question import Row, StudyPage, StudyPart, StudyPlan, StudyQuestion, pick, row, values
from studies.regression import FEWER, ON_TURN, features, fit
from studies.snapshot import TURNS, Snapshot
from studies.tables import STRONG, WHO, deals_for, kind, play_alike, share, tables
from studies.variants import rules_of
from uno_env.cards import NUM_KINDS, is_wild, word_of

RULES: Mapping[str, Mapping[str, Any]] = {**EDITIONS, "house": {"preset": "house"}}
FIRST_CARDS = ("number", "Skip", "Reverse", "Draw Two", "Wild")
OUTCOMES = ("wins", "points")


def parts(plan: StudyPlan) -> list[StudyPart]:
    """A part for each edition, number of players and kind of player."""
    found = []
    for edition, changes in RULES.items():
        for players in plan.players:
            for spec in tables(rules_of(changes, players)):
                labels = {"edition": edition, "players": players, "spec": spec, "hands": deals_for(plan.deals, spec)}
                found.append(
                    StudyPart.of(plan, "deal", f"{edition}-{players}-{kind(spec).replace(' ', '-')}", **labels)
                )
    return found


def measure(part: StudyPart) -> list[Row]:
    """Measure the wins by seat and first card, and the worth of cards."""
    players, number = part["players"], part["hands"]
    rules = rules_of(RULES[part["edition"]], players)
    start, middle = Snapshot(0, number, rules), Snapshot(TURNS * players, number, rules)

    def watch(*seen: Any) -> None:
        start(*seen)
        middle(*seen)

    played = play_alike(part["spec"], rules, number, part.seed, watch=watch)
    labels = {name: part[name] for name in ("edition", "players", "spec")} | {"table": kind(part["spec"])}
    place = (played.winner - start.dealer - 1) % players
    rows = [
        row("beginner", share((played.winner == played.starter).astype(float)), **labels),
        *(
            row("seat", share(((place == index) & (played.winner >= 0)).astype(float)), **labels, seat=index + 1)
            for index in range(players)
        ),
    ]
    lay = _first_cards(start.top)
    for index, name in enumerate(FIRST_CARDS):
        if (lay == index).sum() > 1:
            left = ((place == 0) & (played.winner >= 0)).astype(float)[lay == index]
            rows.append(row("left of the dealer", share(left), **labels, first_card=name))
    won = (played.winner[:, None] == np.arange(players)).astype(float)
    outcomes = {"wins": won, "points": played.points.astype(float)}
    for moment, seen, chosen in (("start", start, lay != DRAW_TWO_FIRST), ("middle", middle, middle.reached)):
        if chosen.sum() > 1:
            rows += _worth(seen, chosen, moment, outcomes, labels)
    return rows


DRAW_TWO_FIRST = FIRST_CARDS.index("Draw Two")
_WORDS = ["Wild" if is_wild(kind) else word_of(kind) for kind in range(NUM_KINDS)]
FIRST_CARD_OF = np.array([FIRST_CARDS.index(word) if word in FIRST_CARDS else 0 for word in _WORDS])


def _first_cards(top: Any) -> Any:
    """Index into FIRST_CARDS of each top card."""
    return FIRST_CARD_OF[top]


def _worth(
    seen: Snapshot, chosen: Any, moment: str, outcomes: Mapping[str, Any], labels: Mapping[str, Any]
) -> list[Row]:
    held = features(seen, chosen, moment == "start")
    return [
        row("worth", estimate, **labels, moment=moment, outcome=outcome, card=card)
        for outcome, reached in outcomes.items()
        if (outcome, moment) != ("points", "middle")
        for card, estimate in fit(held, reached[chosen]).items()
    ]


def page(rows: Sequence[Row]) -> StudyPage:
    """The page, from rows alone."""
    counts = values(rows, "players")
    middle = 4 if 4 in counts else counts[-1]
    worth = pick(rows, measure="worth", edition=BASE, players=middle, table=STRONG, outcome="wins")
    named = {row["card"]: row for row in pick(worth, moment="start")}
    figure = bars(named, f"points of win rate, {middle} players, 1971", null=0, scale=100)
    caption = f"What a card in the starting hand is worth in place of a number from 1 to 9, `{STRONG}` at all seats."
    text = "\n\n".join(
        ["{figure:cards}", WHO, _beginners(rows), _seats(rows), _first_card_table(rows), *_cards(rows, middle)]
    )
    return StudyPage(_summary(rows, worth, middle), text, {"cards": figure}, {"cards": caption})


def _par(each: Row) -> Row:
    """The difference of a share from that of chance."""
    par = 1 / each["players"]
    return {**each, **{name: each[name] - par for name in ("mean", "low", "high")}}


def _beginners(rows: Sequence[Row]) -> str:
    begin = [{**_par(each), "rules": f"{each['edition']}, {each['table']}"} for each in pick(rows, measure="beginner")]
    return (
        "## What does playing first add?\n\nThe table says how much more often the first player wins than by "
        f"chance, in points of win rate.\n\n{grid(begin, 'rules', 'players')}"
    )


def _seats(rows: Sequence[Row]) -> str:
    seats = pick(rows, measure="seat", edition=BASE, table=STRONG)
    counts = values(seats, "players")
    lines = [
        [str(seat), *(cell(first(pick(seats, players=players, seat=seat))) for players in counts)]
        for seat in range(1, max(counts) + 1)
    ]
    headings = ["seats left of the dealer", *(f"{players} players" for players in counts)]
    return (
        f"## Seats\n\nThe table says how many per cent of the hands each seat wins ({BASE}, `{STRONG}`). The last seat "
        f"is the dealer.\n\n{table(headings, lines)}"
    )


def _first_card_table(rows: Sequence[Row]) -> str:
    cards = [_par(each) for each in pick(rows, measure="left of the dealer", edition=BASE, table=STRONG)]
    return (
        "## The first card\n\nThe table says how much more often the player left of the dealer wins than by "
        f"chance, in points of win rate. It depends on the card that is turned up first ({BASE}, `{STRONG}`).\n\n"
        f"{grid(cards, 'first_card', 'players')}"
    )


def _cards(rows: Sequence[Row], players: int) -> list[str]:
    worth = pick(rows, measure="worth")
    wins, points = (pick(worth, outcome=outcome) for outcome in OUTCOMES)
    base = {"edition": BASE, "table": STRONG}
    here = pick(wins, players=players, moment="start")
    who = f"{BASE}, `{STRONG}`"
    turns = f"after about {TURNS} decisions of each player"
    return [
        "## Cards at the start",
        f"The table says how many points of win rate a card adds if it replaces a number from 1 to 9 ({who}).",
        grid(pick(wins, moment="start", **base), "card", "players"),
        "## Cards in the middle",
        f"The same in the middle of a hand, {turns} ({who}).",
        grid(pick(wins, moment="middle", **base), "card", "players"),
        f"## Under other rules\n\nAt the start, {players} players, `{STRONG}`.",
        grid(pick(here, table=STRONG), "card", "edition"),
        f"## With other players\n\nAt the start, {players} players, {BASE}.",
        grid(pick(here, edition=BASE), "card", "table"),
        f"## For points\n\nThe table says how many points of a hand a card at the start adds ({who}).",
        grid(pick(points, moment="start", **base), "card", "players", scale=1),
    ]


def _told_apart(rows: Sequence[Row]) -> list[Row]:
    """The rows of a grid that clearly differ from 0."""
    return [each for each, told in zip(rows, holm(rows), strict=True) if told]


def _summary(rows: Sequence[Row], worth: Sequence[Row], players: int) -> str:
    findings = []
    cards_worth = pick(rows, measure="worth", edition=BASE, table=STRONG, outcome="wins", moment="start")
    told = [each for each in pick(_told_apart(cards_worth), players=players) if each["card"] != ON_TURN]
    told.sort(key=lambda each: -float(each["mean"]))
    if len(told) > 2:
        best, second, third = told[:3]
        findings.append(
            f"**Wild cards are the best cards to be dealt.** Suppose you get a {best['card']} instead of a number "
            f"card. With {NUMBERS[players]} players, you then win {about(best)} more of 100 hands. A "
            f"{second['card']} brings {about(second)}. "
            f"All other cards bring far less: a {third['card']} brings {about(third)}."
        )
    begin = pick(_told_apart([_par(each) for each in pick(rows, measure="beginner")]), edition=BASE, table=STRONG)
    if begin:
        low, high = (end(begin, key=lambda each: float(each["mean"])) for end in (min, max))
        findings.append(
            f"**Playing first helps a little.** The first player wins {100 * low['mean']:.1f} more of 100 hands with "
            f"{NUMBERS[low['players']]} players, and {100 * high['mean']:.1f} more with {NUMBERS[high['players']]}. "
            "Other tables lie in between."
        )
    fewer = first(pick(worth, moment="middle", card=FEWER))
    if fewer and holm([fewer])[0]:
        findings.append(
            "**A lead of one card is small.** In the middle of a hand, a player with one card fewer wins "
            f"{about(fewer)} more of 100 hands."
        )
    return "\n\n".join(findings)


QUESTION = StudyQuestion(
    name="deal",
    title="What is the deal worth?",
    at_the_table="Keep your wild cards, and let anybody begin: playing first adds little.",
    parts=parts,
    measure=measure,
    page=page,
)
