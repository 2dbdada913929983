"""``tuned``: a weighted sum of features that good players look at, with weights found by a search.

The score of a card is the sum of the features below times their weights; the best card is laid. The features are
grouped by the idea behind them (:data:`agents.scripted.tuned_weights.IDEAS`). Drawing though a card fits, and keeping a
card just drawn, are scored like cards, by a weight. Sources: the advice of guides to the game (wilds for the end, zeros
hold a colour), what other strategies here do, and what helped in the search.

The weights are data (``tuned.json``, with how they were found), in sets: for 2, for 3 and 4, and for 5 and more players
who are not out, the same for No Mercy, and for RLCard's game; which set is read from the observation. They were found
by ``python -m tools.tune_weights``, CMA-ES against other strategies. What is not about cards is done as
:mod:`agents.scripted.common_play` says.
"""

from typing import NamedTuple

from agents.scripted import observation_reader as seen
from agents.scripted.common_play import COSTLY, LAY, score_named, score_spoken
from agents.scripted.faces import (
    REVERSE,
    Faces,
    colour_left,
    effects_of,
    is_draw,
    is_wild,
    is_wild_draw,
    kind_of,
    rules_at,
)
from agents.scripted.follow_probability import count_hidden, follow_probability, newer_cards, unseen_twins, unseen_wilds
from agents.scripted.strategy import Scratch, best_of, list_legal
from agents.scripted.tuned_weights import FEATURES, SETS, sets_of
from agents.scripted.turn_effects import (
    DISCARD_ALL,
    Turns,
    cards_laid,
    cards_shed,
    is_roulette,
    is_stop,
    look_round,
    next_to_decide,
    smallest_hand,
    stops_everyone,
    victim_of,
)
from uno_env.core.arrays import Bytes, Floats
from uno_env.core.edition import actions_of, sizes_of
from uno_env.core.jit.njit import njit
from uno_env.core.observe.decode import marked
from uno_env.core.observe.layout import columns_of
from uno_env.core.record import switch_value

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
    THROWN, EVERYONE, DEMANDS, FULLNESS, PUTS_OUT, OVERBID, GUARDED, GUARDS,
) = range(len(FEATURES))  # fmt: skip

RLCARD = SETS.index("rlcard")
IS_RLCARD = switch_value("dialect", "rlcard")
ON_ANY = switch_value("go_out_on", "any")

FEW_CARDS = 2
PAIR_FIRST = LAY // 10
"""Score of laying two cards together, which saves a turn."""
ROULETTE_CARDS = 5
"""Cards that a Wild Colour Roulette makes a player take, about: a card in five is of the colour held most."""
FULL_HAND = 25
"""Cards of a full hand where none is put out."""


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
    guards: int
    """Draw cards in the hand, where they answer penalties of all sizes."""


@njit
def decide_tuned(faces: Faces, row: Bytes, mask: Bytes, scratch: Scratch) -> int:
    """The action of ``tuned`` by ``scratch.weights``, float64 [sets, features]; see :mod:`agents.scripted.strategy`."""
    number = list_legal(mask, scratch.legal)
    if number == 1:
        return int(scratch.legal[0])
    view = look(faces, row)
    weights = scratch.weights[which_set(faces, row, view.players)]
    for action in scratch.legal[:number]:
        if action < actions_of(faces).draw:
            scratch.scores[action] = score_card(faces, row, weights, view, action)
        else:
            scratch.scores[action] = score_other(faces, row, weights, view, action)
    return best_of(scratch, number)


@njit
def look(faces: Faces, row: Bytes) -> DecisionFacts:
    """The facts in an observation."""
    players, counts = seen.count_players(faces, row), seen.count_colours(faces, row)
    coloured = counts[0] + counts[1] + counts[2] + counts[3]
    turns = look_round(faces, row, players)
    return DecisionFacts(
        players,
        counts,
        seen.hand_size(faces, row, 0) - coloured,
        seen.count_unseen_colours(faces, row),
        unseen_wilds(faces, row),
        count_hidden(faces, row, players),
        turns,
        seen.hand_size(faces, row, turns.following),
        count_guards(faces, row) if sets_of(faces).no_mercy else 0,
    )


@njit
def count_guards(faces: Faces, row: Bytes) -> int:
    """Draw cards in the hand."""
    guards = 0
    for kind in range(sizes_of(faces).kinds):
        if faces.kind_demands[kind] > 0:
            guards += seen.held(faces, row, kind)
    return guards


