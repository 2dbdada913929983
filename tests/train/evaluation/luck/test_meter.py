"""train/evaluation/luck: results keep their mean, whatever the value function; the cards listed could have come."""

import zlib

import numpy as np
import pytest

import agents
from train.evaluation.duplicate import duplicate_deals, evaluate, play_deals
from train.evaluation.luck.adjusted import LuckAdjusted
from train.evaluation.luck.draws import RUNNING, check_rules, describe, list_draws, new_list, new_room, num_columns
from train.evaluation.luck.meter import LuckMeter
from train.evaluation.luck.values import FOLDER, ValueNetwork
from uno_env import BatchedGames, Rules
from uno_env.core.packed_games import rows_of, whole
from uno_env.extensive_form.position import ExtensiveForm

MINI, DUEL = Rules.preset("mini", dealer="fixed"), Rules.preset("duel")
HOUSE = Rules.preset("house", players=3, uno_call="automatic")
MANY = Rules.preset("classic", players=4, deck="edition_2018", customizable_effect="everyone_draws", renew="at_once")


def arbitrary(players, seed):
    """A value function that makes no sense, and whose values do not add up to 1."""
    weight = np.random.default_rng(seed).normal(size=(num_columns(players), players))
    return lambda rows: np.sin(rows @ weight)


def hashed(rows):
    """Another one, which is nowhere smooth."""
    return np.array([[zlib.crc32(row.tobytes() + bytes([place])) / 2**32 for place in range(2)] for row in rows])


@pytest.mark.parametrize("values", [arbitrary(2, 0), arbitrary(2, 1), hashed])
def test_on_tiny_rules_luck_is_0_in_the_mean_over_all_that_chance_can_do(values):
    """Exactly: all chance after a deal, weighted by the tree of the game, under a policy drawn at random."""
    chance, spread = np.random.default_rng(0), 0.0
    for _ in range(12):
        position = ExtensiveForm(MINI).root
        while not position.is_dealt:
            moves, weights = zip(*position.chance_moves(), strict=True)
            position = position.move(int(chance.choice(moves, p=weights)))
        outcomes = list(every_end(position, 1.0, 0.0, values))
        weight, luck, score = np.array(outcomes).T
        assert weight.sum() == pytest.approx(1)
        assert weight @ luck == pytest.approx(0, abs=1e-6)
        assert weight @ (score - luck) == pytest.approx(weight @ score, abs=1e-6)
        spread += float(weight @ luck**2)
    assert spread > 0.01, "there was no luck to be measured"


def every_end(position, weight, luck, values):
    """Probability, luck of seat 0 and its reward, of every end."""
    if position.over:
        yield weight, luck, position.rewards()[0]
        return
    action = min(position.legal_actions(), key=lambda action: zlib.crc32(f"{position.seen} {action}".encode()))
    waiting = [(position.move(action), weight, ())]
    while waiting:
        after, likely, cards = waiting.pop()
        if after.is_chance:
            waiting += [(after.move(kind), likely * share, (*cards, kind)) for kind, share in after.chance_moves()]
            continue
        meter = LuckMeter(values, MINI, 1)
        meter.add(rows_of(whole(laid(position.array.copy(), cards))), np.zeros(1, int), np.array([action]))
        assert meter.luck.sum() == pytest.approx(0)
        yield from every_end(after, likely, luck + meter.luck[0, 0], values)


def laid(array, cards):
    """The same game with some cards first in the draw pile, as many as it holds."""
    first, end = array["pile_next"].item(), array["pile_end"].item()
    pile = array["pile"][0]
    for index, kind in enumerate(cards[: end - first], first):
        there = next(place for place in range(index, end) if pile[place] == kind)
        pile[index], pile[there] = pile[there], pile[index]
    return array


def positions(rules, number, steps):
    """Games in which something is decided, and a legal action of each."""
    batch = BatchedGames(number, rules, seed=3)
    batch.reset()
    for _ in range(steps):
        actions = batch.sample_actions().copy()
        yield whole(batch.games), actions
        batch.step(actions)


@pytest.mark.parametrize("rules", [DUEL, HOUSE, MANY])
def test_the_card_that_came_leads_where_the_game_goes(rules):
    room, listed, order = new_room(), new_list(rules.players), np.zeros(8, np.int64)
    row, seats, seen = np.zeros(num_columns(rules.players), np.uint8), np.zeros(rules.players, np.int8), 0
    batch = BatchedGames(64, rules, seed=5)
    batch.reset()
    for _ in range(60):
        actions = batch.sample_actions().copy()
        before = whole(batch.games)
        batch.step(actions)
        after = whole(batch.games)
        for game in np.flatnonzero(~batch.hand_done):
            chosen = np.array([game])
            done, count = list_draws(rows_of(before), rules.record, actions, chosen, 0, room, listed)
            assert done == 1
            if not count or after["pile_end"][game] != before["pile_end"][game]:
                continue
            last = np.flatnonzero(listed.shares[:count] > 0)[-1]
            assert describe(after[game], rules.record, order, row, seats) == listed.winners[last] == RUNNING
            assert (listed.rows[last] == row).all()
            assert (listed.seats[last] == seats).all()
            assert listed.shares[:count].sum() == pytest.approx(0, abs=1e-5)
            seen += 1
    assert seen > 100


