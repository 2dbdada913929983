"""``python -m uno_env.warm_up``: compile what is commonly needed, such as when an image of a container is built."""

import argparse
import contextlib
import importlib
import io
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from uno_env.batched import BatchedGames
from uno_env.core.jit.notice import NOTICE
from uno_env.editions import OTHERS
from uno_env.game import Game
from uno_env.rules import Rules


def _first_steps() -> None:
    for options in ({}, {"obs_dtype": "uint8"}, {"history": 2}):
        batch = BatchedGames(4, "duel", **options)
        batch.reset()
        batch.step(batch.sample_actions())
        batch.set_state(batch.get_state())


def _stacked_deals() -> None:
    for rules in ("duel", *OTHERS):
        Game(rules, deck=[0])


def _other_editions() -> None:
    for rules in OTHERS:
        batch = BatchedGames(4, rules)
        batch.reset()
        batch.step(batch.sample_actions())
        game = Game.from_json(Game(rules, seed=0).to_json())
        game.observe(game.to_move)
        game.step(game.legal_actions()[0])


def _playouts() -> None:
    Game("duel", seed=0).playouts(2)


def _trees() -> None:
    from uno_env.extensive_form import ExtensiveForm

    position = ExtensiveForm(Rules.preset("mini")).root
    while position.is_chance:
        position = position.move(position.chance_moves()[0][0])
    position.move(position.legal_actions()[0])


def _environments() -> None:
    import gymnasium

    from uno_env.envs.pettingzoo_env import env as make_env

    env = make_env(rules="duel")
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    single = gymnasium.make("uno_env/Uno-v0", rules="duel", opponents=["greedy"])
    _, info = single.reset(seed=0)
    single.step(int(info["action_mask"].argmax()))
    many = gymnasium.make_vec("uno_env/Uno-v0", num_envs=2, opponents=["greedy"])
    _, infos = many.reset(seed=0)
    many.step(infos["action_mask"].argmax(axis=1))


LEFT_OUT = "left out, as "
"""The words for a part that needs a library that is not there."""
PARTS: Mapping[str, Callable[[], None]] = {
    "a first step of a batch": _first_steps,
    "environments": _environments,
    "No Mercy and Flip": _other_editions,
    "stacked deals": _stacked_deals,
    "playouts": _playouts,
    "trees": _trees,
}
"""The parts of this package, each compiled by doing a little of it."""


def all_parts() -> dict[str, Callable[[], None]]:
    """The parts of all installed packages of uno-env; those beside this one have them in a module of the same name."""
    parts = dict(PARTS)
    for package in ("agents", "train", "uno_table"):
        if Path(__file__).parents[1].joinpath(package).is_dir():
            parts |= importlib.import_module(f"{package}.warm_up").PARTS
    return parts


def main(backwards: bool = False) -> None:
    """Compile what is commonly needed, once for this machine and version; say how long each part took."""
    compiled, began = NOTICE.compiled, time.monotonic()
    parts = list(all_parts().items())
    for name, work in reversed(parts) if backwards else parts:
        before, since = NOTICE.compiled, time.monotonic()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                work()
        except ModuleNotFoundError as error:
            print(f"{name}: {LEFT_OUT}{error.name} is not installed", flush=True)
        else:
            print(f"{name}: {_compiled(NOTICE.compiled - before)}, {time.monotonic() - since:.1f} s", flush=True)
    print(f"{_compiled(NOTICE.compiled - compiled)} in {time.monotonic() - began:.1f} s")


def _compiled(number: int) -> str:
    return f"{number or 'no'} function{'' if number == 1 else 's'} compiled"


if __name__ == "__main__":
    parser = argparse.ArgumentParser("python -m uno_env.warm_up", description=main.__doc__)
    parser.add_argument(
        "--backwards",
        action="store_true",
        help="begin with the last part: beside a process that begins with the first, each finds in the cache what the "
        "other has compiled",
    )
    main(parser.parse_args().backwards)
