"""``python tools/cli/warm_up.py``: compile what is commonly needed, such as when an image of a container is built.

Run as a file, it compiles for the packages that are installed, not for those of the checkout.
"""

import argparse
import contextlib
import io
import json
import tempfile
import time
from importlib.util import find_spec

import agents
import uno_env
from train.common.progress import progress_bar
from uno_env.core.jit.notice import NOTICE
from uno_env.rules import Rules

SMALL = {"total_timesteps": 256, "num_envs": 4, "num_steps": 32, "minibatch_size": 128, "hidden": [8], "eval_deals": 4}
"""A config's changes that make a run as short as it can be."""
SEARCHES = ("search:flat?num_determinizations=2", "search:pimc?num_determinizations=2&sims=4", "search:ismcts?sims=4")


def _first_steps() -> None:
    for options in ({}, {"obs_dtype": "uint8"}, {"history": 2}):
        batch = uno_env.BatchedGames(4, "duel", **options)
        batch.reset()
        batch.step(batch.sample_actions())


def _environments() -> None:
    import gymnasium

    env = uno_env.env("duel")
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    single = gymnasium.make("uno_env/Uno-v0", rules="duel", opponents=["greedy"])
    _, info = single.reset(seed=0)
    single.step(int(info["action_mask"].argmax()))
    many = gymnasium.make_vec("uno_env/Uno-v0", num_envs=2, opponents=["greedy"])
    _, infos = many.reset(seed=0)
    many.step(infos["action_mask"].argmax(axis=1))


def _agents() -> None:
    game = uno_env.Game("duel", seed=0)
    masks = game.action_mask()[None]
    for name in (*agents.names(), *SEARCHES):
        agent = agents.load(name)
        if agent.history or agent.state_size:
            continue  # of another package
        for dtype in ("uint8", "float32"):
            agent.act_batch(game.observe(game.to_move, dtype)[None], masks)


def _tables() -> None:
    from agents.human.table.rehearsal import rehearse

    rehearse(["greedy"], Rules.preset("classic", players=2))
    rehearse(["zoo:duel-2p"], Rules.preset("duel"))


def _evaluations() -> None:
    from train.evaluation.duplicate import evaluate

    evaluate("zoo:duel-2p", "greedy", "duel", 4, 1)


def _training() -> None:
    from train.algorithms.registry import prepare_training
    from train.runs.config import SHIPPED

    with tempfile.TemporaryDirectory() as folder:
        changes = {**SMALL, "folder": folder, "name": "warm-up", "threads": 1, "device": "cpu"}
        prepare_training(SHIPPED / "ppo" / "duel-2p.yaml", {key: json.dumps(value) for key, value in changes.items()})()


PARTS = {
    "a first step of a batch": _first_steps,
    "environments": _environments,
    "agents": _agents,
    "tables": _tables,
    "evaluations": _evaluations,
    "training": _training,
}
"""The parts that are compiled, each by doing a little of it."""


def main() -> None:
    """Compile what is commonly needed, once for this machine and version; say how long each part took."""
    names = [name for name in PARTS if name != "training" or find_spec("torch")]
    compiled, began = NOTICE.compiled, time.monotonic()
    with progress_bar("Compiling", len(names)) as show:
        for done, name in enumerate(names, 1):
            before, since = NOTICE.compiled, time.monotonic()
            with contextlib.redirect_stdout(io.StringIO()):
                PARTS[name]()
            print(f"{name}: {_compiled(NOTICE.compiled - before)}, {time.monotonic() - since:.1f} s", flush=True)
            show(done)
    if "training" not in names:
        print("training: left out, as the extra uno-env[train] is not installed")
    print(f"{_compiled(NOTICE.compiled - compiled)} in {time.monotonic() - began:.1f} s")


def _compiled(number: int) -> str:
    return f"{number or 'no'} function{'' if number == 1 else 's'} compiled"


if __name__ == "__main__":
    argparse.ArgumentParser("python -m tools.cli.warm_up", description=main.__doc__).parse_args()
    main()
