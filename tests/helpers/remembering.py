"""An agent that says that it remembers the hand it is in, for tests of who refuses one: :data:`REMEMBERS`."""

from typing import Any


class Remembers:
    state_size = 1

    def act_batch(self, observations: Any, masks: Any) -> Any:
        return masks.argmax(axis=1)

    def act_recurrent(self, observations: Any, masks: Any, states: Any) -> Any:
        return masks.argmax(axis=1)


REMEMBERS = f"{__name__}:Remembers"
"""How it is named where agents are loaded."""
