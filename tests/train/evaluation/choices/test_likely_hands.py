"""Hidden hands by the likelihood of the others' play: exact values after their choices, and nothing that is hidden."""

import numpy as np
import pytest

import agents
from tests.train.evaluation.choices.test_action_values import exact_values
from train.common.suite import named_rules
from train.evaluation.choices import likely_hands as hands_drawn
from train.evaluation.choices.action_values import values_in_game
from train.evaluation.choices.likely_hands import likely_hands
from train.evaluation.exact.measure import uniform_policy
from train.evaluation.exact.probabilities import agent_policy
from uno_env import Game, Rules
from uno_env.cards import NUM_KINDS
from uno_env.editions.classic import CLASSIC
from uno_env.extensive_form.game_tree import GameTree, grow
from uno_env.extensive_form.position import ExtensiveForm


def random_decision(tree: GameTree, root: object, policy: np.ndarray, rng: np.random.Generator) -> tuple[int, Game]:
    """A decision after a choice of the other seat, drawn as play reaches it: its state, and the game there."""
    while True:
        position, cards, actions, found = root, [], [], []
        while not position.over:
            if position.is_chance:
                moves, shares = np.array(position.chance_moves()).T
                move = int(rng.choice(moves, p=shares / shares.sum()))
                cards += [move] * (position.chance.kind != "dealer")
            else:
                state = tree.find(position)
                here = slice(tree.first[state], tree.first[state + 1])
                events = [entry.event for entry in position.history()]
                if policy[here].size > 1 and any(
                    event.action is not None and event.seat != position.to_move for event in events
                ):
                    found.append((state, position, len(cards), list(actions)))
                move = int(rng.choice(tree.actions[here], p=policy[here]))
                actions.append(move)
            position = position.move(move)
        if found:
            state, position, drawn, actions = found[rng.integers(len(found))]
            if (np.bincount(cards[:drawn], minlength=NUM_KINDS) > tree.rules.deck_counts).any():
                continue  # the pile was renewed
            game = Game(tree.rules, deck=cards[:drawn], dealer=int(position.array["dealer"][0]))
            for action in actions:
                game.step(action)
            assert (game.observe(game.to_move, "uint8") == position.observe(position.to_move)).all()
            return state, game


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "first_card", "enough"),
    [("random", "effects", 1), ("tuned", "effects", 1), ("tuned", "number", 1), ("tuned", "number", 2000)],
)
def test_values_after_the_others_choices_are_exact_if_they_play_the_policy(
    name: str, first_card: str, enough: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands_drawn, "ENOUGH", enough)  # fewer of them are resampled and moved
    tree = grow(Rules.preset("mini", first_card=first_card))
    policy = uniform_policy(tree) if name == "random" else agent_policy(agents.load(name), tree)
    exact, rng, root = exact_values(tree, policy), np.random.default_rng(3), ExtensiveForm(tree.rules).root
    off, plain_off, costs = [], [], []
    for seed in range(30):
        state, game = random_decision(tree, root, policy, rng)
        here = slice(tree.first[state], tree.first[state + 1])
        options = {"budget": 1000 * (here.stop - here.start), "seed": seed, "apart": np.inf}
        found, plain = values_in_game(game, name, others=name, **options), values_in_game(game, name, **options)
        assert found.effective > 100
        off += ((found.values - exact[here]) / np.maximum(found.errors, 2e-3)).tolist()
        plain_off += ((plain.values - exact[here]) / np.maximum(plain.errors, 2e-3)).tolist()
        costs.append(found.regrets[0] - (exact[here].max() - exact[here][0]))
    assert np.abs(off).max() < 4
    assert abs(np.mean(costs)) < 0.005, "mean regret is the exact solver's"
    assert abs(np.mean(off)) < 4 / len(off) ** 0.5
    assert np.square(off).mean() < 1.5 < np.square(plain_off).mean()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bluffs", "stacks", "calls"])  # in swaps, hands change owners: deals are plain
