"""A person's hands as a page shows them: :func:`kept_hands`, :func:`kept_review`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from agents.zoo.shipped import KIND, shipped_for
from train.evaluation.estimate import Estimate
from uno_env import actions as catalogue
from uno_env.common.output import one_line
from uno_env.common.phrases import Phrase
from uno_env.editions import edition_for
from uno_env.render.sentences import CATALOGUE, capital
from uno_env.replay import Replay, decisions_of
from uno_env.rules import Rules
from uno_table.hands.habits import CostlyDecision, costliest_habit
from uno_table.hands.hands_file import Hand
from uno_table.hands.measuring import choices_in_hand
from uno_table.hands.review import HandReview
from uno_table.table.agent_names import short_name
from uno_table.table.levels import LEVEL_OF, LEVELS, PLAYERS, PRESET
from uno_table.table.sentences import TABLE_SENTENCES
from uno_table.table.table_config import game_title, rules_name

_say = TABLE_SENTENCES.phrase

MOST_LATEST = 10
"""Hands that are listed."""


@dataclass(frozen=True)
class OpponentsRecord:
    """All hands against the same opponents by the same rules."""

    title: str
    """The level, or the rules and the opponents, in words for people."""
    people: tuple[str, ...]
    """The names of the others, who have faces; empty if they are not all of one level."""
    hands: int
    won: int
    rate: float
    """Win rate, from 0 to 1. A hand that nobody won counts 1 / players."""
    low: float
    high: float
    """The 95 % interval of :attr:`rate`."""
    fair: float
    """1 / players: the win rate if all were equally strong."""
    measured: int
    """Hands of which the choices are measured."""
    habit: str
    """A sentence on the habit that costs most; empty if there is none."""


@dataclass(frozen=True)
class KeptHand:
    """One hand."""

    id: str
    """Names the hand in addresses."""
    title: str
    """As of :class:`OpponentsRecord`."""
    result: str
    """``"won"``, ``"lost"``, or ``"nobody"`` if nobody won."""
    costly: int | None
    """Choices that surely cost something; None before they are measured."""


@dataclass(frozen=True)
class KeptHands:
    """All hands of a person."""

    records: tuple[OpponentsRecord, ...]
    """Levels first, the weakest at the head, then others, those of most hands at the head."""
    latest: tuple[KeptHand, ...]
    """The last hands, the newest first."""
    unmeasured: int
    """Hands whose choices are still to be measured."""
    unreadable: int
    """Lines of the file that are no hands."""


class Opponents(NamedTuple):
    """Whom a person played against, in words for people."""

    level: int
    """The place of the level among :data:`LEVELS`; their number if it was none of them."""
    title: str
    people: tuple[str, ...]
    """The names of the others at the table, from the person's left on; empty if they are not all of one level."""
    players: int


def kept_hands(hands: Sequence[Hand], unreadable: int) -> KeptHands:
    """The page's content. ``hands`` are in the order in which they were played."""
    groups: dict[Opponents, list[Hand]] = {}
    for each in hands:
        groups.setdefault(opponents_of(each), []).append(each)
    ordered = sorted(groups, key=lambda opponents: (opponents.level, -len(groups[opponents])))
    latest = tuple(map(_listed, reversed(hands[-MOST_LATEST:])))
    unmeasured = sum(each.costs is None for each in hands)
    return KeptHands(tuple(_record(each, groups[each]) for each in ordered), latest, unmeasured, unreadable)


def kept_review(hand: Hand) -> HandReview:
    """The review of a hand, with the game until the hand was over. Who has no name that is known, as the person, is
    called by the number of the seat.
    """
    game, people = hand.played(), iter(opponents_of(hand).people)
    names = ["" if seat == hand.seat else next(people, "") for seat in range(game.players)]
    return HandReview(Replay.of(game, names, title=game_title(game.rules, game.match)), hand.seat, hand.hand)


def opponents_of(hand: Hand) -> Opponents:
    """Whom a hand was played against. Agents of a level are called by its title, also by other rules.

    All words are made anew, so that a page can say them in another language than that in which the hand was kept.
    """
    rules = Rules.from_dict(hand.game["rules"])
    levels = [_level_of(agent, rules) for agent in hand.agents]
    first, players, people = levels[0], 1 + len(hand.agents), tuple[str, ...]()
    if first is not None and len(set(levels)) == 1:
        people = LEVELS[first].people[: len(levels)]
        if rules == Rules.preset(PRESET, players=PLAYERS):
            return Opponents(list(LEVELS).index(first), LEVELS[first].title, people, players)
    counts = Counter(
        _name(agent) if level is None else LEVELS[level].title for agent, level in zip(hand.agents, levels, strict=True)
    )
    names = [name if each == 1 else _say("opponents.several", number=each, name=name) for name, each in counts.items()]
    title = _say("opponents", rules=capital(rules_name(rules)), names=CATALOGUE.joined("and", names))
    return Opponents(len(LEVELS), title, people, players)


def _name(agent: str) -> str:
    """The name of an agent, which may come from a file that somebody else has written."""
    name = short_name(agent)
    return name if isinstance(name, Phrase) else one_line(name)


def _level_of(agent: str, rules: Rules) -> str | None:
    """The name of the level that an agent plays at, by the agent's name; None if it is none."""
    return LEVEL_OF.get(KIND if agent.startswith(f"{KIND}:") and agent in _best_network(rules) else agent)


@lru_cache(maxsize=64)
def _best_network(rules: Rules) -> list[str]:
    """The spec of the best shipped policy for some rules, if there is any."""
    return shipped_for(rules)[:1]


def _record(opponents: Opponents, hands: Sequence[Hand]) -> OpponentsRecord:
    number = len(hands)
    rate = Estimate.wilson(sum(each.score for each in hands) / number, number)
    judged = [each for each in hands if each.better is not None]
    decisions = [decision for each in judged for decision in _costly_decisions(each)]
    return OpponentsRecord(
        title=opponents.title,
        people=opponents.people,
        hands=number,
        won=sum(each.score == 1 for each in hands),
        rate=rate.mean,
        low=rate.low,
        high=rate.high,
        fair=1 / opponents.players,
        measured=len(judged),
        habit=costliest_habit(decisions, len(judged)) if judged else "",
    )


def _listed(hand: Hand) -> KeptHand:
    result = "won" if hand.score == 1 else "lost" if hand.score == 0 else "nobody"
    costly = None if hand.costs is None else sum(cost > 0 for cost in hand.costs)
    return KeptHand(hand.id, opponents_of(hand).title, result, costly)


def _costly_decisions(hand: Hand) -> Iterator[CostlyDecision]:
    """The choices of a measured hand that cost something."""
    if hand.costs is None or hand.better is None or not any(hand.costs):
        return
    game = hand.played()
    choices = choices_in_hand(game, hand.seat, hand.hand)
    found = dict(zip(choices, zip(hand.costs, hand.better, strict=True), strict=True))
    for number, (past, action) in enumerate(decisions_of(game)):
        cost, better = found.get(number, (0.0, ""))
        if cost > 0:
            best, edition = catalogue.parse(better, game.rules), edition_for(game.rules)
            yield CostlyDecision(past.phase, action, best, cost, edition, past.side)
