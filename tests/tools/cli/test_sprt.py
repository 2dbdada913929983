"""tools/cli/sprt.py: the answers, their error rates, and the ratio they rest on."""

import math

import numpy as np
import pytest

from tools.cli.sprt import PROGRAM, Sprt, log_likelihood_ratio, play_until_told_apart, sprt_sentence
from train.evaluation.lineups import make_lineups
from train.evaluation.tournament import Plan
from uno_env import Rules

SCORES = np.array([0, 0.25, 0.5, 0.75, 1])
EVEN = np.array([0.2, 0.02, 0.56, 0.02, 0.2])


def decide(rng, shift, sprt, most=30_000, step=100):
    """The answer on deals whose mean score is 1/2 + shift."""
    chances = EVEN + np.array([-shift, 0, 0, 0, shift])
    for _ in range(most // step):
        sprt.add(rng.choice(SCORES, step, p=chances))
        if sprt.verdict() is not None:
            break
    return sprt.verdict()


def test_a_test_answers_who_is_better_or_that_neither_is():
    rng = np.random.default_rng(0)
    for shift, verdict, better in ((0.1, "first", "a"), (-0.1, "second", "b"), (0.0, "equal", None)):
        sprt = Sprt(margin=0.05)
        assert decide(rng, shift, sprt) == verdict
        told = sprt.to_dict(["a", "b"])
        assert (told["verdict"], told["better"]) == (verdict, better)
        assert told["deals"] == sum(told["counts"].values())


def test_error_rates_are_kept():
    rng = np.random.default_rng(1)
    equal = [decide(rng, 0.0, Sprt(margin=0.05)) for _ in range(300)]
    differ = [decide(rng, 0.05, Sprt(margin=0.05)) for _ in range(300)]
    assert equal.count("equal") >= 0.92 * 300
    assert differ.count("first") >= 0.92 * 300


def test_larger_differences_take_fewer_deals():
    rng = np.random.default_rng(2)
    deals = []
    for shift in (0.05, 0.1, 0.2):
        sprt = Sprt(margin=0.05)
        decide(rng, shift, sprt, step=10)
        deals.append(sprt.deals)
    assert deals == sorted(deals, reverse=True)


def test_for_small_differences_the_ratio_is_the_normal_one():
    """LLR ≈ n (s1 − s0) (2 mean − s0 − s1) / (2 variance), the usual approximation."""
    counts = np.round(100_000 * EVEN) + np.array([0, 0, 0, 0, 700])
    n = counts.sum()
    mean = counts @ SCORES / n
    variance = counts @ (SCORES - mean) ** 2 / n
    expected = n * 0.005 * (2 * mean - 1.005) / (2 * variance)
    assert log_likelihood_ratio(SCORES, counts, 0.505) == pytest.approx(expected, rel=0.02)


def test_the_two_agents_are_alike_to_the_test():
    one, other = Sprt(), Sprt()
    scores = np.random.default_rng(3).choice(SCORES, 500, p=EVEN + np.array([-0.1, 0, 0, 0, 0.1]))
    one.add(scores)
    other.add(1 - scores)
    assert one.ratios() == pytest.approx(other.ratios()[::-1])


def test_one_kind_of_score_alone_is_enough():
    sprt = Sprt(margin=0.1)
    assert sprt.verdict() is None
    assert sprt.ratios() == pytest.approx((0, 0), abs=0.01)
    sprt.add(np.ones(100))
    assert sprt.verdict() == "first"
    assert all(map(math.isfinite, sprt.ratios()))


# --- in a tournament --------------------------------------------------------------------------------------------------


def make_plan(names, rules=None, deals=50, chunk=20):
    rules = rules or Rules.preset("duel")
    lineups = tuple(make_lineups(len(names), rules.players))
    return Plan(tuple(names), rules, lineups, (deals,) * len(lineups), chunk=chunk)


def test_a_test_stops_when_it_knows():
    told = play_until_told_apart(make_plan(("random", "greedy"), deals=2_000, chunk=50), Sprt(), 1)
    assert told["sprt"]["better"] == "greedy"
    assert told["sprt"]["verdict"] == "second"
    assert told["deals"] == told["sprt"]["deals"] < 2_000
    assert told["deals"] % 50 == 0
    assert not told["complete"]
    counts = {float(score): number for score, number in told["sprt"]["counts"].items()}
    assert set(counts) <= {0, 0.25, 0.5, 0.75, 1}
    mean = sum(score * number for score, number in counts.items()) / told["deals"]
    assert mean == pytest.approx(told["cross"]["win_rate"][0][1])


def test_a_test_gives_the_same_answer_for_any_number_of_workers():
    plan = make_plan(("random-play", "greedy"), Rules.preset("classic", players=3), deals=400, chunk=20)
    alone, shared = (play_until_told_apart(plan, Sprt(margin=0.1), workers) for workers in (1, 2))
    for part in ("cross", "ranking", "games", "decisions", "sprt"):
        assert alone[part] == shared[part]
    assert alone["sprt"]["better"] == "greedy"


def test_a_test_that_does_not_know_says_so():
    told = play_until_told_apart(make_plan(("random", "random?"), deals=10), Sprt(), 1)
    assert told["sprt"]["verdict"] is None
    assert told["complete"]
    assert sprt_sentence(told["sprt"]).startswith("Not told apart after 10 deals")
    assert math.isfinite(told["sprt"]["llr_first"])


def test_the_program_tells_two_agents_apart(capsys, tmp_path):
    line = ["random", "greedy", "--margin", "0.2", "--workers", "1", "--save", str(tmp_path / "kept")]
    for _ in range(2):  # the second time, what is saved is read
        assert PROGRAM.main(line) == 0
        assert "greedy is better than random, after 500 deals" in capsys.readouterr().out