def test_regret_in_the_suites_exact_games_is_the_exact_solvers(name: str) -> None:
    """Mean regret of greedy after choices of ``tuned``, in the same positions by playouts and exactly."""
    tree = grow(named_rules(name))
    tuned, greedy = agents.load("tuned"), agents.load("greedy")
    policy = agent_policy(tuned, tree)
    exact, rng, root = exact_values(tree, policy), np.random.default_rng(5), ExtensiveForm(tree.rules).root
    lost, true = [], []
    for seed in range(100):
        state, game = random_decision(tree, root, policy, rng)
        values = exact[tree.first[state] : tree.first[state + 1]]
        action = greedy.act(game.observe(game.to_move, "uint8"), game.action_mask())
        found = values_in_game(game, "tuned", others="tuned", budget=2000 * len(values), seed=seed, apart=np.inf)
        if not found.effective:
            continue  # the pile was renewed: plain draws
        lost.append(found.regret(action))
        true.append(values.max() - values[found.actions == action][0])
    off = np.subtract(lost, true)
    print(f"{name}: {len(lost)} positions, regret {np.mean(lost):.4f} by playouts, {np.mean(true):.4f} exactly")
    assert len(lost) > 30
    assert abs(off.mean()) < 4 * off.std() / len(off) ** 0.5 + 0.002


@pytest.mark.thorough
def test_an_agent_and_threads_give_the_same_values() -> None:
    game = Game("duel", seed=3)
    player = agents.load("tuned")
    while len(game.history) < 6 or len(game.legal_actions()) < 2:
        game.step(player.act(game.observe(game.to_move, "uint8"), game.action_mask()))
    first, again = (values_in_game(game, others="tuned", budget=1000, threads=number) for number in (1, 3))
    assert first.report() == again.report()
    assert first.effective == again.effective > 20
    by_agent = values_in_game(game, agents.load("tuned"), others="tuned", budget=1000)
    assert np.abs(first.values - by_agent.values).max() < 4 * np.hypot(first.errors, by_agent.errors).max()


@pytest.mark.parametrize(("own", "effective"), [([3, 1, 2, 0], 4.0), ([7, 7, 7, 7], 1.0), ([7, 7, 7, 2], 1.6)])
def test_copies_count_as_one_draw(own: list[int], effective: float) -> None:
    assert hands_drawn._effective(np.array(own)) == effective


def test_hands_that_the_other_would_have_played_from_are_moved_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 drew on a red 5, which greedy does without anything to play. Four of five hands by chance could play."""
    monkeypatch.setattr(hands_drawn, "ENOUGH", 10**9)  # draws are never good enough as they are
    game = Game(Rules.preset("duel", hand_size=3), deck="b1 r1 b2 r2 b4 r3 r5 b7", dealer=1)
    game.step("draw")
    found = likely_hands(game, agents.load("greedy"))
    assert found is not None
    held = found.games["seats"]["hand"][:, 0]
    playable = [kind for kind, text in enumerate(CLASSIC.texts) if text[0] in "rw" or text[1] == "5"]
    assert (held.sum(axis=1) == 4).all()
    assert held[:, playable].any(axis=1).mean() < 0.05, "others do anything now and then"


def test_what_the_seat_cannot_know_does_not_matter() -> None:
    """Seat 0 drew and kept a card: one that it could not play, or one that it chose not to."""
    rules, texts = Rules.preset("duel", hand_size=3), []
    for drawn, actions in (("b7", "draw"), ("r7", "draw pass")):
        game = Game(rules, deck=f"b1 r1 b2 r2 b4 r3 r5 {drawn}", dealer=1)
        for action in actions.split():
            game.step(action)
        assert game.to_move == 1
        found = values_in_game(game, others="random", budget=600)
        assert found.effective > 20
        texts.append(found.report())
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_with_mercy_the_past_cannot_be_played_again() -> None:
    assert likely_hands(Game(Rules.preset("classic", players=3, mercy=25)), agents.load("tuned")) is None


def test_where_the_past_cannot_be_played_again_draws_are_plain() -> None:
    tuned = agents.load("tuned")
    assert likely_hands(Game("house"), tuned) is None
    assert likely_hands(Game("classic", match=True), tuned) is None
    assert likely_hands(Game("rlcard", players=2), tuned) is None
    assert [likely_hands(Game(preset, players=2), tuned) for preset in ("no_mercy", "flip")] == [None, None]
    found = values_in_game(Game("house", players=4), others="tuned", budget=100)
    assert found.effective == 0
    with pytest.raises(ValueError, match="is not allowed: it reads more"):
        values_in_game(Game("duel"), others="cheat:flat")
