"""Exploitability: OpenSpiel's on random tiny rules, and agents with the probabilities that they play by."""

import numpy as np
import pytest

import agents
from agents.custom_agents import CustomAgent
from agents.policy.policy_agent import PolicyAgent
from agents.scripted.dispatch import STRATEGIES
from tests.helpers.positions import a_card, some_weights
from tests.uno_env.extensive_form.test_game_tree import MIXED, decisions, tiny_rules
from train.evaluation.exact.measure import exploitability, measure, uniform_policy
from train.evaluation.exact.probabilities import BATCH, BY_LOT, agent_policy
from train.evaluation.exact.sweeps import add_ends, best_response, choices_of, write_plan
from uno_env import Rules
from uno_env.actions import DRAW
from uno_env.core.record import FLAGS
from uno_env.extensive_form.game_tree import GameTree, grow
from uno_env.extensive_form.position import ExtensiveForm


def random_policy(tree: GameTree, seed: int) -> np.ndarray:
    """Probabilities of which one in four is 0."""
    rng = np.random.default_rng(seed)
    weights = rng.random(len(tree.actions)) * (rng.random(len(tree.actions)) > 0.25) + 1e-9
    totals = np.add.reduceat(weights[1:], tree.first[:-1] - 1)
    return np.append(1.0, weights[1:] / np.repeat(totals, tree.counts))


def test_uniform_play_on_mini_is_as_far_from_an_equilibrium_as_it_always_was() -> None:
    tree = grow(Rules.preset("mini"))
    assert measure(tree, uniform_policy(tree)).exploitability == pytest.approx(0.316478, abs=1e-6)


def open_spiel_game(rules: Rules):
    """The same rules as a game of OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    import uno_env.openspiel  # noqa: F401 (registers the game)

    values = rules.to_dict()
    for name, allowed in FLAGS.items():
        values[name] = allowed.index(values[name])
    values["deck"] = " ".join(card for card, count in values["deck"].items() for _ in range(count))
    values["reflexes"] = " ".join(map(str, values["reflexes"]))
    game = pyspiel.load_game("python_uno", {"rules": "classic", **values})
    assert game.rules == rules
    return game


@pytest.mark.adapters
@pytest.mark.parametrize("seed", range(20))
def test_openspiel_measures_the_same(seed: int) -> None:
    """On random rules, with two players and three, of a random policy."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rules, tree = tiny_rules(seed, most=700)
    policy, table = random_policy(tree, seed), {}
    for position, _ in decisions(ExtensiveForm(rules).root):
        first, last = tree.first[(state := tree.find(position)) : state + 2]
        pairs = zip(tree.actions[first:last].tolist(), policy[first:last].tolist(), strict=True)
        table[position.information_state(position.to_move)] = list(pairs)
    game, measured = open_spiel_game(rules), measure(tree, policy)
    root, given = game.new_initial_state(), pyspiel.TabularPolicy(table)
    assert measured.values == pytest.approx(pyspiel.expected_returns(root, given, -1, True), abs=1e-9)
    best = [pyspiel.TabularBestResponse(game, seat, table).value_from_state(root) for seat in range(rules.players)]
    assert measured.best_responses == pytest.approx(best, abs=1e-9)
    assert measured.nash_conv == pytest.approx(sum(best) - sum(measured.values), abs=1e-9)


def test_agents_are_measured() -> None:
    tree = grow(MIXED)
    assert agent_policy(agents.load("random"), tree) == pytest.approx(uniform_policy(tree))
    careless = exploitability(agents.load("random"), MIXED)
    assert careless.nash_conv == pytest.approx(measure(tree, uniform_policy(tree)).nash_conv)
    assert sum(careless.values) == pytest.approx(0, abs=1e-9)
    assert all(best >= value - 1e-9 for best, value in zip(careless.best_responses, careless.values, strict=True))
    assert careless.exploitability > 0.1
    laid, masks = tree.spread(agent_policy(agents.load("random-play"), tree)), tree.masks()
    assert (laid[masks[:, DRAW] > 0] > 0).any(axis=1).all()
    assert not laid[(masks[:, :DRAW] > 0).any(axis=1), DRAW].any(), "it lays what it can"