@njit
def which_set(faces: Faces, row: Bytes, players: int) -> int:
    """The set of weights for the table."""
    if row[rules_at(faces).dialect] == IS_RLCARD:
        return RLCARD
    number = seen.count_in(faces, row, players)
    if number == 2:
        return sets_of(faces).two
    return sets_of(faces).few if number <= 4 else sets_of(faces).many


@njit
def score_other(faces: Faces, row: Bytes, weights: Floats, view: DecisionFacts, action: int) -> float:
    """Score of an action that lays no card in turn."""
    does = actions_of(faces)
    if action == does.draw:
        return weights[DRAWING] + weights[DRAWING_SIZE] * seen.hand_size(faces, row, 0)
    if action == does.keep:
        return weights[KEEP]
    if action >= does.declare:
        seat, colour = view.turns.following, colour_left(faces, action)
        score = score_own_colours(weights, seen.hand_size(faces, row, 0), view.counts[colour])
        follow = follow_probability(faces, row, view.hidden, view.unseen[colour], 0, view.wilds, seat, colour)
        score += score_following(faces, row, weights, view, seat, colour, follow)
        return score + score_named(faces, row, action)
    answer = action in (does.challenge, does.accept)
    return float(score_spoken(faces, row, view.players, action) - (LAY if answer else 0))  # cards come before answers


@njit
def score_card(faces: Faces, row: Bytes, weights: Floats, view: DecisionFacts, action: int) -> float:
    """Score of laying a card, a pair, or a Discard All with all that goes with it."""
    kind, colour = kind_of(faces, action), colour_left(faces, action)
    number = cards_laid(faces, row, action, kind)
    left = seen.hand_size(faces, row, 0) - number
    if left == 0:
        return LAY
    stops = is_stop(faces, view.turns, kind)
    seat = next_to_decide(faces, row, view.turns, kind, stops)
    wild = is_wild(faces, kind)
    own_wilds = view.own_wilds - number if wild else view.own_wilds
    held = seen.held_with(view.counts, colour) - (0 if wild else number)
    twins = 0 if wild else seen.count_symbol(faces, row, kind) - seen.held(faces, row, kind)
    fits = held + twins + own_wilds
    shed = cards_shed(faces, row, view.players, kind, left)
    score = (weights[SHED] * shed if shed > COSTLY else -LAY) + PAIR_FIRST * (faces.action_cards[action] - 1)
    own = score_own_colours(weights, left, held) if colour >= 0 else 0.0
    score += own + weights[TWINS] * twins + weights[FITS_SHARE] * fits / left
    score += score_last(weights, left, fits, own_wilds)
    if seat == 0:
        if runs_out(faces, row, view.turns, action, left, fits):
            score += weights[RUNS_OUT]
        score += weights[AGAIN] + (weights[AGAIN_FITS] if fits > 0 else 0.0)
    elif colour >= 0:
        others = 0 if wild else unseen_twins(faces, row, kind)
        follow = follow_probability(faces, row, view.hidden, view.unseen[colour], others, view.wilds, seat, colour)
        score += score_following(faces, row, weights, view, seat, colour, follow)
        if left == 1 and fits > 0:
            score += weights[LAST_FOLLOW] * follow
    if sets_of(faces).no_mercy:
        score += score_no_mercy(faces, row, weights, view, kind, number - faces.action_cards[action])
    if wild:
        return score + score_wild(faces, row, weights, view, kind, left)
    return score + score_rank(faces, row, weights, view, kind, stops)


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
def score_following(
    faces: Faces, row: Bytes, weights: Floats, view: DecisionFacts, seat: int, colour: int, follow: float
) -> float:
    """Score of leaving a colour to the player at ``seat``, who can ``follow`` with that probability."""
    size = seen.hand_size(faces, row, seat)
    score = weights[FOLLOW] * follow + weights[UNSEEN] * view.unseen[colour] / view.hidden
    if size <= FEW_CARDS:
        score += weights[FOLLOW_FEW] * follow
        if size == 1:
            score += weights[FOLLOW_ONE] * follow
    return score + (weights[UNSURE] if newer_cards(faces, row, seat, colour) < size else 0.0)


@njit
def score_rank(faces: Faces, row: Bytes, weights: Floats, view: DecisionFacts, kind: int, stops: bool) -> float:
    """Score of a rank of a coloured card."""
    if stops:
        score = weights[STOP] + (weights[DRAWS] if is_draw(faces, kind) else 0.0)
        if view.following <= FEW_CARDS:
            score += weights[STOP_FEW] + (weights[DRAWS_FEW] if is_draw(faces, kind) else 0.0)
        return score + (weights[STOP_ONE] if view.following == 1 else 0.0)
    if faces.kind_effect[kind] == REVERSE:
        gap = seen.hand_size(faces, row, view.turns.previous) - view.following
        return weights[TURN_ROUND] * max(min(gap, 5), -5)
    return weights[ZERO] if faces.kind_number[kind] == 0 else weights[NUMBER] * faces.kind_number[kind]


