"""train/algorithms/parts/kernels.py and rollout.py: rows, chains, rewards and advantages, against an obvious twin."""

import itertools
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

from train.algorithms.parts import kernels
from train.algorithms.parts.rollout import Rollout
from train.algorithms.parts.trainer import RolloutBuffer
from uno_env import BatchedGames, Rules
from uno_env.policy_columns import policy_actions, policy_columns
from uno_env.symmetry import CanonicalForm

pytestmark = pytest.mark.adapters

TINY = Rules.preset("duel", deck="r1 r2 r3 g1 g2 g3 b1 b2 b3 w w r+2 g+2 b+2", hand_size=3)
CASES = {
    "tiny": (TINY, 80),
    "duel": (Rules.preset("duel", hand_size=2), 250),
    "classic with three": (Rules.preset("classic", players=3, hand_size=2), 200),
    "hands cut off": (Rules.preset("duel", max_decisions=9), 30),
}


@dataclass
class Moment:
    """One decision of one game."""

    seat: int
    obs: np.ndarray
    mask: np.ndarray
    action: int
    reward: np.ndarray
    done: bool
    row: int | None = None
    value: float = 0.0
    next_index: str | int = "open"
    credited: float = 0.0
    advantage: float = 0.0


@dataclass
class Spy(BatchedGames):
    """Notes every decision of every game."""

    timelines: list[list[Moment]] = field(default_factory=list)

    def __init__(self, num_games, rules):
        super().__init__(num_games, rules, seed=5, obs_dtype="uint8")
        self.reset()
        self.timelines = [[] for _ in range(num_games)]

    def step(self, actions):
        before = [array.copy() for array in (self._seat, self._rows, self._mask)]
        result = super().step(actions)
        for game, timeline in enumerate(self.timelines):
            seat, obs, mask = (array[game] for array in before)
            timeline.append(
                Moment(int(seat), obs, mask, int(actions[game]), result[3][game].copy(), bool(result[4][game]))
            )
        return result


COST = 0.03


def play(rules, steps, games=6, gae_lambda=0.8, symmetry=False):
    """A rollout with chance values, after a first one: the spy's notes of it, its rows, and their number."""
    spy = Spy(games, rules)
    columns, actions = policy_columns(rules), policy_actions(rules)
    choices = RolloutBuffer.empty(games * steps, len(columns), len(actions))
    rollout = Rollout(spy, columns, actions, choices, [np.random.default_rng(1)], symmetry=symmetry)
    chance = torch.Generator().manual_seed(2)

    def evaluate(rows):
        return torch.randn(len(rows), len(actions), generator=chance), torch.randn(len(rows), generator=chance)

    rollout.collect(7, evaluate)
    spy.timelines = [[] for _ in range(games)]
    played = rollout.collect(steps, evaluate)
    store = {name: tensor.numpy() for name, tensor in vars(choices).items()}
    rollout.estimate_advantages(gae_lambda, COST)
    return spy.timelines, store, played


def tell(timelines, store, gae_lambda=0.8):
    """What rows, chains and advantages must be, said plainly: choices in the order of time."""
    row = 0
    for step in range(len(timelines[0])):
        for timeline in timelines:
            moment = timeline[step]
            if moment.mask.sum() > 1:
                moment.row, moment.value = row, float(store["value"][row])
                row += 1
    for timeline in timelines:
        for hand in split_hands(timeline):
            for seat in range(len(hand[0].reward)):
                tell_chain(
                    [moment for moment in hand if moment.row is not None and moment.seat == seat],
                    hand,
                    seat,
                    gae_lambda,
                )
    return [moment for step in zip(*timelines, strict=True) for moment in step if moment.row is not None]


def split_hands(timeline):
    hands = [[]]
    for moment in timeline:
        hands[-1].append(moment)
        if moment.done:
            hands.append([])
    return [hand for hand in hands if hand]


def tell_chain(chain, hand, seat, gae_lambda):
    ended = hand[-1].done
    deltas = [after.value - before.value - COST for before, after in itertools.pairwise(chain)]
    for before, after in itertools.pairwise(chain):
        before.next_index = after.row
    if chain and ended:
        chain[-1].next_index = "ended"
        chain[-1].credited = float(hand[-1].reward[seat])
        deltas.append(chain[-1].credited - chain[-1].value - COST)
    for place, moment in enumerate(chain):
        moment.advantage = sum(gae_lambda**later * delta for later, delta in enumerate(deltas[place:]))


@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_rows_chains_rewards_and_advantages_are_those_of_the_twin(case, symmetry):
    rules, steps = CASES[case]
    timelines, store, played = play(rules, steps, symmetry=symmetry)
    told = tell(timelines, store)
    canonical = CanonicalForm(policy_columns(rules), policy_actions(rules))
    names = {"open": kernels.OPEN, "ended": kernels.ENDED}
    assert [moment.row for moment in told] == list(range(played.choices))
    for moment in told:
        row = moment.row
        form = canonical.forms(moment.obs[None]) if symmetry else np.zeros(1, np.int64)
        assert (store["obs"][row] == canonical.rows(moment.obs[None], form)[0]).all()
        assert (store["mask"][row] == canonical.masks(moment.mask[None], form)[0]).all()
        assert canonical.real_actions(form, store["action"][row : row + 1]) == [moment.action]
        assert store["next_index"][row] == names.get(moment.next_index, moment.next_index)
        if moment.next_index == "ended":
            assert store["reward"][row] == np.float32(moment.credited)
        assert store["advantage"][row] == pytest.approx(moment.advantage, abs=1e-5)
    assert (store["next_index"][played.choices :] == kernels.OPEN).all()
    assert played.decisions == 6 * steps
    assert played.hands == sum(moment.done for timeline in timelines for moment in timeline)
    assert played.hands > 0


def test_a_reward_reaches_the_loser_though_the_winner_ended_the_hand():
    timelines, store, _ = play(TINY, 400)
    ended = [moment for moment in tell(timelines, store) if moment.next_index == "ended"]
    won = [moment for moment in ended if store["reward"][moment.row] == 1]
    lost = [moment for moment in ended if store["reward"][moment.row] == -1]
    assert min(len(won), len(lost)) > 5
    assert all(moment.credited == store["reward"][moment.row] for moment in ended)
    assert not any(moment.done for moment in lost)


def test_forced_decisions_are_made_and_not_stored():
    timelines, store, played = play(TINY, 80)
    forced = [moment for timeline in timelines for moment in timeline if moment.mask.sum() == 1]
    assert len(forced) > 20
    assert all(moment.mask[moment.action] for moment in forced)
    assert played.choices == played.decisions - len(forced)
    assert (store["mask"][: played.choices].sum(axis=1) > 1).all()


def test_only_closed_rows_are_learnt_from():
    timelines, store, played = play(TINY, 80)
    told = tell(timelines, store)
    closed = [moment.row for moment in told if moment.next_index != "open"]
    choices = RolloutBuffer(**{name: torch.from_numpy(array) for name, array in store.items()})
    assert choices.closed().tolist() == closed
    assert 0 < len(closed) < played.choices
