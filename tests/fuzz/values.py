"""Arguments for the fuzzer: some that a method may be meant for, and hostile ones."""

import random
from typing import Any

import numpy as np

from uno_env.actions import NUM_ACTIONS
from uno_env.history import EVENT_SIZE
from uno_env.observation import OBSERVATION_SIZE

NUMBERS = (0, 1, 2, 3, 9, 10, 131, 132, -1, -2, 255, 2**31, -(2**31), 2**63, 2**64 - 1, 2**64, -(2**63), 2**70)
SIZES = {"number", "num_games", "num_envs", "steps", "threads", "players", "history", "length"}
"""Names of arguments that memory and time grow with: these get small numbers."""
SCALARS = (None, True, False, 0.5, -0.0, float("nan"), float("inf"), 1e300, 1j, "", "x", "r5", "2", b"x", object, ...)
DTYPES = (
    "int64",
    "int8",
    "uint8",
    "uint64",
    "int32",
    "float32",
    "float64",
    "bool",
    ">i8",
    "complex64",
    "O",
    "U3",
    "V4",
)
SHAPES = ((0,), (1,), (2,), (3,), (4,), (7,), (), (2, 2), (0, 5), (3, NUM_ACTIONS), (3, OBSERVATION_SIZE), (2, 3, 4))


class Values:
    """Draws arguments; equal seeds give equal ones."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.numbers = np.random.default_rng(seed)

    def hostile(self, name: str = "") -> Any:
        """Anything."""
        small = name in SIZES
        kind = self.chance.randrange(8)
        if kind == 0:
            return self.chance.choice(SCALARS)
        if kind <= 2:
            return self.chance.choice(NUMBERS[:6] if small else NUMBERS)
        if kind == 3:
            return [self.chance.choice((*NUMBERS[:9], *SCALARS[:6])) for _ in range(self.chance.randrange(5))]
        if kind == 4:
            return self.chance.choice(
                [{}, {"games": 1}, {"reset_mask": [1]}, {"deck": "q9"}, {"dealer": 99}, set(), [[]]]
            )
        return self.twisted(self.array())

    def array(self) -> Any:
        """An array of any dtype and shape."""
        shape, dtype = self.chance.choice(SHAPES), self.chance.choice(DTYPES)
        values = self.numbers.integers(-3, 140, shape)
        return np.asarray(values).astype(dtype) if dtype != "V4" else np.zeros(shape, "V4")

    def twisted(self, array: Any) -> Any:
        """The same array, or one that differs in its numbers, its shape, its dtype or its flags."""
        kind = self.chance.randrange(9)
        if not isinstance(array, np.ndarray) or kind <= 1:
            return array
        array = array.copy()
        if kind == 2 and array.size and array.dtype.kind in "iuf":
            flat = array.reshape(-1)
            flat[self.chance.randrange(flat.size)] = self.chance.choice((0, 1, 5, 77, 127))
        elif kind == 3 and array.dtype.kind in "iu":
            array[...] = self.numbers.integers(0, 120, array.shape)
        elif kind == 4 and array.ndim:
            array = array[: self.chance.randrange(len(array) + 1)]
        elif kind == 5 and array.dtype.kind in "iufb":
            array = array.astype(self.chance.choice(DTYPES[:9]))
        elif kind == 6 and array.ndim:
            array = np.repeat(array, 2, axis=-1)[..., ::2]
        elif kind == 7:
            array.flags.writeable = False
        elif array.dtype.kind == "U" and array.size:
            letters = self.numbers.integers(0, 0x110000, array.nbytes // 4, np.uint32)  # Python has no others
            array = letters.view(array.dtype).reshape(array.shape)
        elif array.dtype.hasobject is False and array.size:
            array = np.frombuffer(self.numbers.bytes(array.nbytes), array.dtype).reshape(array.shape).copy()
        return array

    def mapping(self, state: Any) -> Any:
        """A saved state in which one thing is not as it was."""
        if isinstance(state, list):
            return [self.mapping(each) for each in state][: self.chance.choice((9, 9, 9, 1, 0))]
        state = dict(state)
        name = self.chance.choice(list(state))
        state[name] = self.field_twisted(state[name])
        if self.chance.random() < 0.05:
            del state[name]
        return state

    def field_twisted(self, array: Any) -> Any:
        """An array as of :meth:`twisted`; of records, one number of one field is another."""
        if not isinstance(array, np.ndarray) or not array.dtype.names or self.chance.random() < 0.2:
            return self.twisted(array)
        array = array.copy()
        part = array[self.chance.choice(array.dtype.names)]
        while part.dtype.names:
            part = part[self.chance.choice(part.dtype.names)]
        index = tuple(self.chance.randrange(length) for length in part.shape)
        limits = np.iinfo(part.dtype)
        choices = (0, 1, 2, 3, 57, 107, 108, -1, limits.min, limits.max)
        part[index] = min(max(self.chance.choice(choices), limits.min), limits.max)
        return array

    def events(self, number: int) -> Any:
        """Past events, possible or not."""
        return self.twisted(
            self.numbers.integers(0, self.chance.choice((2, 9, 256)), (number, 3, EVENT_SIZE), np.uint8)
        )
