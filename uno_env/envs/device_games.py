"""Many games at once on a GPU: :class:`DeviceGames`."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import torch
    from torch import Tensor
except ModuleNotFoundError:
    raise ModuleNotFoundError("DeviceGames needs PyTorch: pip install 'uno-env[gpu]'", name="torch") from None

from uno_env.common.calls import exclusive
from uno_env.core.arrays import Array
from uno_env.core.jit.cuda.devices import machine_of
from uno_env.core.jit.places import LANES, Blocks, Bound, Each
from uno_env.core.loops import kernels
from uno_env.core.observe.encode import known_end
from uno_env.core.observe.layout import starts_of
from uno_env.core.packed_games import can_know, records
from uno_env.editions import edition_for
from uno_env.placed_games import PlacedGames
from uno_env.rules import Rules


class DeviceGames(PlacedGames[Tensor]):
    """``num_games`` independent games under the same rules on a GPU: the same games as of
    :class:`uno_env.BatchedGames`, whose methods and arguments these are.

    Everything that :meth:`reset` and :meth:`step` return is a tensor of PyTorch on the device, the batch's own buffer:
    the next call overwrites it, nothing is copied, and nobody else may write to it. Other libraries share the memory by
    DLPack, such as ``jax.dlpack.from_dlpack``. A call returns before the device has done its work, as calls of PyTorch
    do.

    An illegal action that the rules refuse is found by the device: that step does nothing, nor do the steps after it.
    IllegalActionError says so in one of the next calls, in :meth:`synchronize` at the latest. The games are then as
    before the refused step, and can be stepped again.

    Args:
        num_games: number of games N, 1 or more.
        seed: game ``i`` of a batch is dealt as game ``i`` of a BatchedGames with this seed.
        device: ``"cuda"``, ``"cuda:1"``, or ``"cpu"`` for the same kernels on the processor, one after the other:
            slower than BatchedGames, and meant for tests.

    The other arguments and all attributes are those of BatchedGames; ``games`` is a copy in ordinary memory.

    Raises:
        ValueError: an argument is not allowed.
        DeviceUnavailableError: there is no such GPU, or what it needs is not installed; see
            :mod:`uno_env.core.jit.cuda.requirements`.
        MemoryError: the device has too little memory for so many games.
    """

    def __init__(
        self,
        num_games: int,
        rules: Rules | str | Mapping[str, Any] = "classic",
        seed: int = 0,
        device: str | torch.device = "cuda",
        obs_dtype: str = "float32",
        players: int | None = None,
        match: bool = False,
        reward: str = "outcome",
        encoding: str = "vector",
        history: int = 0,
    ) -> None:
        self.device = checked_device(device)
        form = {"obs_dtype": obs_dtype, "encoding": encoding, "history": history}
        try:
            super().__init__(_TensorPlace(self.device), num_games, rules, seed, players, match, reward, form)
        except torch.OutOfMemoryError:
            free, total = torch.cuda.mem_get_info(self.device)
            raise MemoryError(
                f"{num_games} games do not fit on {self.device}, which has {free / 1e9:.1f} of {total / 1e9:.1f} GB "
                "free: choose fewer"
            ) from None

    def _make_views(self) -> None:
        self._given = torch.zeros_like(self._actions)
        self._told = torch.zeros(2, dtype=torch.int64, pin_memory=self.device.type == "cuda")
        self._is_told = self._told.numpy()
        super()._make_views()
        given = self._given, self._actions, self._refused
        self._check_kernel = self._each(kernels.CHECK, self._rules_here, self._mask, *given)

    def _bind_step(self) -> Bound:
        start = starts_of(edition_for(self.rules)).known
        columns = known_end(self._record) if can_know(self._record) else start
        width = int(kernels.row_size(columns, self._mask.shape[1]))
        outcome = self._reward, self._done_bytes, self._results
        stepped = self._games, self._rules_here, self._actions, self._view, outcome, self._floats
        return self.place.bind(kernels.STEP_LANES, self.num_games, (width, self._refused, *stepped), LANES * width)

    def __repr__(self) -> str:
        return f"<DeviceGames: {self.num_games} by {self.rules!r} on {self.device}, seed {self.seed}>"

    def __getstate__(self) -> dict[str, Any]:
        self._wait_for_refusal()
        return {**super().__getstate__(), "_random": self._random.view(torch.int64)}  # PyTorch pickles no uint64

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_random": state["_random"].view(torch.uint64)})

    @property
    def games(self) -> Array:
        """The states, hidden cards included, records [N] as of BatchedGames; a copy in ordinary memory."""
        return records(self.place.to_numpy(self._games).copy(), self._record)

    @exclusive
    def synchronize(self) -> None:
        """Wait until the device has done all steps. Raises IllegalActionError if it refused an action."""
        self.place.synchronize()
        self._wait_for_refusal()

    def checked_actions(self, actions: Any) -> Tensor:
        """Actions for :meth:`step`, integers [N]; raises ValueError if they are none. The device checks whether they
        are legal. A tensor on the device is not copied through ordinary memory.
        """
        self._check_ready("step")
        if self._is_told.any():
            self._wait_for_refusal()
        given = actions if isinstance(actions, Tensor) else torch.from_numpy(np.array(actions))
        whole = not (given.is_floating_point() or given.is_complex() or given.dtype == torch.bool)
        if given.shape != (self.num_games,) or not whole:
            name, shape = str(given.dtype).removeprefix("torch."), tuple(given.shape)
            raise ValueError(f"actions must be {self.num_games} integers, not {name} of shape {shape}")
        return given

    def _take_over(self, checked: Tensor) -> None:
        """Let the device check the actions, and tell what it refuses when it has got so far."""
        self._given.copy_(checked)
        self._check_kernel()
        self._told.copy_(self._refused, non_blocking=True)

    def _forget_refusal(self) -> None:
        self._refused.zero_()
        self.place.synchronize()
        self._told.zero_()

    def _wait_for_refusal(self) -> None:
        """Raise what the device has refused, if anything; the games are as before that step."""
        if self._refused.any():
            refusal = self._refusal(*map(self.place.to_numpy, (self._mask, self._actions)))
            self._forget_refusal()
            assert refusal is not None
            raise refusal


class _TensorPlace:
    """The place of tensors on a device, see :class:`uno_env.core.jit.places.Place`. Raises DeviceUnavailableError as
    :func:`uno_env.core.jit.cuda.devices.machine_of` does.
    """

    is_asynchronous = True

    def __init__(self, device: torch.device) -> None:
        self.device, self._machine = device, machine_of(device)

    def __reduce__(self) -> tuple[Any, ...]:
        return _TensorPlace, (self.device,)

    def zeros(self, *shape: int, dtype: npt.DTypeLike) -> Tensor:
        number = math.prod(shape) * np.dtype(dtype).itemsize  # bytes, as not all types can be filled
        return torch.zeros(number, dtype=torch.uint8, device=self.device).view(_torch_type(dtype)).view(shape)

    def from_numpy(self, array: Array) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def to_numpy(self, array: Tensor) -> Array:
        numpy: Array = array.cpu().numpy()
        return numpy

    def from_torch(self, tensor: Tensor) -> Tensor:
        return tensor

    def shown(self, array: Tensor, dtype: npt.DTypeLike | None = None) -> Tensor:
        """The tensor itself, or its bytes as another type: PyTorch has none that cannot be written to."""
        return array if dtype is None else array.view(_torch_type(dtype))

    def synchronize(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def record(self, value: Any) -> Any:
        return self._machine.record(value)

    def bind(self, kernel: Each | Blocks, number: int, arguments: tuple[Any, ...], shared: int = 0) -> Bound:
        return self._machine.bind(kernel, number, arguments, shared)


def _torch_type(dtype: npt.DTypeLike) -> torch.dtype:
    return torch.from_numpy(np.zeros(0, dtype)).dtype


def checked_device(device: Any) -> torch.device:
    """A device of PyTorch, a GPU with its number. Raises ValueError if it is neither a GPU nor the processor."""
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError):
        chosen = torch.device("meta")
    if chosen.type not in ("cuda", "cpu"):
        raise ValueError(f"device={str(device)!r} is not allowed: choose 'cuda', a GPU such as 'cuda:1', or 'cpu'")
    return torch.device("cuda", chosen.index or 0) if chosen.type == "cuda" else torch.device("cpu")
