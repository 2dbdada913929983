"""Bluffs and challenges: what is solved, what is counted, and signs that are known."""

import numpy as np
import pytest

from studies.bluffing import games
from studies.bluffing.exact import decisions, exploitability, policies, purified, sequence_policy, solved, tiny_rules
from studies.bluffing.learned import BINS, frequencies
from studies.bluffing.reach import reach
from studies.habits import FOURS
from studies.question import pick
from tests.uno_env.extensive_form.test_game_tree import MIXED
from tests.uno_env.extensive_form.test_game_tree import decisions as all_decisions
from train.evaluation.exact.measure import measure, uniform_policy
from uno_env import Rules
from uno_env.actions import CHALLENGE
from uno_env.extensive_form import ExtensiveForm, Position
from uno_env.extensive_form.game_tree import grow


@pytest.fixture(scope="module")
def solution():
    """The tree and the solution of the smallest deck."""
    return solved(tiny_rules("two ranks"), 40)


def test_an_equilibrium_cannot_be_beaten_and_its_changed_habits_can(solution) -> None:
    lost = {name: exploitability(solution[0], policy) for name, policy in policies(*solution).items()}
    assert 0 <= lost["equilibrium"] < 0.1
    assert lost["never challenge"] > 2, "who never challenges invites bluffs"
    assert lost["always bluff"] > 3, "who always bluffs is challenged"
    assert lost["never bluff"] > 1, "and who never does gives chances away"
    assert lost["equilibrium"] < lost["bluff half the time"] < lost["always bluff"]
    assert lost["equilibrium"] < lost["challenge half the time"] < lost["never challenge"]


def test_policies_are_distributions_over_what_is_legal(solution) -> None:
    tree, policy = solution
    for each in policies(tree, policy).values():
        assert each.sum(axis=1) == pytest.approx(np.ones(len(each)))
        assert (each[tree.masks() == 0] == 0).all()
    pure = policies(tree, policy)["never mix over bluffs and challenges"]
    asked = decisions(tree)
    where = asked["bluff"] | asked["challenge"]
    assert asked["bluff"].any()
    assert asked["challenge"].any()
    assert (pure[where].max(axis=1) == 1).all()
    assert (pure[~where] == policy[~where]).all()


def test_states_are_reached_as_often_as_positions() -> None:
    tree = grow(MIXED)
    often = np.zeros(len(tree))
    for position, share in all_decisions(ExtensiveForm(MIXED).root):
        often[tree.find(position)] += share
    assert reach(tree, uniform_policy(tree)) == pytest.approx(often)


def test_states_are_reached_as_often_as_their_branches_say(solution) -> None:
    tree, policy = solution
    often = reach(tree, sequence_policy(tree, policy))
    laid = (often * policy[:, FOURS].sum(axis=1)).sum()
    challenged = often[tree.masks()[:, CHALLENGE] != 0].sum()
    assert 0.9 * laid < challenged <= laid, "each Wild Draw Four can be challenged, but after the last decision"
    assert often[decisions(tree)["challenge"]].sum() < challenged, "who has gone out is challenged in vain"
    never = policies(tree, policy)["never bluff"]
    assert never[decisions(tree)["bluff"], FOURS].sum() == 0


def test_decisions_are_counted_once_and_in_bins() -> None:
    rows = list(frequencies("random-play", Rules.preset("classic", players=2), 200, 0))
    for counted, splits in {"bluffed": ("hand", "colour"), "challenged": ("hand", "seen")}.items():
        (every,) = pick(rows, measure=counted, by="all")
        assert 0.05 < every["low"] < every["mean"] < every["high"] < 0.95
        for by in splits:
            bins = pick(rows, measure=counted, by=by)
            assert {each["at"] for each in bins} <= set(BINS[by])
            assert every["n"] - 20 <= sum(each["n"] for each in bins) <= every["n"], "a few bins are too small"
    (challenged,), (guilty,) = (pick(rows, measure=name, by="all") for name in ("challenged", "guilty"))
    assert challenged["n"] == guilty["n"]
    (bluffed,) = pick(rows, measure="bluffed", by="all")
    hits = [round(each["mean"] * each["n"]) for each in (bluffed, guilty)]
    assert hits[0] == hits[1] > 50, "every bluff can be challenged once, for who bluffs still holds a card"
    assert challenged["low"] < 0.5 < challenged["high"], "who plays at random challenges by tossing a coin"


def test_who_keeps_wilds_is_seldom_guilty() -> None:
    rows = list(frequencies("save-wilds", Rules.preset("classic", players=2), 100, 0))
    (bluffed,) = pick(rows, measure="bluffed", by="all")
    assert bluffed["mean"] == 0
    assert 0 < bluffed["high"] < 0.1, "none of many, and the interval says so"


def test_games_are_listed_with_what_a_player_that_sees_all_hands_wins(tmp_path, capsys) -> None:
    games.main(["mini", "--sees-all", "--folder", str(tmp_path)])
    header, rule, line = capsys.readouterr().out.splitlines()
    assert header.count("|") == rule.count("|") == line.count("|") == 8
    game, iterations, lost, pure, bluffs, challenges, sees_all = line.strip("| ").split(" | ")
    assert (game, bluffs, challenges) == ("mini", "–", "–")
    assert int(iterations) % 20 == 0
    assert 0 <= float(lost) <= 2e-5 < 0.0005 < float(pure)
    assert 51 < float(sees_all.removesuffix(" %")) < 60, "half without seeing"


def test_a_player_that_sees_all_hands_plays_best_at_each_position() -> None:
    """The positions of the tree one by one, where nothing is hidden from seat 0."""
    rules = Rules.preset("mini", deck="r1 r2 b1 b2 w", hand_size=1, max_decisions=5, voluntary_draw=True)
    tree, policy = solved(rules, 20)

    def value(position: Position) -> float:
        if position.over:
            return position.rewards()[0]
        if position.is_chance:
            return sum(share * value(position.move(move)) for move, share in position.chance_moves())
        after = {action: value(position.move(action)) for action in position.legal_actions()}
        if position.to_move == 0:
            return max(after.values())
        return sum(policy[tree.find(position), action] * worth for action, worth in after.items())

    best = value(ExtensiveForm(rules).root)
    sequences = sequence_policy(tree, policy)
    assert games.win_rate_of_seer(tree, sequences) == pytest.approx((1 + best) / 2, abs=1e-12)
    assert best > measure(tree, sequences).best_responses[0] + 0.01, "it is worth something"


def test_solutions_are_purified_and_counted_as_in_tables(solution) -> None:
    tree, table = solution
    policy = sequence_policy(tree, table)
    pure = tree.spread(games.purified_sequences(tree, policy))
    assert (pure == purified(table, np.ones(len(tree), bool))).all()
    often, asked = reach(tree, policy), decisions(tree)
    for said, question, share in zip(
        games.shares_of(tree, policy), ("bluff", "challenge"), (table[:, FOURS].sum(axis=1), table[:, CHALLENGE]),
        strict=True,
    ):  # fmt: skip
        weights = often * asked[question]
        assert said == f"{100 * weights @ share / weights.sum():.0f} %"
