"""The opponents that decide on the device of the games: :class:`DeviceDeciders`.

- *Past selves* are evaluated together (:mod:`.past_selves`), in all games that have an opponent.
- *Scripted agents* are compiled for the GPU from the same source files, but for cards with two sides.
- *Saved policies* are evaluated there (:mod:`.policy`).
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.policy.policy_agent import PolicyAgent
from agents.scripted.agent import ScriptedAgent
from agents.scripted.faces import faces_of
from agents.scripted.strategy import Scratch
from train.algorithms.parts.device.kernels import scripted_kernel
from train.algorithms.parts.device.past_selves import PastSelves
from train.algorithms.parts.device.policy import Deciding, PolicyOnDevice
from train.algorithms.parts.kernels import OPPONENT, Meetings
from train.algorithms.parts.masked_softmax import sample_masked
from train.algorithms.parts.past_self import PastSelf
from uno_env.actions import number_of
from uno_env.core.jit.places import Bound
from uno_env.editions import edition_for
from uno_env.placed_games import PlacedGames
from uno_env.player import Player


class DeviceDeciders:
    """Decides on the device for those opponents that can be there.

    Tensors stay where they are, and only :meth:`set` and :meth:`begin` wait for the device. So :meth:`decide` can be
    recorded as a CUDA graph.

    Args:
        games: the games of the rollout.
        meetings: who plays against whom.
        deciding: what is shared with the rollout.
    """

    def __init__(self, games: PlacedGames[Tensor], meetings: Meetings, deciding: Deciding) -> None:
        self._games, self._deciding, self._opponent = games, deciding, meetings.opponent
        self._playing = torch.nonzero(meetings.has_opponent).squeeze(1)
        self._selves = PastSelves()
        self._here: dict[int, Bound] = {}
        self._memory: tuple[Any, ...] = ()

    @property
    def parts(self) -> tuple[int, ...]:
        """The parts of :meth:`decide`: it does the same as long as these are the same."""
        return (self._selves.places, *self._here)

    def set(self, players: Mapping[int, Player]) -> set[int]:
        """Set the opponents by their numbers; who was there before stays there. Returns the numbers of those who cannot
        decide on the device.
        """
        selves = {number: each.network for number, each in players.items() if isinstance(each, PastSelf)}
        self._selves.set(selves)
        named = {number: each for number, each in players.items() if number not in selves}
        deciders = {number: self._here.get(number) or self._decider(number, each) for number, each in named.items()}
        self._here = {number: decide for number, decide in deciders.items() if decide is not None}
        return named.keys() - self._here.keys()

    def _decider(self, number: int, player: Player) -> Bound | None:
        """A function that decides for a player in all games that wait for it; None if that cannot be done here."""
        if type(player) is ScriptedAgent and edition_for(self._games.rules).sides == 1:
            return self._bound(number, player)
        if type(player) is PolicyAgent and not player.card.random_rules:
            policy = PolicyOnDevice(player, self._games, self._playing, self._deciding)
            return partial(policy.decide, self._opponent, number)
        return None

    def _bound(self, number: int, agent: ScriptedAgent) -> Bound:
        """The kernel of a scripted agent."""
        games, deciding, place = len(self._playing), self._deciding, self._games.place
        if not self._memory:
            self._memory = (
                place.zeros(games, dtype=np.uint64),
                place.zeros(games, number_of(self._games.rules), dtype=np.int64),
                place.zeros(games, number_of(self._games.rules), dtype=np.float64),
            )
        random, legal, scores = self._memory
        weights = place.from_numpy(agent.weights)
        waiting = number, self._playing, self._opponent, deciding.decided.decider
        obs, mask, _ = deciding.seen
        faces = place.record(faces_of(edition_for(self._games.rules))[0])
        scratch = Scratch(random, legal, scores, weights, obs, mask)
        arguments = faces, waiting, obs, mask, scratch, deciding.decided.action
        return place.bind(scripted_kernel(agent.strategy), games, arguments)

    def begin(self, seed: Callable[[], int]) -> None:
        """Begin a rollout: seed the scripted agents."""
        if self._memory:
            states = np.random.default_rng(seed()).integers(2**63, size=len(self._playing))
            self._memory[0].view(torch.int64).copy_(torch.from_numpy(states))

    def decide(self, rows: slice) -> None:
        """Decide the actions of these opponents where they are to move; ``rows`` are those of the network's input in
        this step.
        """
        if self._selves.places:
            self._decide_for_selves(rows)
        for decide in self._here.values():
            decide()

    def _decide_for_selves(self, rows: slice) -> None:
        """Draw the actions of past selves by their probabilities."""
        playing, (_, decided, real, generator) = self._playing, self._deciding
        shown, legal = decided.rows[rows][playing], decided.masks[rows][playing]
        logits, found = self._selves.logits(shown, self._opponent[playing])
        output, _ = sample_masked(logits, legal, generator)
        waiting = found & (decided.decider[playing] == OPPONENT)
        action = real[decided.form[playing], output]
        decided.action[playing] = torch.where(waiting, action, decided.action[playing])
