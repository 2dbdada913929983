"""Many games at once on a GPU: :class:`DeviceGames`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

try:
    import torch
    from torch import Tensor
except ModuleNotFoundError:
    raise ModuleNotFoundError("DeviceGames needs PyTorch: pip install 'uno-env[gpu]'", name="torch") from None

from uno_env.actions import NUM_ACTIONS
from uno_env.batched import NOT_DEALT, checked_deals, refusal
from uno_env.common.calls import Interruptible, exclusive
from uno_env.common.numbers import checked_arrays, checked_seed, checked_whole
from uno_env.core.arrays import Array
from uno_env.core.jit.devices import place_of
from uno_env.core.jit.places import LANES
from uno_env.core.loops import device as kernels
from uno_env.core.loops.batch import DEAL, find_refused
from uno_env.core.observe.encode import known_end
from uno_env.core.observe.history import STEPPED
from uno_env.core.observe.layout import KNOWN_START, OBSERVATION_SIZE, RULES_START, SCALES
from uno_env.core.packed_games import OFFSET, can_know, records, row_bytes, row_dtype
from uno_env.encodings import ObservationForm
from uno_env.history import Histories
from uno_env.invariants import verify_games
from uno_env.observation import rules_columns
from uno_env.rules import Rules, as_rules

Seen = tuple[Tensor, Tensor, Tensor]
"""Observations, masks and seats."""


class DeviceGames(Interruptible):
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
        self.num_games = checked_whole("num_games", num_games, 1)
        self.rules = as_rules(rules, players)
        self._form = ObservationForm(self.rules, obs_dtype, encoding, history)
        self._options = {"match": match, "reward": reward}
        self._record = self.rules.record_for(match, reward)
        self.seed = checked_seed(seed)
        self.device = checked_device(device)
        self._place = place_of(self.device)
        self._events = Histories(1, self.rules.players, history) if history else None
        try:
            self._allocate()
        except torch.OutOfMemoryError:
            free, total = torch.cuda.mem_get_info(self.device)
            raise MemoryError(
                f"{num_games} games do not fit on {self.device}, which has {free / 1e9:.1f} of {total / 1e9:.1f} GB "
                "free: choose fewer"
            ) from None
        self._bind()
        self._unready = NOT_DEALT

    def _allocate(self) -> None:
        """Make all buffers."""
        players, form = self.rules.players, self._form
        self._games = self._zeros(row_bytes(self._record), dtype=torch.uint8)
        first = np.zeros((1, OBSERVATION_SIZE), np.uint8)
        first[:, RULES_START:] = rules_columns(self.rules)
        self._rows = self._repeated(first)
        is_rows = form.is_vector and form.dtype == np.uint8
        self._obs = self._rows if is_rows else self._repeated(form.buffer(first))
        self._is_scaled = form.is_vector and not is_rows
        self._scales = torch.from_numpy(SCALES).to(self.device)
        self._mask = self._zeros(NUM_ACTIONS, dtype=torch.uint8)
        self._seat, self._known = self._zeros(dtype=torch.int8), self._zeros(dtype=torch.uint8)
        self._reward, self._done_bytes = self._zeros(players, dtype=torch.float32), self._zeros(dtype=torch.uint8)
        self._results = self._zeros(4 + 2 * players, dtype=torch.int32)
        self._given, self._actions, self._sampled = (self._zeros(dtype=torch.int64) for _ in range(3))
        self._deals = torch.full_like(self._given, DEAL)
        self._random = self._zeros(dtype=torch.int64)
        self._refused = torch.zeros(2, dtype=torch.int64, device=self.device)
        self._told = torch.zeros(2, dtype=torch.int64, pin_memory=self.device.type == "cuda")
        self._is_told = self._told.numpy()
        events = (*self._events.arrays, self._events.shown) if self._events else ()
        self._history = tuple(self._repeated(array) for array in events)
        self.history = self._history[-1] if self._history else None
        self.hand_done = self._results.view(torch.bool)[:, 0]
        self.winner, self.end, self.length = self._results[:, 1:4].unbind(1)
        self.points, self.scores = self._results[:, 4 : 4 + players], self._results[:, 4 + players :]
        self._outcome = self._reward, self._done_bytes.view(torch.bool)

    def _zeros(self, *shape: int, dtype: torch.dtype) -> Tensor:
        return torch.zeros(self.num_games, *shape, dtype=dtype, device=self.device)

    def _repeated(self, first: Array) -> Tensor:
        """The only entry of an array for every game."""
        return torch.from_numpy(first).to(self.device).repeat(self.num_games, *[1] * (first.ndim - 1))

    def _bind(self) -> None:
        """Compile the kernels that every batch needs, and give them their arrays."""
        self._on_device = rules = self._place.record(self._record)
        self._view = view = self._rows, self._mask, self._seat, self._known
        outcome = self._reward, self._done_bytes, self._results
        floats = (self._scales, self._obs if self._is_scaled else self._obs.new_zeros((0, 0), dtype=torch.float32))
        columns = known_end(self._record) if can_know(self._record) else KNOWN_START
        width = int(kernels.row_size(columns))
        step, deal = (
            (width, self._refused, self._games, rules, actions, view, outcome, floats)
            for actions in (self._actions, self._deals)
        )
        self._check_kernel = self._each(kernels.CHECK, rules, self._mask, self._given, self._actions, self._refused)
        self._step_kernel = self._place.bind(kernels.STEP, self.num_games, step, LANES * width)
        self._deal_kernel = self._place.bind(kernels.STEP, self.num_games, deal, LANES * width)
        random = self._random.view(torch.uint64)
        self._sample_kernel = self._each(kernels.SAMPLE, self._mask, random, self._sampled)
        self._form_kernel = self._bind_form()
        if self._history:
            recorded, shown = self._history[:-1], self._history[-1]
            taken = self._refused, self._games, self._mask, self._actions, recorded
            self._taken_kernel = self._each(kernels.RECORD_TAKEN, *taken)
            self._done_kernel = self._each(kernels.RECORD_DONE, self._refused, self._games, rules, recorded)
            self._history_kernel = self._each(kernels.VIEW_HISTORIES, recorded, self._seat, shown)

    def _bind_form(self) -> Callable[[], None] | None:
        """Bind what makes images of the rows, or None if observations are no images."""
        if self._form.encoding == "rlcard":
            return self._each(kernels.RLCARD, self._rows, self._obs)
        if self._form.encoding == "planes":
            cells = tuple(torch.tensor(array, device=self.device) for array in self._form.changing_cells)
            return self._each(kernels.CELLS, self._rows, *cells, self._obs.view(self.num_games, -1))
        return None

    def _each(self, kernel: Any, *arguments: Any) -> Callable[[], None]:
        return self._place.bind(kernel, self.num_games, arguments)

    def __repr__(self) -> str:
        return f"<DeviceGames: {self.num_games} by {self.rules!r} on {self.device}, seed {self.seed}>"

    def __reduce__(self) -> tuple[Any, ...]:
        form, match, reward = self._form, self._options["match"], self._options["reward"]
        dealt = None if self._unready == NOT_DEALT else self.get_state()
        return _restored, (
            self.num_games,
            self.rules,
            self.seed,
            str(self.device),
            form.dtype.name,
            None,
            match,
            reward,
            form.encoding,
            form.history,
            dealt,
        )

    @property
    def games(self) -> Array:
        """The states, hidden cards included, records [N] as of BatchedGames; a copy in ordinary memory."""
        return records(self._games.cpu().numpy().copy(), self._record)

    @exclusive
    def reset(self, seed: int | None = None) -> Seen:
        """Deal every game anew, as :meth:`uno_env.BatchedGames.reset`.

        Returns:
            Observations float32 | uint8 [N, D] of the player to move, masks uint8 [N, A] of what they may do, and their
            seats int8 [N].
        """
        begins = seed is not None or bool(self._unready)
        chosen = self.seed if seed is None else checked_seed(seed)
        self._unready = "reset() was interrupted"
        self.seed = chosen
        self._forget_refusal()
        if begins:
            self._each(kernels.SEED, self._games, np.uint64(self.seed))()
            first = OFFSET["rng"]
            states = self._games[:, first : first + 8].contiguous().view(torch.int64)[:, 0]
            self._random.copy_(states.bitwise_not())
            self._known.fill_(int(can_know(self._record)))  # whatever the rows show of known cards
        self._mask.zero_()
        self._deal_kernel()
        self._record_done()
        seen = self._shown()
        for each in (self._reward, self._done_bytes, self._results):
            each.zero_()
        self._unready = ""
        return seen

    @exclusive
    def deal(self, indices: Any, rng: Any) -> Seen:
        """Deal the games ``indices``, integers [K], anew, each from its own state of the generator, uint64 [K]; both
        are arrays in ordinary memory. For the rest see :meth:`uno_env.BatchedGames.deal`.
        """
        indices, states = checked_deals(indices, rng, self.num_games)
        self._check_ready("deal")
        self._wait_for_refusal()
        self._unready = "deal() was interrupted"
        chosen = torch.from_numpy(indices).to(self.device)
        given = torch.from_numpy(states.view(np.int64)).to(self.device).view(torch.uint64)
        arguments = self._games, self._on_device, self._view, chosen, given
        self._place.bind(kernels.DEAL_CHOSEN, len(chosen), arguments)()
        self._record_done(chosen)
        seen = self._shown(scale=True)
        self._unready = ""
        return seen

    @exclusive
    def step(self, actions: Any) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Act in every game; finished games are dealt anew in the same step.

        Args:
            actions: integers [N], the action of the player to move in each game; a tensor on the device is not copied
                through ordinary memory.

        Returns:
            Observations, masks and seats as :meth:`reset`; reward float32 [N, players], by absolute seat; done bool
            [N].

        Raises:
            IllegalActionError: an action of an *earlier* step was refused.
            ValueError: ``actions`` is not N integers, or :meth:`reset` was not called.
        """
        self._check_ready("step")
        if self._is_told.any():
            self._wait_for_refusal()
        given = self._checked_form(actions)
        self._unready = "step() was interrupted"
        self._given.copy_(given)
        self._check_kernel()
        if self._history:
            self._taken_kernel()
        self._step_kernel()
        self._record_done()
        seen = self._shown()
        self._told.copy_(self._refused, non_blocking=True)
        self._unready = ""
        return (*seen, *self._outcome)

    @exclusive
    def synchronize(self) -> None:
        """Wait until the device has done all steps. Raises IllegalActionError if it refused an action."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self._wait_for_refusal()

    @exclusive
    def sample_actions(self) -> Tensor:
        """A uniformly random legal action of each game, int64 [N], in the batch's own buffer; seeded with the batch,
        and the same as of BatchedGames. Raises ValueError if :meth:`reset` was not called.
        """
        self._check_ready("sample_actions")
        self._sample_kernel()
        return self._sampled

    @exclusive
    def get_state(self) -> dict[str, Array]:
        """The games with their history and all generators, as :meth:`uno_env.BatchedGames.get_state` gives them: arrays
        in ordinary memory, which a batch on any device can go on from.
        """
        if self._unready != NOT_DEALT:
            self._check_ready("get_state")
        self._wait_for_refusal()
        return {"games": self.games, **{name: self._array(each) for name, each in self._kept().items()}}

    @exclusive
    def set_state(self, state: Mapping[str, Array]) -> Seen:
        """Go on from a state that :meth:`get_state` gave, here or on the processor, see
        :meth:`uno_env.BatchedGames.set_state`.
        """
        own = {"games": np.broadcast_to(np.zeros((), row_dtype(self._record)), self.num_games)}
        kept = self._kept()
        forms = {name: np.dtype(str(each.dtype).removeprefix("torch.")) for name, each in kept.items()}
        own |= {name: np.broadcast_to(np.zeros((), forms[name]), each.shape) for name, each in kept.items()}
        given = checked_arrays(state, own)
        verify_games(given["games"], self.rules, self._record)
        if self._events:
            self._events.verify(given)
        self._unready = "set_state() was interrupted"
        self._forget_refusal()
        rows = np.ascontiguousarray(given["games"]).view(np.uint8).reshape(self.num_games, -1)
        self._games.copy_(torch.from_numpy(rows))
        for name, each in kept.items():
            each.copy_(torch.from_numpy(given[name]))
        self._known.fill_(int(can_know(self._record)))  # whatever the rows show of known cards
        self._each(kernels.VIEW, self._games, self._on_device, self._view)()
        seen = self._shown(scale=True)
        self._unready = ""
        return seen

    def _kept(self) -> dict[str, Tensor]:
        """What a step begins with beside the games, by the names of a state."""
        kept = {"random": self._random.view(torch.uint64)}
        return kept | (dict(zip(self._events.state(), self._history, strict=False)) if self._events else {})

    def _array(self, tensor: Tensor) -> Array:
        copied: Array = tensor.cpu().numpy().copy()
        return copied

    def _record_done(self, chosen: Tensor | None = None) -> None:
        """Record a step or deal of all games, or of the games ``chosen``."""
        if self._history:
            facts = self._history[3]
            facts[:, STEPPED] = int(chosen is None)
            if chosen is not None:
                facts[chosen, STEPPED] = 1
            self._done_kernel()

    def _shown(self, scale: bool = False) -> Seen:
        """What the players to move see; the float form is written anew only if asked for, since a step writes it."""
        if scale and self._is_scaled:
            self._each(kernels.SCALE, self._on_device, self._rows, self._known, self._scales, self._obs)()
        if self._form_kernel is not None:
            self._form_kernel()
        if self._history:
            self._history_kernel()
        return self._obs, self._mask, self._seat

    def _checked_form(self, actions: Any) -> Tensor:
        """Actions as integers [N]; raises ValueError if they are not. The device checks whether they are legal."""
        given = actions if isinstance(actions, Tensor) else torch.from_numpy(np.array(actions))
        whole = not (given.is_floating_point() or given.is_complex() or given.dtype == torch.bool)
        if given.shape != (self.num_games,) or not whole:
            name, shape = str(given.dtype).removeprefix("torch."), tuple(given.shape)
            raise ValueError(f"actions must be {self.num_games} integers, not {name} of shape {shape}")
        return given

    def _forget_refusal(self) -> None:
        self._refused.zero_()
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        self._told.zero_()

    def _wait_for_refusal(self) -> None:
        """Raise what the device has refused, if anything; the games are as before that step."""
        if self._refused.any():
            mask, actions = self._array(self._mask), self._array(self._actions)
            game = find_refused(self._record, mask, actions, 0, self.num_games)
            self._forget_refusal()
            raise refusal(game, actions[game], mask[game])


def checked_device(device: Any) -> torch.device:
    """A device of PyTorch, a GPU with its number. Raises ValueError if it is neither a GPU nor the processor."""
    try:
        chosen = torch.device(device)
    except (RuntimeError, TypeError):
        chosen = torch.device("meta")
    if chosen.type not in ("cuda", "cpu"):
        raise ValueError(f"device={str(device)!r} is not allowed: choose 'cuda', a GPU such as 'cuda:1', or 'cpu'")
    return torch.device("cuda", chosen.index or 0) if chosen.type == "cuda" else torch.device("cpu")


def _restored(*given: Any) -> DeviceGames:
    """A copy of a batch: its arguments, and its state if it was dealt."""
    *arguments, state = given
    batch = DeviceGames(*arguments)
    if state is not None:
        batch.set_state(state)
    return batch
