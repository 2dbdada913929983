"""Kernels of opponents on a GPU (:mod:`uno_env.core.jit.places`): saved policies' input, and scripted agents."""

from functools import cache
from typing import Any

from agents.scripted.dispatch import STRATEGIES
from agents.scripted.faces import Faces
from agents.scripted.strategy import Scratch
from train.algorithms.parts.kernels import OPPONENT, Arrays, show_game
from uno_env.core.arrays import Array
from uno_env.core.jit.njit import njit
from uno_env.core.jit.places import Each
from uno_env.symmetry.canonical import FormArrays
from uno_env.symmetry.kernels import form_of
from uno_env.symmetry.tables import Tables


@njit
def show_policy(
    playing: Array,
    obs: Array,
    mask: Array,
    tables: Tables,
    form_arrays: FormArrays,
    shown: Arrays,
    start: int,
    stop: int,
) -> None:
    """Show the games ``playing``, int64 [K], to a saved policy: ``shown`` is their forms int64 [K], the rows that it
    reads uint8 [K, C], and which of its outputs are legal uint8 [K, A].
    """
    forms, rows, legal = shown
    for entry in range(start, stop):
        game = playing[entry]
        if form_arrays.symmetric:
            forms[entry] = form_of(obs[game], form_arrays.events, 0, form_arrays.groups, tables)
        show_game(obs[game], mask[game], forms[entry], form_arrays, rows[entry], legal[entry], 0, 1)


@cache
def scripted_kernel(strategy: str) -> Each:
    """The kernel that decides for a scripted agent, one of :data:`agents.scripted.dispatch.STRATEGIES`, if cards have
    one side.

    Its arguments: ``faces``, the record of :func:`agents.scripted.faces.faces_of`; ``waiting``, which is the agent's
    number as an opponent, the games with opponents int64 [K], the opponent of each game int64 [N], and who decides
    there uint8 [N]; observations uint8 [N, D] and masks uint8 [N, A];
    a :class:`agents.scripted.strategy.Scratch` with an entry for each of the K games; and ``actions``, int64 [N].
    """
    decide = STRATEGIES[strategy].decide

    @njit
    def decide_scripted(
        faces: Faces, waiting: Any, obs: Array, mask: Array, scratch: Scratch, actions: Array, start: int, stop: int
    ) -> None:
        number, playing, opponent, decider = waiting
        random, legal, scores, weights, _, _ = scratch
        for entry in range(start, stop):
            game = playing[entry]
            if decider[game] == OPPONENT and opponent[game] == number:
                own = Scratch(random[entry : entry + 1], legal[entry], scores[entry], weights, obs[game], mask[game])
                actions[game] = decide(faces, obs[game], mask[game], own)

    return Each(decide_scripted)


SHOW_POLICY = Each(show_policy)
