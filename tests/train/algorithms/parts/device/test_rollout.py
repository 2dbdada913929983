"""train/algorithms/parts/rollout.py on a device, its kernels on the processor: what is played there is what the
processor plays, bit for bit.

The kernels are compiled as those of the processor, and by the compiler for GPUs.
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from tests.helpers.gpu_code import compiled  # noqa: F401 (a fixture)
from tests.helpers.random_rules import random_rules
from train.algorithms.dmc import explore
from train.algorithms.parts.backends import dealt_on
from train.algorithms.parts.masked_softmax import draw_weighted, sample_masked
from train.algorithms.parts.opponents import NOBODY
from train.algorithms.parts.rollout import Rollout, RolloutStats
from train.algorithms.parts.trainer import RolloutBuffer
from uno_env import BatchedGames, Rules
from uno_env.core.jit.njit import INTERPRETED
from uno_env.player import Player
from uno_env.policy_columns import policy_actions, policy_columns

pytestmark = pytest.mark.skipif(INTERPRETED, reason="a state in wider integers is another one")

SIZES, STEPS, COST, GAE_LAMBDA = (37, 20), 30, 0.01, 0.9
"""Games of the groups, more than a block and not whole blocks."""
RULES = [
    Rules.preset("duel").replace(max_decisions=50),
    Rules.preset("classic", players=4).replace(max_decisions=40),
    Rules.preset("house", players=3),
    *(random_rules(random.Random(number)) for number in range(9)),
]


class FirstLegal(Player):
    """Takes the first legal action; of an odd number the last one."""

    def __init__(self, number: int) -> None:
        self.name, self.number = f"legal {number}", number

    def act_batch(self, observations: Any, masks: Any, histories: Any = None) -> Any:
        backwards = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return backwards if self.number % 2 else masks.argmax(axis=1)


def dealt(batch: BatchedGames) -> BatchedGames:
    batch.reset()
    return batch


class Both:
    """The same games on the processor, group by group, and together as on a GPU."""

    def __init__(self, rules: Rules, several: Sequence[Rules] = (), device: str = "cpu", **options: Any) -> None:
        read = [rules, *several]
        self.columns, self.actions = policy_columns(read), policy_actions(read)
        self.weights = np.random.default_rng(0).integers(-5, 6, (len(self.columns), len(self.actions) + 1))
        share = {"opponent_share": options.pop("share", 0.0)}
        self.own = [
            Rollout(dealt(batch), self.columns, self.actions, self._buffer(size), [rng], **share, **options)
            for batch, rng, size in zip(self._batches(rules), self._rngs(), SIZES, strict=True)
        ]
        games = dealt_on(torch.device(device), self._batches(rules))
        arguments = self.columns, self.actions, self._buffer(sum(SIZES), device), self._rngs(), SIZES
        self.device = Rollout(games, *arguments, **share, **options)

    def _buffer(self, games: int, device: str = "cpu") -> RolloutBuffer:
        return RolloutBuffer.empty(games * STEPS, len(self.columns), len(self.actions), device)

    def _batches(self, rules: Rules) -> list[BatchedGames]:
        return [BatchedGames(size, rules, 5 + size, obs_dtype="uint8") for size in SIZES]

    def _rngs(self) -> list[np.random.Generator]:
        return [np.random.default_rng(size) for size in SIZES]

    def evaluate(self, obs: Any) -> Any:
        """Whole numbers, so that they are the same for any number of rows."""
        outputs = torch.from_numpy(obs.cpu().numpy().astype(np.int64) @ self.weights).float().to(obs.device)
        return outputs[:, :-1], outputs[:, -1] / 512

    def set_opponents(self, *numbers: int) -> None:
        makers = {number: (lambda number=number: FirstLegal(number)) for number in range(3)}
        for rollout, number in zip(self.own, numbers, strict=True):
            rollout.set_opponents(makers, number)
        self.device.set_opponents(makers, *numbers)

    def collect(self) -> tuple[RolloutStats, RolloutStats]:
        mine = [rollout.collect(STEPS, self.evaluate, best) for rollout in self.own]
        return sum(mine, start=RolloutStats()), self.device.collect(STEPS, self.evaluate, best)

    def assert_same_choices(self) -> None:
        """Every choice that is trained on, in the order of time, with all that is stored of it. A GPU rounds advantages
        otherwise.
        """
        whole, game = self.device.buffer, torch.arange(sum(SIZES), device=self.device.buffer.obs.device).repeat(STEPS)
        rounded = () if self.device.buffer.obs.device.type == "cpu" else ("advantage", "target")
        begin = 0
        for rollout, size in zip(self.own, SIZES, strict=True):
            rows = whole.closed()
            ours = whole.select(rows[(game[rows] >= begin) & (game[rows] < begin + size)])
            theirs = rollout.buffer.select(rollout.buffer.closed())
            begin += size
            for name, expected in vars(theirs).items():
                own = vars(ours)[name].cpu()
                if name in rounded:
                    assert torch.allclose(own, expected, atol=1e-5), name
                elif name != "next_index":
                    assert torch.equal(own, expected), name

    def assert_same_states(self) -> None:
        states = self.device.get_states()
        for rollout, state in zip(self.own, states, strict=True):
            (expected,) = (each["games"] for each in rollout.get_states())
            assert state["games"].keys() == expected.keys()
            for name, array in expected.items():
                assert state["games"][name].tobytes() == array.tobytes(), name


def best(logits: Any, values: Any, mask: Any, rng: Any) -> Any:
    """The legal action of the highest logit: nothing is drawn."""
    if isinstance(logits, np.ndarray):
        return *(each.numpy() for each in best(*map(torch.from_numpy, (logits, values, mask)), rng)[:2]), values
    action = logits.masked_fill(mask == 0, -torch.inf).argmax(dim=1)
    return action, logits.gather(1, action[:, None]).squeeze(1), values


@pytest.mark.thorough
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_the_same_choices_chains_rewards_and_advantages(rules: Rules, symmetry: bool) -> None:
    """Rows of one table and of a network for many rules; hands that are cut off count as lost for every other table."""
    both = Both(rules, RULES if symmetry else (), symmetry=symmetry, truncated_is_lost=rules.players % 2 == 0)
    hands = 0
    for _ in range(3):
        mine, device = both.collect()
        assert (mine.decisions, mine.choices, mine.hands, mine.hand_decisions) == (
            device.decisions,
            device.choices,
            device.hands,
            device.hand_decisions,
        )
        assert mine.reward == pytest.approx(device.reward)
        hands += mine.hands
        for rollout in (*both.own, both.device):
            rollout.estimate_advantages(GAE_LAMBDA, COST)
        both.assert_same_choices()
        both.assert_same_states()
    assert hands or rules.max_decisions > 3 * STEPS


@pytest.mark.thorough
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("learners", [1, 2])
def test_the_same_games_against_opponents(learners: int) -> None:
    both = Both(RULES[1], share=0.5, learners=learners)
    both.set_opponents(0, 1)
    hands = 0.0
    for numbers in ((1, 1), (2, 0), (0, 1)):
        mine, device = both.collect()
        assert (mine.choices, mine.hands) == (device.choices, device.hands)
        assert mine.reward == pytest.approx(device.reward)
        both.assert_same_choices()
        both.assert_same_states()
        for number, record in both.device.records.items():
            own = [rollout.records[number] for rollout in both.own]
            assert record.hands == sum(each.hands for each in own)
            assert record.reward == pytest.approx(sum(each.reward for each in own))
            hands += record.hands
        both.set_opponents(*numbers)
    assert hands


def test_opponents_that_are_gone_are_replaced() -> None:
    both = Both(RULES[0], share=0.5)
    both.set_opponents(0, 1)
    both.collect()
    for rollout in both.own:
        rollout.set_opponents({2: lambda: FirstLegal(2)}, 2)
    both.device.set_opponents({2: lambda: FirstLegal(2)}, 2, 2)
    assert set(both.device.get_states()[0]["games"]["opponent"]) == {NOBODY, 2}
    both.collect()
    both.assert_same_states()


def test_values_of_hands_that_go_on_add_up_to_0() -> None:
    both = Both(RULES[0])
    both.collect()
    for rollout in (*both.own, both.device):
        rollout.center_open_values()
        rollout.estimate_advantages(1.0, 0.0)
    both.assert_same_choices()


def test_a_state_goes_on_on_either_device() -> None:
    """Those of the groups of the processor, and back."""
    both, other = Both(RULES[1], share=0.5), Both(RULES[1], share=0.5)
    for each in (both, other):
        each.set_opponents(0, 1)
    both.collect()
    other.device.set_states([state for rollout in both.own for state in rollout.get_states()])
    for rollout, state in zip(other.own, both.device.get_states(), strict=True):
        rollout.set_states([state])
    both.set_opponents(0, 1)
    other.set_opponents(0, 1)
    other.collect()
    other.assert_same_choices()
    other.assert_same_states()
    with pytest.raises(ValueError, match="state"):
        both.device.set_states([{**state, "games": {}} for state in other.device.get_states()])


def test_actions_are_drawn_by_their_probabilities() -> None:
    logits = torch.tensor([[0.0, 1.0, 5.0, -1.0]]).repeat(40_000, 1)
    mask = torch.tensor([[1, 1, 0, 1]], dtype=torch.uint8).repeat(40_000, 1)
    action, logp = sample_masked(logits, mask, torch.Generator().manual_seed(1))
    expected = torch.softmax(torch.tensor([0.0, 1.0, -torch.inf, -1.0]), dim=0)
    found = torch.bincount(action, minlength=4) / len(action)
    assert found.numpy() == pytest.approx(expected.numpy(), abs=0.01)
    assert logp.exp().numpy() == pytest.approx(expected[action].numpy(), rel=1e-5)
    again, _ = sample_masked(logits, mask, torch.Generator().manual_seed(1))
    assert torch.equal(action, again)
    assert not torch.equal(action, draw_weighted(mask.float(), torch.Generator().manual_seed(2)))


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
def test_exploring_takes_the_best_action_or_any_legal_one(epsilon: float) -> None:
    q = torch.tensor([[0.25, 0.5, 1.0, 0.5]]).repeat(20_000, 1)
    mask = torch.tensor([[1, 1, 0, 1]], dtype=torch.uint8).repeat(20_000, 1)
    action, _, value = explore(epsilon, q, q[:, 0], mask, torch.Generator().manual_seed(1))
    found = (torch.bincount(action, minlength=4) / len(action)).numpy()
    assert found == pytest.approx(np.array([epsilon / 3, 1 - epsilon * 2 / 3, 0, epsilon / 3]), abs=0.02)
    assert torch.equal(value, q.gather(1, action[:, None]).squeeze(1))
