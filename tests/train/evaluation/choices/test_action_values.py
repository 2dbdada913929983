"""Values of actions: the exact ones of tiny decks within error, the same on more threads, only from what is seen."""

from collections.abc import Iterator

import numpy as np
import pytest

import agents
from tests.helpers.twins import twin
from train.evaluation.choices.action_values import action_values, values_in_game
from train.evaluation.exact.measure import uniform_policy
from train.evaluation.exact.probabilities import agent_policy
from train.evaluation.exact.sweeps import Ends, add_ends, ends_of, states_of
from uno_env import Game, Rules
from uno_env.extensive_form.game_tree import GameTree, grow
from uno_env.extensive_form.position import ExtensiveForm, Position


def exact_values(tree: GameTree, policy: np.ndarray) -> np.ndarray:
    """Win rate of each sequence's seat from its state on, given that the state is reached: float64 [S], 2 seats."""
    states, ends, plan = states_of(tree), ends_of(tree), np.ones(len(policy))
    for state in range(len(tree)):
        here = slice(tree.first[state], tree.first[state + 1])
        plan[here] = plan[tree.parents[state]] * policy[here]
    won = np.zeros(len(policy))
    for seat in range(2):
        worth, often = np.zeros(len(policy)), np.zeros(len(policy))
        add_ends(ends, plan, seat, worth)
        add_ends(Ends(ends.sequences, ends.shares, np.zeros_like(ends.rows), np.ones((1, 2))), plan, seat, often)
        for state in np.flatnonzero(states.seats == seat)[::-1]:
            here = slice(tree.first[state], tree.first[state + 1])
            for each in (worth, often):
                each[tree.parents[state]] += policy[here] @ each[here]
            won[here] = (worth[here] / np.maximum(often[here], 1e-300) + 1) / 2
    return won


def openings(position: Position) -> Iterator[Position]:
    """The first decisions of a tree: nobody has chosen yet."""
    if position.is_chance:
        for move, _ in position.chance_moves():
            yield from openings(position.move(move))
    elif not position.over:
        yield position


@pytest.mark.thorough
@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("name", ["random", "tuned", "greedy"])
@pytest.mark.slow
def test_openings_on_mini_have_their_exact_values(name: str, uniform: bool) -> None:
    """Each card may lie first: where some are put back, the one that lies tells something about the hands."""
    tree = grow(Rules.preset("mini", first_card="effects"))
    policy = uniform_policy(tree) if name == "random" else agent_policy(agents.load(name), tree)
    exact, off = exact_values(tree, policy), []
    states = sorted({tree.find(position) for position in openings(ExtensiveForm(tree.rules).root)})
    for state in states[::2]:
        here = slice(tree.first[state], tree.first[state + 1])
        row, mask = tree.observations(state, state + 1)[0], tree.masks(state, state + 1)[0]
        found = action_values(
            row, mask, name, budget=1000 * int(mask.sum()), seed=state, uniform=uniform, apart=np.inf, max_decisions=12
        )
        assert found.actions.tolist() == tree.actions[here].tolist()
        off += ((found.values - exact[here]) / np.maximum(found.errors, 1e-3)).tolist()
    assert len(off) > 40
    assert np.abs(off).max() < 4
    assert abs(np.mean(off)) < 4 / len(off) ** 0.5


@pytest.mark.thorough
def test_an_agent_plays_out_as_the_strategy_does() -> None:
    game = Game("mini", seed=1)
    row, mask = game.observe(game.to_move, "uint8"), game.action_mask()
    assert mask.sum() > 1
    by_name = action_values(row, mask, "tuned", budget=4000, apart=np.inf, max_decisions=12)
    by_agent = action_values(row, mask, agents.load("tuned"), budget=4000, apart=np.inf, max_decisions=12)
    assert np.abs(by_name.values - by_agent.values).max() < 4 * np.hypot(by_name.errors, by_agent.errors).max()


@pytest.mark.parametrize("rules", ["duel", "classic", "house"])
def test_values_depend_on_the_seed_and_not_on_threads(rules: str) -> None:
    game = Game(rules, seed=3, players=4 if rules == "house" else 2)
    while len(game.legal_actions()) < 2:
        game.step(game.legal_actions()[0])
    first = values_in_game(game, budget=600, seed=7)
    again = values_in_game(game, budget=600, seed=7, threads=3)
    assert first.report() == again.report()
    assert values_in_game(game, budget=600, seed=8).report() != first.report()
    assert first.regret(first.best) == 0
    assert first.regret_errors[first.actions == first.best] == 0


def test_what_is_clearly_behind_is_no_longer_tried() -> None:
    game = Game("duel", seed=1, deck="r1 b1 r2 b2 r3 b3 r4 b4 r5 b5 r6 b6 r7 b7 r9", dealer=1)
    for _ in range(10):
        game.step(game.legal_actions()[0])
    found = values_in_game(game, budget=200_000)
    assert found.tried.sum() <= 200_000 + 50 * len(found.actions)
    assert len(found.actions) == 1 or found.is_clear or found.tried.sum() > 199_000


def test_hidden_cards_do_not_change_values() -> None:
    """Games that look the same to the seat have the same values, whatever the others hold."""
    decks = [f"r1 {a} r2 {b} r3 {a} r5" for a, b in (("b1", "b2"), ("g9", "w"))]
    rules = Rules.preset("duel", hand_size=3)
    texts = [values_in_game(Game(rules, deck=deck, dealer=1), budget=400).report() for deck in decks]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("backs", ["seen", "hidden"])
def test_hidden_faces_of_flip_do_not_change_values(backs: str) -> None:
    """Each legal action is valued, by what the seat sees: the other sides alone, or not even these."""
    game = Game(Rules.preset("flip", players=3, backs=backs), seed=3)
    while len(game.legal_actions()) < 4 or len(game.history) < 6:
        game.step(game.legal_actions()[0])
    other = twin(game, game.to_move, np.random.default_rng(1))
    assert [other.hand(seat) for seat in range(3)] != [game.hand(seat) for seat in range(3)]
    found = values_in_game(game, budget=200)
    assert found.actions.tolist() == game.legal_actions()
    assert found.report() == values_in_game(other, budget=200).report()


def test_bad_input_is_told_in_a_sentence() -> None:
    game = Game("mini")
    for options in ({"policy": "tuend"}, {"budget": 0}, {"seed": -1}, {"threads": 0}):
        with pytest.raises(ValueError, match="is not allowed"):
            values_in_game(game, **options)
    with pytest.raises(ValueError, match="is not allowed: it reads more"):
        values_in_game(game, agents.load("cheat:flat"))
    mask = 1 - game.action_mask()
    with pytest.raises(ValueError, match="is not allowed by the observation"):
        action_values(game.observe(game.to_move, "uint8"), mask)
    with pytest.raises(ValueError, match="the mask is empty"):
        action_values(game.observe(game.to_move, "uint8"), 0 * mask)
    with pytest.raises(ValueError, match="is not allowed: there are"):
        values_in_game(game, budget=10).regret(-3)
    while not game.over:
        game.step(game.legal_actions()[0])
    with pytest.raises(ValueError, match="is over"):
        values_in_game(game)
