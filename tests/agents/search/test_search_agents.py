"""Search agents: they find what is plainly best, see nothing hidden, repeat themselves, and refuse what is no game."""

import random
import time
from typing import Any

import numpy as np
import pytest

import agents
from agents.policy.policy_agent import PolicyAgent
from agents.search import new_search_scratch
from agents.search.batched_rollouts import AgentPlayouts
from agents.search.determinization import enter
from agents.search.search_agents import FlatAgent
from tests.helpers.playing import positions
from tests.helpers.positions import any_rules, save_random_policy
from tests.helpers.table import Table
from tests.helpers.twins import twin
from train.evaluation.duplicate import evaluate
from uno_env import BatchedGames, Game, Rules
from uno_env.actions import name as action_name
from uno_env.actions import parse
from uno_env.cards import WILD, WILD_DRAW_FOUR
from uno_env.observation import LAYOUT, SCALES

SMALL = ["search:flat?num_determinizations=12", "search:pimc?num_determinizations=3&sims=20", "search:ismcts?sims=60"]
"""Every method, with a budget for tests."""
FEWEST = {
    SMALL[0]: "search:flat?num_determinizations=2",
    SMALL[1]: "search:pimc?num_determinizations=2&sims=4",
    SMALL[2]: "search:ismcts?sims=8",
}


def choice(spec: str, table: Table, **options: Any) -> str:
    """What an agent does in the place of the player to move."""
    row = table.game.observe(table.to_move, "uint8")
    return action_name(agents.load(spec, **options).act(row, table.game.action_mask()))


@pytest.mark.thorough
@pytest.mark.parametrize("spec", SMALL)
def test_it_goes_out_if_it_can(spec: str) -> None:
    table = Table("r1 r2", "y3 y4", preset="duel", pile="b9").go("0 r1", "1 draw")
    assert choice(spec, table) == "r2"


@pytest.mark.parametrize("spec", SMALL)
def test_it_plays_the_card_that_lets_it_go_out_next(spec: str) -> None:
    """Skip, then any red: whoever lays the red 1 first lets the other player go out with the last card."""
    table = Table("r1 rs", "r2 r3", preset="duel", only=True, pile="r4 r5 r6 r7").go("0 r1", "1 r2")
    assert choice(spec, table) == "rs"


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("number", range(12))
def test_it_plays_under_any_rules(spec: str, number: int) -> None:
    rules = any_rules(12, seed=23)[number]
    game, agent = Game(rules, seed=number, match=number % 2 == 1), agents.load(FEWEST[spec], seed=number)
    chance = random.Random(number)
    for position in positions(game, number):
        if position.over:
            break
        if chance.random() < 0.04:
            row, mask = position.observe(position.to_move), position.action_mask()
            assert mask[agent.act(row, mask)]


@pytest.mark.parametrize("spec", SMALL)
def test_it_chooses_alike_whatever_it_does_not_see(spec: str) -> None:
    chance = np.random.default_rng(0)
    for rules in ("classic", "house"):
        for place, position in enumerate(positions(Game(rules, seed=5), 5)):
            if position.over or place > 60:
                break
            if place % 6 == 0:
                other = twin(position, position.to_move, chance)
                assert other.to_move == position.to_move
                chosen = [
                    agents.load(spec, seed=9).act(game.observe(game.to_move), game.action_mask())
                    for game in (position, other)
                ]
                assert chosen[0] == chosen[1]


@pytest.mark.parametrize("spec", SMALL)
def test_equal_seeds_equal_choices_in_either_form_alone_or_in_a_batch(spec: str) -> None:
    batch = BatchedGames(40, "classic", seed=3, obs_dtype="uint8")
    rows, masks, _ = batch.reset()
    for _ in range(12):
        rows, masks, *_ = batch.step(batch.sample_actions())
    chosen = agents.load(spec, seed=4).act_batch(rows, masks)
    assert (agents.load(spec, seed=4).act_batch(rows * SCALES, masks) == chosen).all()
    alone = agents.load(spec, seed=4)
    assert [alone.act(row, mask) for row, mask in zip(rows, masks, strict=True)] == chosen.tolist()
    assert masks[np.arange(40), chosen].all()
    assert any((agents.load(spec, seed=seed).act_batch(rows, masks) != chosen).any() for seed in (5, 6, 7))


@pytest.mark.parametrize("spec", SMALL)
def test_an_observation_of_no_game_is_an_error(spec: str) -> None:
    game = Game("duel", seed=1)
    row = game.observe(game.to_move, "uint8")
    for section, place, value in (("hand_sizes", 1, 90), ("discards", 3, 4), ("to_move", 0, 0), ("draw_pile", 0, 3)):
        changed = row.copy()
        changed[LAYOUT[section].start + place] = value
        with pytest.raises(ValueError, match="not that of a player to move in a game that is possible"):
            agents.load(spec).act(changed, game.action_mask())


