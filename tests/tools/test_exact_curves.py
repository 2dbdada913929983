"""Algorithms and attacks measured exactly on a tiny deck."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import PolicyCard
from tests.helpers import ROOT
from tools.exact_curves.decks import AveragePolicy, Deck, load_deck
from tools.exact_curves.learners import DEFAULTS, learn
from tools.exact_curves.page import draw_curves
from tools.exact_curves.runs import CHOSEN_ON, DECISIONS, MAIN, PlannedRun, add_line, done, planned, read_lines, reports
from train.algorithms.registry import config_of
from train.evaluation.exact.measure import measure, uniform_policy
from train.evaluation.exact.probabilities import agent_policy
from train.evaluation.exact.sweeps import Floats
from train.networks.policy_network import Network
from uno_env.core.record import END_NAMES


@pytest.fixture(scope="module")
def mini() -> Deck:
    return load_deck("mini")


def networks(deck: Deck) -> list[Network]:
    import torch

    made = []
    for seed in range(2):
        torch.manual_seed(seed)
        network = Network(deck.tree.rules, (32,))
        torch.nn.init.normal_(network.policy.weight)
        made.append(network)
    return made


@pytest.mark.parametrize("greedy", [False, True])
def test_a_network_in_the_tree_plays_as_its_saved_policy(mini: Deck, greedy: bool) -> None:
    network = networks(mini)[0]
    columns, actions = network.columns.tolist(), network.actions.tolist()
    card = PolicyCard(columns=columns, actions=actions, hidden=network.hidden, rules=mini.tree.rules.to_dict())
    agent = PolicyAgent("network", network.weights(), card, sample=not greedy)
    assert np.allclose(mini.network_policy(network, greedy), agent_policy(agent, mini.tree), atol=1e-5)


def won_by(deck: Deck, one: Floats, other: Floats) -> float:
    """The reward of a policy at one seat, with the other policy at the other one: the mean over both seats."""
    seats = np.append(np.int8(-1), np.repeat(deck.tree.seats, deck.tree.counts))
    both = (measure(deck.tree, np.where(seats == seat, one, other)).values[seat] for seat in range(2))
    return sum(both) / 2


def test_an_average_wins_as_much_as_its_parts_on_average(mini: Deck) -> None:
    """It plays as who draws one of the policies before the hand, the n-th n times as often."""
    one, two = (mini.network_policy(network) for network in networks(mini))
    average, uniform = AveragePolicy(mini.tree), uniform_policy(mini.tree)
    average.add(one)
    average.add(two)
    parts = [won_by(mini, each, uniform) for each in (one, two)]
    assert abs(parts[0] - parts[1]) > 1e-3
    assert won_by(mini, average.policy(), uniform) == pytest.approx((parts[0] + 2 * parts[1]) / 3, abs=1e-9)
    assert won_by(mini, one, one) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("algorithm", "changes"), [("mmd", {}), ("dmc", {}), ("sb3_ppo", {"opponents": ["itself"], "num_envs": 64})]
)
def test_runs_are_measured_as_they_go_and_repeat(mini: Deck, algorithm: str, changes: dict[str, object]) -> None:
    first, again = (learn(mini, algorithm, changes, 3, 20_000, 2, lambda share: None) for _ in range(2))
    assert len(first["curve"]) == 2
    assert {**first, "seconds": 0} == {**again, "seconds": 0}
    assert 0 < first["curve"][-1][1] < 0.32


def test_sb3_adds_nothing_to_hands_that_end_at_the_limit() -> None:
    from tools.exact_curves.sb3_ppo import ExactSB3PPO

    config = config_of({**DEFAULTS["sb3_ppo"], "rules": "bluffs", "num_envs": 4}).resolved()
    learner = ExactSB3PPO(config)
    learner.env.reset()
    told, chance = [], np.random.default_rng(0)
    for _ in range(200):
        learner.env.step_async(np.array([chance.choice(np.flatnonzero(mask)) for mask in learner.env.action_masks()]))
        _, _, dones, infos = learner.env.step_wait()
        told += [infos[index] for index in np.flatnonzero(dones)]
    assert any(END_NAMES[info["end"]] == "max_decisions" for info in told)
    assert not any(info["TimeLimit.truncated"] for info in told)


@pytest.mark.parametrize("name", ["ppo, tuned", "mmd, tuned"])
def test_the_shipped_configs_are_those_that_were_measured(name: str) -> None:
    algorithm, changes = MAIN[name]
    shipped = yaml.safe_load((ROOT / "configs" / algorithm / "exact.yaml").read_text())
    budget = {"rules": "mini", "total_timesteps": DECISIONS, "checkpoint_every": 0}
    assert config_of(shipped) == config_of({**DEFAULTS[algorithm], **changes, **budget})


def test_no_seed_reports_where_it_chose_options() -> None:
    runs = list(planned())
    for name, deck in CHOSEN_ON.items():
        seeds = {run.seed for run in runs if run.deck == deck and (run.algorithm, run.changes) == MAIN[name]}
        assert sum(reports(name, deck, seed) for seed in seeds) >= 3
        assert not any(reports(name, deck, seed) for seed in range(3))


def test_what_is_done_is_kept_though_a_line_is_torn(tmp_path: Path) -> None:
    run, file = next(planned()), tmp_path / "runs.jsonl"
    add_line(file, run.__dict__, {"curve": []})
    with file.open("a") as torn:
        torn.write('{"deck": "mi')
    assert done(file) == {run.key()}
    other = PlannedRun("mini", "ppo", 1, 2, 3)
    add_line(file, other.__dict__, {"curve": []})
    assert done(file) == {run.key(), other.key()}
    assert len(read_lines(file)) == 2


def test_an_algorithm_has_one_colour_and_one_mark_though_a_deck_lacks_another() -> None:
    curve = [[5, 0.2, 0.2], [9, 0.1, 0.1]]
    run = {"seed": 0, "decisions": 9, "points": 2, "changes": {}, "seconds": 1.0, "curve": curve}
    names = {"mini": ("mmd", "ppo", "dmc", "nfsp"), "bluffs": ("mmd", "dmc", "nfsp")}
    figure = draw_curves([{**run, "deck": deck, "algorithm": name} for deck in names for name in names[deck]])
    first, second = (
        {line.get_label(): (line.get_color(), line.get_marker()) for line in axes.get_lines()}
        for axes in figure.axes[:2]
    )
    assert len(set(first.values())) == len(first) == 5
    assert second == {label: style for label, style in first.items() if label != "ppo"}