@njit
def score_wild(faces: Faces, row: Bytes, weights: Floats, view: DecisionFacts, kind: int, left: int) -> float:
    """Score of a wild now."""
    if is_wild_draw(faces, kind):
        active = marked(row, columns_of(faces).colour, sizes_of(faces).colours)
        bluffs = active >= 0 and view.counts[active] > 0
        score = weights[FOUR] + weights[FOUR_SIZE] * left + (weights[BLUFF] if bluffs else 0.0)
        return score + (weights[FOUR_FEW] if view.following <= FEW_CARDS else 0.0)
    few = smallest_hand(faces, row, view.players) <= FEW_CARDS
    return weights[WILD] + weights[WILD_SIZE] * left + (weights[WILD_FEW] if few else 0.0)


@njit
def score_no_mercy(faces: Faces, row: Bytes, weights: Floats, view: DecisionFacts, kind: int, thrown: int) -> float:
    """Score of the effects of No Mercy: ``thrown`` cards that go with it, Skip Everyone, penalties and full hands."""
    score = weights[THROWN] * thrown + (weights[EVERYONE] if stops_everyone(faces, kind) else 0.0)
    demanded = ROULETTE_CARDS if is_roulette(faces, kind) else int(faces.kind_demands[kind])
    guards = view.guards - (1 if faces.kind_demands[kind] > 0 else 0)
    score += weights[GUARDS] * min(guards, 4) + (weights[GUARDED] if guards > 0 else 0.0)
    if demanded == 0:
        return score
    at, limit = columns_of(faces), seen.column(row, rules_at(faces).mercy)
    penalty = seen.column(row, at.penalty)
    cards = seen.hand_size(faces, row, victim_of(faces, view.turns, kind)) + penalty + demanded
    fullness = min(cards / (limit if limit > 0 else FULL_HAND), 1.0)
    score += weights[DEMANDS] * demanded + weights[FULLNESS] * fullness * fullness
    if penalty > 0:
        score += weights[OVERBID] * (demanded - seen.column(row, at.penalty + 1))
    return score + (weights[PUTS_OUT] if 0 < limit <= cards else 0.0)


@njit
def runs_out(faces: Faces, row: Bytes, turns: Turns, action: int, left: int, fits: int) -> bool:
    """Return whether a player who moves again after an action can certainly lay the last one or two cards.

    Of two cards, the first must let the player move again as well. False under rules that forbid ending on an action
    card.
    """
    if left > 2 or fits == 0 or row[rules_at(faces).go_out_on] != ON_ANY:
        return False
    if left == 1:
        return True
    kind, colour = kind_of(faces, action), colour_left(faces, action)
    one, other = -1, -1
    for held in range(sizes_of(faces).kinds):
        for _ in range(cards_left(faces, row, action, kind, held)):
            one, other = held, one
    return leads_to(faces, turns, kind, colour, one, other) or leads_to(faces, turns, kind, colour, other, one)


@njit
def cards_left(faces: Faces, row: Bytes, action: int, kind: int, held: int) -> int:
    """Cards of the kind ``held`` that are left in the hand after an action that lays ``kind``."""
    if effects_of(faces).discard_all and faces.kind_effect[kind] == DISCARD_ALL:
        return 0 if faces.kind_colour[held] == faces.kind_colour[kind] else seen.held(faces, row, held)
    return seen.held(faces, row, held) - (int(faces.action_cards[action]) if held == kind else 0)


@njit
def leads_to(faces: Faces, turns: Turns, kind: int, colour: int, first: int, second: int) -> bool:
    """Return whether ``first`` fits on a kind when ``colour`` is active and gives a turn, and ``second`` fits on it."""
    if not is_stop(faces, turns, first):
        return False
    if is_wild(faces, first):
        return not fits_on(faces, second, kind, colour)  # else a Wild Draw Four might have to wait
    return fits_on(faces, first, kind, colour) and fits_on(faces, second, first, faces.kind_colour[first])


@njit
def fits_on(faces: Faces, kind: int, below: int, colour: int) -> bool:
    """Return whether a kind can be laid on the kind ``below`` when ``colour`` is active."""
    if is_wild(faces, kind) or faces.kind_colour[kind] == colour:
        return True
    return faces.kind_symbol[kind] == faces.kind_symbol[below]
