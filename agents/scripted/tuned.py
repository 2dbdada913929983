"""``tuned``: a weighted sum of features that good players look at, with weights found by a search.

The score of a card is the sum of the features below times their weights; the best card is laid. The features are
grouped by the idea behind them (:data:`IDEAS`). Drawing though a card fits, and keeping a card just drawn, are scored
like cards, by a weight. Sources: the advice of guides to the game (wilds for the end, zeros hold a colour), what other
strategies here do, and what helped in the search.

The weights are data (``tuned.json``, with how they were found), in sets: for 2, for 3 and 4, and for 5 and more players
still in the match, and for RLCard's game; which set is read from the observation. They were found by ``python -m
tools.tune_weights``, CMA-ES against other strategies. What is not about cards is done as
:mod:`agents.scripted.common_play` says.
"""

from dataclasses import astuple, make_dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.scripted import observation_reader as seen
from agents.scripted.common_play import COSTLY, LAY, score_spoken
from agents.scripted.faces import COLOUR, COLOURS, EFFECT, KINDS, REVERSE, SYMBOL, is_draw, is_wild, is_wild_draw
from agents.scripted.faces import NUMBER as NUMBER_OF
from agents.scripted.follow_probability import count_hidden, follow_probability, newer_cards, unseen_twins, unseen_wilds
from agents.scripted.strategy import CARDS_OF, COLOUR_OF, KIND_OF, Scratch, best_of, list_legal
from agents.scripted.turn_effects import Turns, cards_shed, is_stop, look_round, next_to_decide, smallest_hand
from uno_env.actions import ACCEPT, CHALLENGE, DECLARE, DRAW, PASS
from uno_env.common.files import read_json, reason_of
from uno_env.common.validation import convert
from uno_env.core.arrays import Bytes, Floats
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import marked
from uno_env.core.record import switch_value

IDEAS: dict[str, tuple[str, ...]] = {
    "own colours": ("held", "share", "void", "lone"),
    "own symbols": ("twins",),
    "last cards": ("last_fits", "last_wild", "last_follow", "fits_share", "none_fits"),
    "what others can follow": ("follow", "follow_few", "follow_one", "unseen", "unsure"),
    "turns": ("again", "again_fits", "stop", "stop_few", "stop_one", "draws", "draws_few", "turn_round"),
    "wilds kept": ("wild", "wild_size", "wild_few", "four", "four_size", "four_few", "bluff", "wilds_left"),
    "numbers": ("zero", "number"),
    "drawing": ("draw", "draw_size", "keep"),
    "trades": ("shed",),
    "certain ends": ("runs_out",),
}
"""Names of the features by the idea behind them; :func:`score_card` computes them."""
FEATURES = tuple(feature for features in IDEAS.values() for feature in features)
(
    HELD, SHARE, VOID, LONE,
    TWINS,
    LAST_FITS, LAST_WILD, LAST_FOLLOW, FITS_SHARE, NONE_FITS,
    FOLLOW, FOLLOW_FEW, FOLLOW_ONE, UNSEEN, UNSURE,
    AGAIN, AGAIN_FITS, STOP, STOP_FEW, STOP_ONE, DRAWS, DRAWS_FEW, TURN_ROUND,
    WILD, WILD_SIZE, WILD_FEW, FOUR, FOUR_SIZE, FOUR_FEW, BLUFF, WILDS_LEFT,
    ZERO, NUMBER,
    DRAWING, DRAWING_SIZE, KEEP,
    SHED,
    RUNS_OUT,
) = range(len(FEATURES))  # fmt: skip

SETS = ("two", "few", "many", "rlcard")
"""Sets of weights: 2 players, 3 and 4, 5 and more, and RLCard's game."""
TWO, FEW, MANY, RLCARD = range(len(SETS))
DIALECT = seen.rule_column("dialect")
IS_RLCARD = switch_value("dialect", "rlcard")

GO_OUT_ON = seen.rule_column("go_out_on")
ON_ANY = switch_value("go_out_on", "any")

FEW_CARDS = 2
PAIR_FIRST = LAY // 10
"""Score of laying two cards together, which saves a turn."""


WEIGHTS_FILE = Path(__file__).with_suffix(".json")
_WeightSet = make_dataclass("_WeightSet", [(feature, float) for feature in FEATURES])
_Weights = make_dataclass("_Weights", [(name, _WeightSet) for name in SETS])
"""The form of a file of weights."""


