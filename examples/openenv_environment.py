"""UNO for OpenEnv's server and clients: `uvicorn openenv_environment:app` in this folder; openenv-core 0.3.0."""

from typing import Any

from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

from uno_env.text import TextEnv


class UnoAction(Action):
    """The answer of a model."""

    text: str


class UnoObservation(Observation):
    """The rules and the first prompt, the next prompt, or what was wrong with the answer."""

    text: str


class UnoEnvironment(Environment[UnoAction, UnoObservation, State]):
    """One seat against `greedy`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._env, self._state = TextEnv("duel", opponents="greedy"), State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> UnoObservation:
        self._state = State(episode_id=episode_id)
        return UnoObservation(text=self._env.reset(0 if seed is None else seed))

    def step(self, action: UnoAction, timeout_s: float | None = None, **_: Any) -> UnoObservation:
        step = self._env.step(action.text)
        self._state.step_count += 1
        return UnoObservation(text=step.text, reward=step.reward, done=step.done, metadata=step.info)

    @property
    def state(self) -> State:
        return self._state


def main(play: Any = lambda text: "[1]", seed: int = 1) -> float:
    """Play a hand with a function of what the seat was told; the reward."""
    env = UnoEnvironment()
    seen = env.reset(seed=seed)
    while not seen.done:
        seen = env.step(UnoAction(text=play(seen.text)))
    print(seen.text, seen.reward)
    return seen.reward


app = create_fastapi_app(UnoEnvironment, UnoAction, UnoObservation)

if __name__ == "__main__":
    main()
