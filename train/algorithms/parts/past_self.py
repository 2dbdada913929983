"""A past self of a learner as an opponent: :class:`PastSelf`."""

import numpy as np
import numpy.typing as npt

from train.networks import kernels
from train.networks.policy_network import NetworkPlayer
from uno_env.core.arrays import Bytes


class PastSelf(NetworkPlayer):
    """Draws actions by a network's probabilities. Threads may share the network, but not this player."""

    def reset(self, seed: int) -> None:
        """Draw from now on with a new generator of random numbers."""
        self._rng = np.random.default_rng(seed)

    def act_batch(self, observations: Bytes, masks: Bytes, histories: Bytes | None = None) -> npt.NDArray[np.int64]:
        """An action for each row of observations uint8 [N, D] and masks uint8 [N, A], as :meth:`agents.Agent`'s."""
        logits, _ = self.logits_and_value(observations)
        chosen, logp = np.zeros(len(logits), np.int64), np.zeros(len(logits), np.float32)
        legal = (masks[:, self.network.actions] != 0).view(np.uint8)
        kernels.sample_masked(logits, legal, self._rng.random(len(logits), np.float32), chosen, logp)
        return self.network.actions[chosen]