@pytest.mark.parametrize("rules", [DUEL, HOUSE, MANY])
def test_luck_is_0_in_the_mean_over_orders_of_the_pile(rules):
    """Any rules, several cards at once, drawing until one fits: within 4.5 standard errors of arbitrary values."""
    chance, tested, repeats = np.random.default_rng(1), 0, 600
    for games, actions in positions(rules, 1, 120):
        probe = LuckMeter(arbitrary(rules.players, 2), rules, 1)
        probe.add(rows_of(games), np.zeros(1, int), actions)
        if not probe.luck.any() or chance.random() < 0.6:
            continue
        many, meter = np.repeat(games, repeats), LuckMeter(arbitrary(rules.players, 2), rules, repeats)
        first, end = int(games["pile_next"][0]), int(games["pile_end"][0])
        many["pile"][:, first:end] = chance.permuted(many["pile"][:, first:end], axis=1)
        meter.add(rows_of(many), np.arange(repeats), np.repeat(actions, repeats))
        error = meter.luck.std(axis=0) / repeats**0.5
        assert (np.abs(meter.luck.mean(axis=0)) <= 4.5 * error + 1e-9).all()
        tested += 1
        if tested == 12:
            break
    assert tested > 5


def test_the_games_are_left_as_they_are():
    before, actions = next(positions(HOUSE, 8, 1))
    games = before.copy()
    LuckMeter(arbitrary(3, 0), HOUSE, 8).add(rows_of(games), np.arange(8), actions)
    assert games.tobytes() == before.tobytes()


def shipped(name):
    return ValueNetwork.load(FOLDER / f"{name}.safetensors")


def played(values, deals, seed=0, rules=DUEL):
    """Scores [deals, players] and luck [deals × players] of ``tuned`` against ``greedy``."""
    starts, seating = duplicate_deals(deals, rules.players, seed)
    meter = LuckMeter(values, rules, len(seating))
    pair = [agents.load("tuned", seed=1), agents.load("greedy", seed=2)]
    winner = play_deals(seating, pair, starts, rules, watch=meter.watch).winner
    return (winner == (seating == 0).argmax(axis=1)).reshape(deals, -1).astype(float), meter.luck[seating == 0]


@pytest.mark.thorough
def test_plain_and_corrected_results_agree_and_the_interval_holds_the_truth():
    scores, luck = played(shipped("duel-2p"), 1_500)
    means = luck.reshape(-1, 2).mean(axis=1)
    assert abs(means.mean()) < 4 * means.std() / len(means) ** 0.5
    whole_run = LuckAdjusted.of("duel-2p", scores, luck)
    assert whole_run.gain > 1.2
    parts = [LuckAdjusted.of("duel-2p", *part) for part in zip(np.split(scores, 60), np.split(luck, 60), strict=True)]
    inside = np.mean([part.low <= whole_run.win_rate <= part.high for part in parts])
    assert inside >= 0.87  # of 60 intervals of 95 % each, fewer are right once in 100 times


def test_an_evaluation_says_what_took_luck_out():
    result = evaluate("tuned", "greedy", DUEL, deals=40, luck=shipped("duel-2p"))
    plain = evaluate("tuned", "greedy", DUEL, deals=40)
    assert plain.luck is None
    assert (plain.win_rate, plain.low) == (result.win_rate, result.low)
    assert result.luck.values == "duel-2p"
    assert result.luck.low < result.luck.win_rate < result.luck.high
    assert result.to_dict()["luck"]["values"] == "duel-2p"


@pytest.mark.parametrize(("preset", "mercy"), [("no_mercy", 25), ("flip", 0), ("classic", 25)])
def test_cards_of_other_editions_are_refused_before_compiled_code_reads_them(preset, mercy):
    with pytest.raises(ValueError, match=r"^luck cannot be taken out of games with edition='\w+' and mercy="):
        LuckMeter(arbitrary(2, 0), Rules.preset(preset, players=2, mercy=mercy), 1)


def test_a_pile_that_is_renewed_early_is_refused():
    with pytest.raises(ValueError, match="luck cannot be taken out of games with dialect='rlcard'"):
        check_rules(Rules.preset("rlcard"))
    with pytest.raises(ValueError, match="discards are shuffled into its draw pile before that is empty"):
        LuckMeter(arbitrary(2, 0), Rules.preset("rlcard"), 1)