def load_weights(path: Path = WEIGHTS_FILE) -> Floats:
    """The weights in a file, float64 [sets, features]. Raises ValueError if it does not hold all of them."""
    try:
        weights = np.array(astuple(convert(read_json(path)["weights"], _Weights)))
    except KeyError as error:
        raise ValueError(f"{str(path)!r} holds no weights of tuned: it lacks {error}") from None
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(f"{str(path)!r} holds no weights of tuned: {reason_of(error)}") from None
    if not np.isfinite(weights).all():
        raise ValueError(f"{str(path)!r} holds weights that are not finite")
    return weights


class DecisionFacts(NamedTuple):
    """Facts that the scores of all actions of a decision use."""

    players: int
    counts: seen.Counts
    """Coloured cards in the hand, by colour."""
    own_wilds: int
    """Wilds in the hand."""
    unseen: seen.Counts
    """Coloured cards in the draw pile and other hands, by colour."""
    wilds: int
    """Wilds there."""
    hidden: int
    """All cards there."""
    turns: Turns
    """The seats whose turn can come next."""
    following: int
    """Cards of the player whose turn comes next."""


@njit
def decide_tuned(row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``tuned`` by ``scratch.weights``, float64 [sets, features]; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    view = look(row)
    weights = scratch.weights[which_set(row, view.players)]
    for action in scratch.legal[:number]:
        if action < DRAW:
            scratch.scores[action] = score_card(row, weights, view, action)
        else:
            scratch.scores[action] = score_other(row, weights, view, action)
    return best_of(scratch, number)


@njit
def look(row: Bytes) -> DecisionFacts:
    """The facts in an observation."""
    players, counts = seen.count_players(row), seen.count_colours(row)
    coloured = counts[0] + counts[1] + counts[2] + counts[3]
    unseen = seen.count_unseen(row, 0), seen.count_unseen(row, 1), seen.count_unseen(row, 2), seen.count_unseen(row, 3)
    turns = look_round(row, players)
    return DecisionFacts(
        players,
        counts,
        seen.column(row, seen.HAND_SIZES) - coloured,
        unseen,
        unseen_wilds(row),
        count_hidden(row, players),
        turns,
        seen.column(row, seen.HAND_SIZES + turns.following),
    )


@njit
def which_set(row: Bytes, players: int) -> int:
    """The set of weights for the table."""
    if row[DIALECT] == IS_RLCARD:
        return RLCARD
    number = seen.count_in(row, players)
    if number == 2:
        return TWO
    return FEW if number <= 4 else MANY


@njit
def score_other(row: Bytes, weights: Floats, view: DecisionFacts, action: int) -> float:
    """Score of an action that lays no card in turn."""
    if action == DRAW:
        return weights[DRAWING] + weights[DRAWING_SIZE] * seen.column(row, seen.HAND_SIZES)
    if action == PASS:
        return weights[KEEP]
    if action >= DECLARE:
        seat, colour = view.turns.following, COLOUR_OF[action]
        score = score_own_colours(weights, seen.column(row, seen.HAND_SIZES), view.counts[colour])
        follow = follow_probability(row, view.hidden, view.unseen[colour], 0, view.wilds, seat, colour)
        return score + score_following(row, weights, view, seat, colour, follow)
    answer = action in (CHALLENGE, ACCEPT)
    return float(score_spoken(row, view.players, action) - (LAY if answer else 0))  # cards come before answers


@njit
def score_card(row: Bytes, weights: Floats, view: DecisionFacts, action: int) -> float:
    """Score of laying a card, or a pair."""
    kind, colour, number = KIND_OF[action], COLOUR_OF[action], CARDS_OF[action]
    left = seen.column(row, seen.HAND_SIZES) - number
    if left == 0:
        return LAY
    stops = is_stop(view.turns, kind)
    seat = next_to_decide(row, view.turns, kind, stops)
    wild = is_wild(kind)
    own_wilds = view.own_wilds - number if wild else view.own_wilds
    held = view.counts[colour] if wild else view.counts[colour] - number
    twins = 0 if wild else seen.count_symbol(row, kind) - seen.column(row, seen.HAND + kind)
    fits = held + twins + own_wilds
    shed = cards_shed(row, view.players, kind, left)
    score = (weights[SHED] * shed if shed > COSTLY else -LAY) + PAIR_FIRST * (number - 1)
    score += score_own_colours(weights, left, held) + weights[TWINS] * twins + weights[FITS_SHARE] * fits / left
    score += score_last(weights, left, fits, own_wilds)
    if seat == 0:
        if runs_out(row, view.turns, action, left, fits):
            score += weights[RUNS_OUT]
        score += weights[AGAIN] + (weights[AGAIN_FITS] if fits > 0 else 0.0)
    else:
        others = 0 if wild else unseen_twins(row, kind)
        follow = follow_probability(row, view.hidden, view.unseen[colour], others, view.wilds, seat, colour)
        score += score_following(row, weights, view, seat, colour, follow)
        if left == 1 and fits > 0:
            score += weights[LAST_FOLLOW] * follow
    return score + (score_wild(row, weights, view, kind, left) if wild else score_rank(row, weights, view, kind, stops))


@njit
def score_own_colours(weights: Floats, left: int, held: int) -> float:
    """Score of a colour that ``held`` of the ``left`` cards in the hand then have."""
    if held == 0:
        return weights[VOID]
    return weights[HELD] * held + weights[SHARE] * held / max(left, 1) + (weights[LONE] if held == 1 else 0.0)


@njit
def score_last(weights: Floats, left: int, fits: int, own_wilds: int) -> float:
    """Score of the ``left`` cards then in the hand; ``fits`` of them could follow, wilds included."""
    score = weights[WILDS_LEFT] if own_wilds > 0 else 0.0
    if fits == 0:
        return score + weights[NONE_FITS]
    if left == 1:
        return score + (weights[LAST_WILD] if own_wilds > 0 else weights[LAST_FITS])
    return score


@njit
def score_following(row: Bytes, weights: Floats, view: DecisionFacts, seat: int, colour: int, follow: float) -> float:
    """Score of leaving a colour to the player at ``seat``, who can ``follow`` with that probability."""
    size = seen.column(row, seen.HAND_SIZES + seat)
    score = weights[FOLLOW] * follow + weights[UNSEEN] * view.unseen[colour] / view.hidden
    if size <= FEW_CARDS:
        score += weights[FOLLOW_FEW] * follow
        if size == 1:
            score += weights[FOLLOW_ONE] * follow
    return score + (weights[UNSURE] if newer_cards(row, seat, colour) < size else 0.0)


@njit
def score_rank(row: Bytes, weights: Floats, view: DecisionFacts, kind: int, stops: bool) -> float:
    """Score of a rank of a coloured card."""
    if stops:
        score = weights[STOP] + (weights[DRAWS] if is_draw(kind) else 0.0)
        if view.following <= FEW_CARDS:
            score += weights[STOP_FEW] + (weights[DRAWS_FEW] if is_draw(kind) else 0.0)
        return score + (weights[STOP_ONE] if view.following == 1 else 0.0)
    if EFFECT[kind] == REVERSE:
        gap = seen.column(row, seen.HAND_SIZES + view.turns.previous) - view.following
        return weights[TURN_ROUND] * max(min(gap, 5), -5)
    return weights[ZERO] if NUMBER_OF[kind] == 0 else weights[NUMBER] * NUMBER_OF[kind]


@njit
def score_wild(row: Bytes, weights: Floats, view: DecisionFacts, kind: int, left: int) -> float:
    """Score of a wild now."""
    if is_wild_draw(kind):
        active = marked(row, seen.COLOUR, COLOURS)
        bluffs = active >= 0 and view.counts[active] > 0
        score = weights[FOUR] + weights[FOUR_SIZE] * left + (weights[BLUFF] if bluffs else 0.0)
        return score + (weights[FOUR_FEW] if view.following <= FEW_CARDS else 0.0)
    few = smallest_hand(row, view.players) <= FEW_CARDS
    return weights[WILD] + weights[WILD_SIZE] * left + (weights[WILD_FEW] if few else 0.0)


@njit
def runs_out(row: Bytes, turns: Turns, action: int, left: int, fits: int) -> bool:
    """Whether a player who moves again after an action can certainly lay the one or two cards that are left.

    Of two cards, the first must let the player move again as well. False under rules that forbid ending on an action
    card.
    """
    if left > 2 or fits == 0 or row[GO_OUT_ON] != ON_ANY:
        return False
    if left == 1:
        return True
    kind, colour = KIND_OF[action], COLOUR_OF[action]
    one, other = -1, -1
    for held in range(KINDS):
        for _ in range(seen.column(row, seen.HAND + held) - (CARDS_OF[action] if held == kind else 0)):
            one, other = held, one
    return leads_to(turns, kind, colour, one, other) or leads_to(turns, kind, colour, other, one)


@njit
def leads_to(turns: Turns, kind: int, colour: int, first: int, second: int) -> bool:
    """Whether ``first`` fits on a kind whose colour is active, gives another turn, and ``second`` fits on ``first``."""
    if not is_stop(turns, first):
        return False
    if is_wild(first):
        return not fits_on(second, kind, colour)  # else a Wild Draw Four might have to wait
    return fits_on(first, kind, colour) and fits_on(second, first, COLOUR[first])


@njit
def fits_on(kind: int, below: int, colour: int) -> bool:
    """Whether a kind can be laid on the kind ``below`` when ``colour`` is active."""
    return is_wild(kind) or COLOUR[kind] == colour or SYMBOL[kind] == SYMBOL[below]