def test_the_former_name_of_an_option_is_read() -> None:
    agent = agents.load("search:flat?num_determinizations=12")
    assert isinstance(agent, FlatAgent)
    assert agent.options.num_determinizations == 12


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search:deep", "unknown search 'deep': there are flat, pimc, ismcts"),
        ("search:flat?num_determinizations=0", "num_determinizations='0' is not allowed: choose a whole number from 1"),
        ("search:flat?num_determinizations=many", "num_determinizations='many' is not allowed"),
        ("search:flat?ms=-1", "ms='-1' is not allowed: choose a number, 0 or more"),
        ("search:flat?rollout=nobody", "rollout='nobody' is not allowed: unknown agent 'nobody'"),
        ("search:flat?goal=fun", "goal='fun' is not allowed: choose one of 'win', 'points'"),
        ("search:flat?sims=3", "agent 'search:flat?sims=3' has no option 'sims' .*: options are rollout, others, "),
        ("search:ismcts?speed=3", "has no option 'speed'"),
        ("search:ismcts?prior=nowhere.safetensors", "prior='nowhere.safetensors' is not allowed: .*no such file"),
        ("search:flat?value=greedy", "value='greedy' is not allowed"),
    ],
)
def test_options_that_are_not_allowed(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        agents.load(spec)


def test_a_budget_of_milliseconds_is_kept() -> None:
    table = Table("r1 r2 b3 g4 w", "y3 y4 y5 y6 y7", preset="duel")
    row, mask = table.game.observe(0), table.game.action_mask()
    agent = agents.load("search:flat?ms=30&num_determinizations=1&trust=0")
    agent.act(row, mask)
    began = time.perf_counter()
    agent.act(row, mask)
    assert time.perf_counter() - began < 5


def test_points_can_be_the_goal() -> None:
    """Going out now is worth what the other holds."""
    table = Table("r1 r2", "y3 y5", pile="b9", uno_call="automatic").go("0 r1", "1 draw")
    assert choice("search:flat?num_determinizations=12&goal=points", table) == "r2"
    with pytest.raises(ValueError, match="goal='points' is not allowed with scoring='hand', which counts no points"):
        agents.load("search:flat?goal=points", rules="duel")


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a policy of random weights."""
    path = tmp_path_factory.mktemp("policies") / "classic.safetensors"
    save_random_policy(path, Rules.preset("classic"))
    return str(path)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "spec",
    [
        "search:flat?num_determinizations=4&rollout={}",
        "search:flat?num_determinizations=4&rollout={}&sample=1&others=greedy",
        "search:flat?num_determinizations=4&value={}",
        "search:flat?num_determinizations=4&value={}&depth=2&prior={}",
        "search:ismcts?sims=40&prior={}",
        "search:ismcts?sims=40&prior={}&value={}",
        "search:ismcts?sims=40&rollout={}",
        "search:pimc?sims=10&num_determinizations=2&value={}",
    ],
)
@pytest.mark.parametrize("players", [2, 4])
def test_networks_help_a_search(spec: str, players: int, policy: str) -> None:
    spec = spec.replace("{}", policy)
    batch = BatchedGames(4, "classic", seed=3, obs_dtype="uint8", players=players)
    rows, masks, _ = batch.reset()
    for _ in range(10):
        rows, masks, *_ = batch.step(batch.sample_actions())
    chosen = agents.load(spec, seed=4).act_batch(rows, masks)
    assert masks[np.arange(4), chosen].all()
    assert (agents.load(spec, seed=4).act_batch(rows, masks) == chosen).all()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "spec", ["search:flat?num_determinizations=8&rollout={}", "search:ismcts?sims=80&prior={}&value={}"]
)
def test_a_search_with_networks_goes_out_if_it_can(spec: str, policy: str) -> None:
    table = Table("r1 r2", "y3 y4", uno_call="automatic", pile="b9").go("0 r1", "1 draw")
    assert choice(spec.replace("{}", policy), table) == "r2"


def test_a_prior_leaves_out_what_is_improbable(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table("r1 r2 b3 g4 w", "y3 y4 y5 y6 y7", preset="duel")
    row, mask = table.game.observe(0, "uint8"), table.game.action_mask()
    agent = agents.load(f"search:flat?num_determinizations=20&trust=0&prior={policy}")
    chances = {"r1": 0.97, "r2": 0.021, "draw": 0.01}
    shares = np.zeros((1, len(mask)), np.float32)
    for action, chance in chances.items():
        shares[0, parse(action)] = chance
    monkeypatch.setattr(PolicyAgent, "probabilities", lambda self, rows, masks: shares)
    tried: list[int] = []
    monkeypatch.setattr(type(agent), "_judge", lambda self, candidates, *rest: tried.extend(candidates) or 1)
    assert agent.act(row, mask) == parse("r2")
    assert tried == [parse("r1"), parse("r2")]
    shares[0, parse("r2")] = 0.019
    assert agent.act(row, mask) == parse("r1")
    assert len(tried) == 2


class Content(PolicyAgent):
    """A critic that always expects 0.7, and notes what it is shown."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def values(self, observations: Any) -> Any:
        self.rows.extend(observations.copy())
        return np.full(len(observations), 0.7, np.float32)


@pytest.mark.thorough
@pytest.mark.parametrize("depth", [0, 1])
def test_the_critic_is_asked_for_the_observer_alone(depth: int) -> None:
    """The observer holds four of the eight wilds, and lays one at a choice."""
    table = Table("w w w+4 w+4 r1", "y8 y9 y1 y2 y3", preset="duel", pile="g1 g2 b1 b2 y4 y5 r5 r6 r7")
    scratch = new_search_scratch("random-play", "random-play")
    enter(scratch, table.game.observe(0, "uint8"), "outcome")
    critic, player = Content(), agents.load("random-play")
    legal = np.flatnonzero(table.game.action_mask())
    rewards = AgentPlayouts(player, player, critic, depth).try_actions(scratch, legal, 5, 0, 30)
    assert set(np.unique(rewards.round(3))) <= {np.float32(-1), np.float32(0.7)}
    assert len(critic.rows) == (rewards > 0).sum() > 10
    hand = LAYOUT["hand"].start
    assert all(row[hand + WILD : hand + WILD_DRAW_FOUR + 1].sum() >= 3 - depth for row in critic.rows)


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "par"), [("duel", 0.5), ("house", 0.25)])
def test_it_beats_the_strategy_of_its_rollouts(rules: str, par: float) -> None:
    result = evaluate(
        "search:flat?num_determinizations=60&rollout=random-play", "random-play", Rules.preset(rules), deals=150
    )
    assert result.low > par + 0.02