@pytest.mark.parametrize("name", STRATEGIES)
def test_scripted_agents_play_by_the_probabilities_that_are_measured(name: str) -> None:
    rules = Rules.preset("mini", deck="r1 r2 b1 g2 w w+4", wild_draw_four="bluff", max_decisions=3)
    tree, agent = grow(rules), agents.load(name, seed=1)
    policy, counts = tree.spread(agent_policy(agent, tree)), np.zeros((len(tree), len(tree.masks()[0])))
    rows, masks = tree.observations(), tree.masks()
    for _ in range(400):
        counts[np.arange(len(tree)), agent.act_batch(rows, masks)] += 1
    spread = np.sqrt(policy * (1 - policy) / 400)
    slack = 0.35 if name in BY_LOT[1:] else 1e-9
    assert (np.abs(counts / 400 - policy) <= 6 * spread + slack).all()


def test_a_saved_policy_is_measured_as_it_plays() -> None:
    card, tree = a_card(MIXED), grow(MIXED)
    weights = some_weights(card)
    sharp, soft = (agent_policy(PolicyAgent("some", weights, card, sample=each), tree) for each in (False, True))
    assert set(np.unique(sharp)) == {0.0, 1.0}
    assert (soft > 0).all()
    assert tree.spread(soft).sum(axis=1) == pytest.approx(1)
    assert (tree.spread(soft).argmax(axis=1) == tree.spread(sharp).argmax(axis=1)).all()


def test_a_search_is_asked_often_and_tells_how_far_it_is() -> None:
    """Where its playouts agree, it plays what the tree says is best."""
    tree, told = grow(MIXED), []
    search = agents.load("search:flat?num_determinizations=20", seed=1, rules=MIXED)
    policy = agent_policy(search, tree, draws=4, progress=told.append)
    assert told[-1] == len(tree)
    assert told == sorted(told)
    assert tree.spread(policy).sum(axis=1) == pytest.approx(1)
    assert set(np.unique(policy)) <= {0, 0.25, 0.5, 0.75, 1}
    again = agents.load("search:flat?num_determinizations=20", seed=1, rules=MIXED)
    rows, masks = tree.observations(0, BATCH), tree.masks(0, BATCH)
    counts = sum(np.eye(masks.shape[1])[again.act_batch(rows, masks)] for _ in range(4))
    assert tree.spread(policy, 0, BATCH) == pytest.approx(counts / 4)
    worse = measure(tree, uniform_policy(tree)).exploitability
    assert measure(tree, policy).exploitability < worse / 2


def test_states_without_a_choice_can_be_left_out() -> None:
    """Best responses are the same among the states that have one."""
    tree = grow(MIXED)
    states, ends, left = choices_of(tree)
    assert len(states.seats) < len(tree)
    policy = np.where(np.append(True, np.repeat(tree.counts == 1, tree.counts)), 1.0, random_policy(tree, 3))
    plan = np.zeros(len(left))
    write_plan(states, policy[left], -1, plan)
    for seat, best in enumerate(measure(tree, policy).best_responses):
        worth = np.zeros(len(left))
        add_ends(ends, plan, seat, worth)
        assert best_response(states, seat, worth) == pytest.approx(best, abs=1e-12)


def test_any_object_with_probabilities_is_measured_by_them() -> None:
    class Told:
        def act_batch(self, observations, action_masks):
            return np.asarray(action_masks).argmax(axis=1)

        def probabilities(self, observations, action_masks):
            return action_masks / action_masks.sum(axis=1, keepdims=True)

    tree = grow(MIXED)
    assert agent_policy(CustomAgent("told", Told()), tree) == pytest.approx(uniform_policy(tree))
