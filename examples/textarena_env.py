"""UNO as an environment of TextArena, all seats asked in words: `textarena.make("Uno-v0")`; TextArena 0.7.4."""

from typing import Any

import textarena as ta

from uno_env.text import TextEnv, rules_text


class UnoEnv(ta.Env):
    """A hand; what a seat is told is for this seat alone."""

    def __init__(self, rules: str = "duel", error_allowance: int = 2) -> None:
        self.rules, self.error_allowance = rules, error_allowance

    def reset(self, num_players: int, seed: int | None = None) -> None:
        self.words = TextEnv(self.rules, opponents=None, players=num_players, rethinks=self.error_allowance)
        first = self.words.reset(0 if seed is None else seed).partition("\n\n")[2]
        self.state = ta.FFAMultiPlayerState(num_players, seed, error_allowance=self.error_allowance)
        self.state.reset(player_prompt_function=lambda player_id, game_state: rules_text(self.words.rules))
        self._ask(first)

    def step(self, action: str) -> tuple[bool, ta.Info]:
        """Do what the seat to move has answered."""
        seat, said = self.state.current_player_id, ta.ObservationType.PLAYER_ACTION
        self.state.add_observation(action, said, from_id=seat, to_id=seat)
        step = self.words.step(action)
        if step.info["refused"]:
            self.state.set_invalid_move(step.text)
        if step.done:
            self.state.set_game_outcome(dict(enumerate(step.info["rewards"])), step.text)
        elif not step.info["refused"]:
            self._ask(step.text)
        return self.state.step(rotate_player=False)

    def _ask(self, prompt: str) -> None:
        self.state.manually_set_current_player_id(self.words.seat)
        self.state.add_observation(prompt, ta.ObservationType.GAME_BOARD, to_id=self.words.seat)


ta.register("Uno-v0", UnoEnv)


def main(play: Any = lambda text: "[1]", players: int = 3, seed: int = 1) -> dict[int, float]:
    """Play a hand with a function of what a seat was told as every seat; the rewards."""
    env = ta.make("Uno-v0")
    env.reset(num_players=players, seed=seed)
    done = False
    while not done:
        _, told = env.get_observation()
        done, _ = env.step(play("\n".join(text for _, text, _ in told) if isinstance(told, list) else told))
    rewards, _ = env.close()
    print(rewards)
    return rewards


if __name__ == "__main__":
    main()
