"""TorchRL's batched view of many games: :class:`BatchedUnoEnv`.

It needs ``torchrl``, which lives in an environment of its own: tests/adapters/requirements/torchrl.txt, built by
``make test-adapters``.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from uno_env.actions import number_of
from uno_env.batched import BatchedGames
from uno_env.common.calls import Interruptible
from uno_env.rules import Rules


def random_policy(tensordict: TensorDictBase) -> TensorDictBase:
    """Set ``action``, int64 [...], to a random legal action of each game, by its ``action_mask``, bool [..., A].
    PyTorch's generator draws.

    It is a policy for ``SerialEnv``, ``ParallelEnv`` and ``Collector``: without one, TorchRL draws there from a copy of
    the action spec, which knows no mask, and the environment refuses illegal actions.
    """
    mask = tensordict["action_mask"]
    drawn = torch.multinomial(mask.reshape(-1, mask.shape[-1]).float(), 1)
    return tensordict.set("action", drawn.reshape(mask.shape[:-1]))


class BatchedUnoEnv(Interruptible, EnvBase):
    """:class:`uno_env.BatchedGames` as an environment of TorchRL, of batch size [N]: self-play, all seats.

    Entries: ``observation`` float32 or uint8 [N, D] or images, of the player to move; ``action_mask`` bool [N, A], by
    which ``rand_action`` draws, also behind transforms; ``seat`` int64 [N, 1], who is to move; ``history`` uint8
    [N, K, EVENT_SIZE] if asked for; ``action`` int64 [N]; ``reward`` float32 [N, players], by seat, 0 except where a
    hand ended; ``done`` and ``terminated`` bool [N, 1]. All are copies.

    A game that is over is dealt anew in the same step: the observation beside ``done`` is the first of the next hand,
    and a reset of those games returns it again. So the last observation of a hand is not seen. A hand that was cut off
    has reward 0 and counts as terminated. After a call that was interrupted, all games must be reset; a ValueError says
    so. Raises ValueError if an argument is not allowed.

    Args:
        num_games: number of games N.
        seed: seed of the games; ``set_seed`` chooses another for the next reset.
        device: where the tensors go; the games are played on the CPU.

    The other arguments are those of :class:`uno_env.BatchedGames`.

    Attributes:
        games: the batch that is played.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | Mapping[str, Any] = "starter",
        seed: int = 0,
        *,
        device: torch.device | str = "cpu",
        **options: Any,
    ) -> None:
        self.games = BatchedGames(num_games, rules, seed, **options)
        super().__init__(device=torch.device(device), batch_size=[num_games])
        self._seed: int | None = seed
        self._waiting = np.zeros(num_games, bool)
        self._dealer = np.random.default_rng(seed)
        self._make_specs()

    def _make_specs(self) -> None:
        N = self.games.num_games
        shown = self._tensors(*self.games.reset())
        mask = shown.pop("action_mask")
        entries = {
            name: Unbounded(shape=value.shape, dtype=value.dtype, device=self.device) for name, value in shown.items()
        }
        entries["action_mask"] = Categorical(2, shape=mask.shape, dtype=torch.bool, device=self.device)
        self.observation_spec = Composite(entries, shape=[N], device=self.device)
        self.action_spec = Categorical(number_of(self.games.rules), shape=[N], dtype=torch.int64, device=self.device)
        self.reward_spec = Unbounded(shape=[N, self.games.rules.players], dtype=torch.float32, device=self.device)
        done = Categorical(2, shape=[N, 1], dtype=torch.bool, device=self.device)
        self.done_spec = Composite(done=done, terminated=done.clone(), shape=[N], device=self.device)

    def rand_action(self, tensordict: TensorDictBase | None = None) -> TensorDictBase:
        """Same as :func:`random_policy`; without data, for what the environment shows now."""
        if tensordict is not None:
            return random_policy(tensordict)
        return random_policy(self._dict({"action_mask": self._tensor(self.games.masks)})).select("action")

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDict:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        every = chosen is None or (bool(chosen.all()) and (bool(self._unready) or not self._waiting.all()))
        if self._unready and not every:
            raise ValueError(f"{self._unready}: reset all games")
        with self._changing("reset"):
            if every or chosen is None:
                shown = self.games.reset(self._seed)
                self._seed = None
            else:
                again = chosen.cpu().numpy().reshape(-1) & ~self._waiting
                fresh = np.flatnonzero(again)
                shown = self.games.deal(fresh, self._dealer.integers(2**64, size=len(fresh), dtype=np.uint64))
            self._waiting[:] = False
            return self._dict(self._tensors(*shown))

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        self._check_ready("step")
        actions = self.games.checked_actions(tensordict["action"].cpu().numpy())
        with self._changing("step"):
            *shown, reward, done = self.games.step(actions)
            self._waiting[:] = done
            over = self._tensor(done)[:, None]
            return self._dict(
                {**self._tensors(*shown), "reward": self._tensor(reward), "done": over, "terminated": over.clone()}
            )

    def _set_seed(self, seed: int | None) -> None:
        if seed is not None:
            self._seed, self._dealer = seed, np.random.default_rng(seed)

    def _tensors(self, obs: Any, mask: Any, seat: Any) -> dict[str, torch.Tensor]:
        shown = {
            "observation": self._tensor(obs),
            "action_mask": self._tensor(mask).bool(),
            "seat": self._tensor(seat).long()[:, None],
        }
        history = self.games.history
        return shown if history is None else {**shown, "history": self._tensor(history)}

    def _tensor(self, array: npt.NDArray[Any]) -> torch.Tensor:
        return torch.from_numpy(array.copy()).to(self.device)

    def _dict(self, entries: dict[str, torch.Tensor]) -> TensorDict:
        return TensorDict(entries, batch_size=self.batch_size, device=self.device)
