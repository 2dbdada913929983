"""A hand as an environment of TRL's GRPOTrainer: `GRPOTrainer(…, environment_factory=UnoEnvironment)`; TRL 1.16.

TRL makes an environment for each rollout, gives its methods to the model as tools, and asks for the reward at the end.
The model must be one whose chat template calls tools.
"""

from typing import Any

from uno_env.text import TextEnv


class UnoEnvironment:
    """One seat against `greedy`; an example of the data set may have a `seed`, that of the cards."""

    def __init__(self) -> None:
        self._env = TextEnv("duel", opponents="greedy")
        self._reward, self._done = 0.0, False

    def reset(self, seed: int = 0, **_: Any) -> str:
        """Deal; what TRL puts behind the prompt of the example."""
        self._reward, self._done = 0.0, False
        return self._env.reset(seed)

    def play(self, move: str) -> str:
        """Play a move of the hand of UNO.

        Args:
            move: a move of the list, by its number or its name.

        Returns:
            What happened until the next decision, and the moves then.
        """
        if self._done:
            return "The hand is over."
        step = self._env.step(f"[{move}]")
        self._reward, self._done = step.reward, step.done
        return step.text

    def get_reward(self) -> float:
        """1 if the hand was won, −1 if it was lost, 0 if nobody won it, −0.5 if it was not played to its end."""
        return self._reward if self._done else -0.5


def main(play: Any = lambda text: "1", seed: int = 1) -> float:
    """Play a hand as a model would: a function of what it was told, which names a move; the reward."""
    env = UnoEnvironment()
    text = env.reset(seed=seed)
    while not text.endswith(("won.", "lost.", "nobody has won.")):
        text = env.play(play(text))
    print(text, env.get_reward())
    return env.get_reward()


if __name__ == "__main__":
    main()
