"""train/algorithms/parts/rollout.py: what compiled code writes to is there, and saved games are checked."""

from functools import partial
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import load  # noqa: E402
from train.algorithms.dmc import explore  # noqa: E402
from train.algorithms.parts.kernels import ENDED, OPEN  # noqa: E402
from train.algorithms.parts.rollout import Rollout  # noqa: E402
from train.algorithms.parts.trainer import RolloutBuffer  # noqa: E402
from uno_env import BatchedGames, Rules  # noqa: E402
from uno_env.policy_columns import policy_actions, policy_columns  # noqa: E402

GAMES, STEPS = 4, 5


def _rollout(buffer: Any = None, share: float = 0.0, **arguments: Any) -> Rollout:
    games = BatchedGames(GAMES, "duel", obs_dtype=arguments.pop("obs_dtype", "uint8"))
    games.reset()
    columns, actions = policy_columns(games.rules), policy_actions(games.rules)
    buffer = buffer or RolloutBuffer.empty(GAMES * STEPS, len(columns), len(actions))
    arguments = {"columns": columns, "actions": actions, **arguments}
    return Rollout(games, buffer=buffer, rngs=[np.random.default_rng(1)], opponent_share=share, **arguments)


def _evaluate(rows: Any) -> Any:
    return torch.zeros(len(rows), len(policy_actions(BatchedGames(1, "duel").rules))), torch.zeros(len(rows))


@pytest.mark.parametrize("steps", [STEPS + 1, 1_000, -1, 2.0, True])
def test_no_more_is_played_than_there_is_room_for(steps: Any) -> None:
    rollout = _rollout()
    with pytest.raises(ValueError, match=r"steps=.* is not allowed"):
        rollout.collect(steps, _evaluate)
    assert rollout.collect(STEPS, _evaluate).decisions == GAMES * STEPS


def test_opponents_are_set_before_the_first_rollout() -> None:
    with pytest.raises(ValueError, match="call set_opponents"):
        _rollout(share=0.5).collect(STEPS, _evaluate)


@pytest.mark.parametrize(
    "arguments",
    [
        {"buffer": RolloutBuffer.empty(20, 3, 4)},
        {"columns": np.array([10**6])},
        {"actions": np.array([-1])},
        {"obs_dtype": "float32"},
    ],
)
def test_a_buffer_that_does_not_fit_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"not allowed|does not fit"):
        _rollout(**arguments)


@pytest.mark.parametrize(("share", "name"), [(0.0, "bytes"), (0.0, "phase"), (0.5, "bytes"), (0.5, "opponent")])
def test_damaged_games_of_a_checkpoint_are_refused(share: float, name: str) -> None:
    rollout, other = _rollout(share=share), _rollout(share=share)
    (state,) = rollout.get_states()
    games = state["games"]["games"]
    if name == "bytes":
        games.view(np.uint8)[:] = np.random.default_rng(1).integers(0, 256, games.view(np.uint8).shape, np.uint8)
    elif name == "phase":
        games["phase"][2] = 55
    else:
        state["games"]["opponent"] = state["games"]["opponent"][:2]
    (before,) = other.get_states()
    with pytest.raises(ValueError, match="state"):
        other.set_states([state])
    (after,) = other.get_states()
    assert after["games"]["games"].tobytes() == before["games"]["games"].tobytes()


@pytest.mark.parametrize(
    "change",
    [lambda logits, values: (logits[:, :3], values), lambda logits, values: (logits[:0], values),
     lambda logits, values: (logits.double(), values), lambda logits, values: (logits, values[:1])],
)  # fmt: skip
def test_logits_of_another_form_are_refused(change: Any) -> None:
    with pytest.raises(ValueError, match="logits and values must be float32"):
        _rollout().collect(STEPS, lambda rows: change(*_evaluate(rows)))


@pytest.mark.parametrize("change", [lambda q: q[:, :3], lambda q: q[:0], lambda q: q.double(), lambda q: q[0]])
def test_values_of_actions_of_another_form_are_refused(change: Any) -> None:
    with pytest.raises(ValueError, match="logits and values must be float32"):
        _rollout().collect(
            STEPS, lambda rows: (change(_evaluate(rows)[0]), _evaluate(rows)[1]), choose=partial(explore, 0.1)
        )


@pytest.mark.parametrize("name", vars(RolloutBuffer.empty(0, 0, 0)))
@pytest.mark.parametrize("change", [lambda tensor: tensor[:1], lambda tensor: tensor.to(torch.int16)])
def test_a_buffer_whose_fields_do_not_fit_each_other_is_refused(name: str, change: Any) -> None:
    games = BatchedGames(1, "duel")
    sizes = len(policy_columns(games.rules)), len(policy_actions(games.rules))
    fields = vars(RolloutBuffer.empty(GAMES * STEPS, *sizes))
    buffer = RolloutBuffer(**{**fields, name: change(fields[name])})
    with pytest.raises(ValueError, match="does not fit"):
        _rollout(buffer)


@pytest.mark.parametrize(("truncated_is_lost", "reward"), [(False, 0.0), (True, -1 / 3)])
def test_truncated_hands_are_nobodys_or_lost_by_all(truncated_is_lost: bool, reward: float) -> None:
    """All hands of four players end at their eighth decision, when nobody can have won."""
    games = BatchedGames(GAMES, Rules(players=4, max_decisions=8), obs_dtype="uint8")
    columns, actions = policy_columns(games.rules), policy_actions(games.rules)
    buffer = RolloutBuffer.empty(GAMES * 8, len(columns), len(actions))
    games.reset()
    rngs = [np.random.default_rng(1)]
    rollout = Rollout(games, columns, actions, buffer, rngs, truncated_is_lost=truncated_is_lost)
    rollout.collect(8, lambda rows: (torch.zeros(len(rows), len(actions)), torch.zeros(len(rows))))
    ended = buffer.next_index == ENDED
    assert ended.any()
    assert buffer.reward[ended].numpy() == pytest.approx(np.full(int(ended.sum()), reward))


def test_values_of_hands_that_go_on_add_up_to_0_over_their_seats() -> None:
    """Each seat of a game has an open choice once it has chosen in the running hand."""
    rollout = _rollout()
    value = rollout.buffer.value

    def evaluate(rows: Any) -> Any:
        logits, _ = _evaluate(rows)
        return logits, torch.linspace(0.5, 1.0, len(rows))

    rollout.collect(STEPS, evaluate)
    before, is_open = value.clone(), rollout.buffer.next_index == OPEN
    rollout.center_open_values()
    seats = (value != before).nonzero().squeeze(1)
    assert len(seats) >= 4
    assert is_open[seats].all()
    assert float(value[seats].sum()) == pytest.approx(0, abs=1e-6)


def test_values_of_seats_that_alone_learn_are_left_as_they_are() -> None:
    rollout = _rollout(share=1.0)
    rollout.set_opponents({0: lambda: load("greedy")}, 0)
    rollout.collect(STEPS, lambda rows: (_evaluate(rows)[0], torch.ones(len(rows))))
    rollout.center_open_values()
    assert set(rollout.buffer.value.tolist()) == {0.0, 1.0}  # 0 is where nothing is stored
