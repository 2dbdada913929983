"""RLCard's players at our table (agents/rlcard/bridge.py), ours at theirs (tools/rlcard/following.py), and the same win
rates at both."""

import sys
from collections import Counter
from types import ModuleType

import numpy as np
import pytest

import agents
from agents.rlcard.bridge import MODELS, OUR_ACTIONS, OUR_KINDS, THEIR_ACTIONS, RLCardAgent, load_rlcard
from tools.rlcard.following import RLCardTable
from tools.rlcard.table import compare_with_rlcard, play_at_rlcard
from train.evaluation.duplicate import evaluate
from uno_env import Game

rlcard = pytest.importorskip("rlcard", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'")
pytestmark = pytest.mark.adapters

RULE = "rlcard:uno-rule-v1"


class Keeper:
    """Keeps the states it is given, and takes the first legal action."""

    def __init__(self, use_raw):
        self.use_raw = use_raw
        self.states = []

    def eval_step(self, state):
        self.states.append(state)
        return (state["raw_legal_actions"] if self.use_raw else list(state["legal_actions"]))[0], {}


def play_ours(agent, seed):
    game = Game("rlcard", seed=seed)
    while not game.over:
        yield game
        game.step(agent.act(game.observe(game.to_move), game.action_mask()))


def test_actions_there_and_back():
    from rlcard.games.uno.utils import ACTION_LIST

    assert list(OUR_ACTIONS) == ACTION_LIST
    for text, action in OUR_ACTIONS.items():
        assert THEIR_ACTIONS[action] == text
        if text != "draw":
            assert OUR_KINDS[text] == (action if action < 52 else 52 + (action - 52) // 4)


# --- theirs here ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("use_raw", [True, False])
def test_a_state_of_ours_is_as_theirs_would_be(use_raw):
    env = rlcard.make("uno", config={"seed": 1})
    expected, _ = env.reset()
    keeper = Keeper(use_raw)
    hands = decisions = 0
    for seed in range(20):
        for game in play_ours(RLCardAgent(keeper), seed):
            del game
            decisions += 1
        hands += 1
    assert len(keeper.states) == decisions > 20 * hands / 2
    for state in keeper.states:
        assert state.keys() == expected.keys()
        assert state["raw_obs"].keys() == expected["raw_obs"].keys()
        assert state["obs"].shape == expected["obs"].shape
        assert state["obs"].dtype == expected["obs"].dtype


def test_a_state_holds_what_the_player_may_know():
    keeper = Keeper(True)
    for seed in range(10):
        for game in play_ours(RLCardAgent(keeper), seed):
            before = len(keeper.states)
            seat, hand = game.to_move, Counter(game.hand(game.to_move))
            agent = RLCardAgent(keeper, seed=seed)
            agent.act(game.observe(seat), game.action_mask())
            raw = keeper.states[before]["raw_obs"]
            assert Counter(map(OUR_KINDS.get, raw["hand"])) == hand
            assert raw["num_cards"] == [len(game.hand(0)), len(game.hand(1))]
            assert raw["current_player"] == seat
            assert OUR_KINDS[raw["target"]] == game.record.top
            assert Counter(map(OUR_KINDS.get, raw["played_cards"])) == Counter(
                {kind: int(count) for kind, count in enumerate(game.record.discards) if count}
            )
            assert {OUR_ACTIONS[text] for text in raw["legal_actions"]} == set(game.legal_actions())
            assert len(keeper.states[before]["legal_actions"]) == len(game.legal_actions())
            coloured = [text for text in raw["legal_actions"] if OUR_KINDS[text] < 52] if "draw" not in raw[
                "legal_actions"
            ] else []  # fmt: skip
            assert all(coloured.count(text) == hand[OUR_KINDS[text]] for text in coloured)


@pytest.mark.parametrize("model", MODELS)
def test_named_models_repeat_from_the_seed(model):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (evaluate(f"rlcard:{model}", "greedy", "rlcard", deals=20, seed=seed) for seed in (1, 1, 2))
    assert (first.win_rate, first.decisions) == (again.win_rate, again.decisions)
    assert first.decisions != other.decisions
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_the_named_models_are_rlcards_own():
    assert type(load_rlcard("random")).__module__ == "rlcard.agents.random_agent"
    assert type(load_rlcard("uno-rule-v1")).__module__ == "rlcard.models.uno_rule_models"


@pytest.mark.parametrize("name", ["dqn", "model.pt", "../runs/dqn.pt", ""])
def test_files_are_never_loaded_by_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.pt").write_bytes(b"cos\nsystem\n(S'touch owned'\ntR.")
    with pytest.raises(ValueError, match=r"pickles and never loaded by name, see agents\.rlcard\.bridge\.RLCardAgent"):
        agents.load(f"rlcard:{name}")
    assert not (tmp_path / "owned").exists()


def test_other_rules_are_refused():
    with pytest.raises(ValueError, match="knows no other rules than RLCard's: choose the preset rlcard"):
        agents.load(RULE, rules="duel")


@pytest.mark.parametrize("make", ["dqn", "nfsp", "dmc"])
def test_their_networks_play_here(make, monkeypatch):
    result = evaluate(RLCardAgent(make_network(make, monkeypatch), make), "random", "rlcard", deals=4)
    assert result.agent == make
    assert result.decisions > 50


def make_network(name, monkeypatch):
    """A small one, untrained."""
    from rlcard.agents import DQNAgent, NFSPAgent

    options = {"num_actions": 61, "state_shape": [4, 4, 15], "device": "cpu"}
    if name == "dqn":
        return DQNAgent(mlp_layers=[16], **options)
    if name == "nfsp":
        return NFSPAgent(hidden_layers_sizes=[16], q_mlp_layers=[16], **options)
    monkeypatch.setitem(sys.modules, "git", ModuleType("git"))  # its trainer's log wants GitPython
    from rlcard.agents.dmc_agent.model import DMCAgent

    return DMCAgent([4, 4, 15], [61], mlp_layers=[16], device="cpu")


# --- ours there -------------------------------------------------------------------------------------------------------


def test_ours_play_in_their_environment_from_both_seats():
    env = rlcard.make("uno", config={"seed": 7})
    table = RLCardTable(env)
    greedy, foreign = table.seat(agents.load("greedy")), load_rlcard("random")
    for seats in ([greedy, foreign], [foreign, greedy], [greedy, greedy]):
        env.set_agents(seats)
        for _ in range(15):
            trajectories, payoffs = env.run()
            assert sorted(payoffs) == [-1, 1]
            assert len(trajectories) == 2
            assert table.game.over


def test_what_ours_see_there_is_what_our_game_shows():
    """The game that follows is in RLCard's state after each step; else it raises. Here: it also notices."""
    env = rlcard.make("uno", config={"seed": 3})
    table = RLCardTable(env)
    state, _ = env.reset()
    env.game.players[0].hand.append(env.game.dealer.deck.pop())
    with pytest.raises(RuntimeError, match="not in the same state any more"):
        env.step(next(iter(state["legal_actions"])))
    env.reset()  # a new hand is followed again
    assert table.game.hand(0) == sorted(map(OUR_KINDS.get, (card.str for card in env.game.players[0].hand)))


def cut_pile(env, table, kept):
    """Both tables draw the cards ``kept``, the last first; the rest of the pile lies under the played cards."""
    deck, record = env.game.dealer.deck, table.game._array[0]
    env.game.round.played_cards += [card for card in deck if not any(card is other for other in kept)]
    deck[:] = kept
    pile = [OUR_KINDS[card.str] for card in reversed(kept)]
    record.pile[: len(pile)] = pile
    record.pile_next, record.pile_end = 0, len(pile)
    played = [OUR_KINDS[card.str] for card in env.game.round.played_cards]
    record.discards[:] = np.bincount(played, minlength=len(record.discards))


def test_renewed_piles_are_followed():
    """A whole hand is played after the pile was cut to ten cards, so that it is renewed."""
    np.random.seed(5)  # noqa: NPY002 (RLCard's random agent draws from it)
    env = rlcard.make("uno", config={"seed": 5})
    table = RLCardTable(env)
    env.set_agents([table.seat(agents.load("random", seed=5)), load_rlcard("random")])
    renewed = 0
    for _ in range(30):
        state, seat = env.reset()
        cut_pile(env, table, env.game.dealer.deck[-10:])
        while not env.is_over():
            action, _ = env.agents[seat].eval_step(state)
            state, seat = env.step(action, env.agents[seat].use_raw)
            renewed += bool(table._piles)
    assert renewed >= 10


@pytest.mark.parametrize("left", [0, 1, 2])
def test_a_drawn_draw_two_may_renew_the_pile(left):
    """RLCard draws a Draw Two from a pile of that many cards, 0: a renewed one, and plays it: two more are drawn."""
    env = rlcard.make("uno", config={"seed": 5})
    table = RLCardTable(env)
    renewed = 0
    for _ in range(400):
        state, _ = env.reset()
        target, deck = env.game.round.target, env.game.dealer.deck
        twos = [card for card in deck if (card.color, card.trait) == (target.color, "draw_2")]
        if state["raw_legal_actions"] != ["draw"] or not twos:
            continue
        others = [card for card in deck if card is not twos[0]]
        cut_pile(env, table, [*others[: left - 1], twos[0]] if left else [])
        env.step("draw", raw_action=True)
        renewed += len(table._piles)
    assert renewed >= 5


def test_win_rates_there_repeat_from_the_seed():
    first, again, other = (play_at_rlcard("greedy", "rlcard:random", 20, seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


@pytest.mark.parametrize(
    ("agent", "opponent", "games"),
    [
        ("greedy", RULE, 600),
        ("random-play", "rlcard:random", 600),
        *(
            pytest.param(*pair, 20_000, marks=pytest.mark.slow)
            for pair in (
                ("greedy", "rlcard:random"),
                ("greedy", RULE),
                ("rlcard:random", RULE),
                ("random", "rlcard:random"),
            )
        ),
    ],
)
def test_win_rates_are_the_same_at_both_tables(agent, opponent, games):
    """With a seed that was fixed before it was run; a difference beyond the interval comes one time in 20."""
    result = compare_with_rlcard(agent, opponent, games, seed=11 if games == 600 else 5)
    assert abs(result.difference.mean) <= (2 if games == 600 else 1.5) * result.difference.half
    assert result.difference.half < 0.07
