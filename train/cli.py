"""The command ``uno``: train, evaluate, play, replay, benchmark, demo, agents, rules.

A mistake of the user ends in one sentence on the standard error and exit code 2, Ctrl-C in one line and 130. Only
what a user gives is guarded like that: any other error is a bug, and keeps its traceback. Heavy libraries are imported
by the command that needs them.
"""

import argparse
import contextlib
import os
import secrets
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from train.evaluate import Evaluation
    from uno_env.rules import Rules

EXTRAS = {
    "torch": "train",
    "tensorboard": "train",
    "matplotlib": "train",
    "stable_baselines3": "sb3",
    "sb3_contrib": "sb3",
}
"""Libraries that not everyone installs, and the extra of this project that brings them."""

OK, USER_ERROR, INTERRUPTED = 0, 2, 130

Command = Callable[[argparse.Namespace], int | None]


class UserError(Exception):
    """A mistake of the user, in one sentence."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        args = parse_arguments(arguments)
        args.command_line = shlex.join(["uno", *arguments])
        return args.run(args) or OK
    except UserError as error:
        print(f"uno: {error}", file=sys.stderr)
        return USER_ERROR
    except KeyboardInterrupt as interrupt:
        print(f"\n{str(interrupt) or 'Interrupted.'}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone (`uno replay game.json | head`): what is left has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


@contextlib.contextmanager
def user_input() -> Iterator[None]:
    """Around whatever takes apart what the user gave: its ValueErrors and OSErrors are the user's mistakes."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}" if error.filename else str(error)) from error
    except ValueError as error:
        raise UserError(" ".join(str(error).split())) from error
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRAS:
            raise
        raise UserError(f"this command needs {library}: pip install 'uno-env[{EXTRAS[library]}]'") from error


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command line, with its command as ``run``.

    Raises:
        UserError: they are not allowed.
    """
    parser = _Parser(prog="uno", description="The UNO card game for multi-agent reinforcement learning.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (
        _add_train,
        _add_evaluate,
        _add_play,
        _add_replay,
        _add_benchmark,
        _add_demo,
        _add_agents,
        _add_rule_pages,
    ):
        add(commands)
    args, rest = parser.parse_known_args(arguments)
    if rest and not args.takes_rest:
        raise UserError(f"unknown argument {rest[0]!r}: see {args.name} --help")
    args.rest = rest
    return args


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise UserError(f"{message} (see {self.prog} --help)")


def _add_command(commands: Any, name: str, run: Command, help_text: str, takes_rest: bool = False) -> _Parser:
    parser: _Parser = commands.add_parser(name, help=help_text, description=f"{help_text[0].upper()}{help_text[1:]}.")
    parser.set_defaults(run=run, takes_rest=takes_rest, name=parser.prog)
    return parser


def _add_rules(parser: _Parser, default: str) -> None:
    parser.add_argument(
        "--rules",
        metavar="PRESET",
        help="rules: a preset, changed by fields if need be, such as duel or classic,draw=until_playable "
        f"(default: those of the first saved policy, else {default})",
    )
    parser.add_argument("--players", type=_whole(2), metavar="N", help="number of players (default: that of the rules)")


def _whole(low: int, high: int | None = None) -> Callable[[str], int]:
    """A type of argument: whole numbers from ``low`` to ``high``."""

    def convert(text: str) -> int:
        allowed = f"{low} or more" if high is None else f"from {low} to {high}"
        with contextlib.suppress(ValueError):
            number = int(text)
            if number >= low and (high is None or number <= high):
                return number
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: choose a whole number, {allowed}")

    return convert


_seed = _whole(0, 2**64 - 1)


def make_rules(text: str | None, players: int | None, specs: Sequence[str], default: str) -> "Rules":
    """The rules that a user means.

    Args:
        text: a preset, then fields: ``"duel"``, ``"classic,draw=until_playable"``; None for those of the first saved
            policy among ``specs``, or the preset ``default``.
        players: number of players, if given.
        specs: the agents at the table.
        default: a preset.

    Raises:
        ValueError: there are no such rules or agents.
    """
    import agents
    from uno_env.rules import as_rules

    if text is None:
        cards = (getattr(agents.load(spec), "card", None) for spec in specs)
        trained = next((card.rules for card in cards if card is not None), None)
        return as_rules(default if trained is None else trained, players)
    preset, *changes = text.split(",")
    values: dict[str, Any] = {"preset": preset}
    for change in changes:
        field, equals, value = change.partition("=")
        if not equals:
            raise ValueError(f"--rules {text!r} is not allowed: write {change!r} as field=value")
        values[field.strip()] = _rule_value(field.strip(), value)
    return as_rules(values, players)


def _rule_value(field: str, text: str) -> Any:
    """The value of a rule as YAML reads it; named values stay texts, since ``off`` is False in YAML."""
    import yaml

    from uno_env.core.record import SWITCHES

    if field in SWITCHES or field == "deck":
        return text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        raise ValueError(f"--rules: {field}={text!r} is not allowed: it is no value") from None


# --- train ------------------------------------------------------------------------------------------------------------


def _add_train(commands: Any) -> None:
    parser = _add_command(commands, "train", _train, "train a policy on a config, or go on with a run", takes_rest=True)
    parser.add_argument("target", type=Path, metavar="CONFIG", help="a YAML file, such as configs/demo.yaml, or the "
                        "folder of a run to go on with")  # fmt: skip
    parser.epilog = "Any key of the config can be changed: --key value (some of them in a run that goes on)."


def _train(args: argparse.Namespace) -> None:
    with user_input():
        from train.algorithms import prepare_training

        start = prepare_training(args.target, overrides(args.rest))
    folder = run_training(start)
    print(f"The policy is {folder / 'policy.safetensors'}")


def run_training(start: Callable[[], Path]) -> Path:
    """Train; that the numbers diverge is no bug either, but a matter of the config."""
    from train.run import DivergedError

    try:
        return start()
    except DivergedError as error:
        raise UserError(str(error)) from error


def overrides(rest: Sequence[str]) -> dict[str, str]:
    """Keys and values of ``--key value`` or ``--key=value``.

    Raises:
        ValueError: the words are something else.
    """
    values: dict[str, str] = {}
    words = iter(rest)
    for word in words:
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise ValueError(f"unknown argument {word!r}: keys of the config are changed by --key value")
        if not equals:
            following = next(words, None)
            if following is None:
                raise ValueError(f"{word} needs a value: write {word} VALUE")
            value = following
        values[key.replace("-", "_")] = value
    return values


# --- evaluate ---------------------------------------------------------------------------------------------------------


def _add_evaluate(commands: Any) -> None:
    parser = _add_command(
        commands, "evaluate", _evaluate, "measure how often an agent wins, on duplicate deals with seats rotated"
    )
    parser.add_argument("agent", metavar="AGENT", help="a name that `uno agents` lists, or the path of a saved policy")
    parser.add_argument("--against", nargs="+", required=True, metavar="AGENT", help="opponents, one table each")
    _add_rules(parser, "duel")
    number = parser.add_mutually_exclusive_group()
    number.add_argument("--deals", type=_whole(2), metavar="N", help="deals, each played once from every seat "
                        "(default 10000)")  # fmt: skip
    number.add_argument("--games", type=_whole(4), metavar="N", help="the same counted in games: deals × players")
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--batch", type=_whole(1), metavar="N", help="games side by side (default 1024)")
    parser.add_argument("--threads", type=_whole(1, 1024), default=1, metavar="N", help="threads (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _evaluate(args: argparse.Namespace) -> None:
    with user_input():
        import agents
        from train.evaluate import BATCH, evaluate
        from train.terminal import progress_bar, verify_writable, write_json

        specs = [args.agent, *args.against]
        rules = make_rules(args.rules, args.players, specs, "duel")
        deals = _deals(args, rules.players)
        for spec in specs:
            agents.load(spec, rules=rules)
        if args.json is not None:
            verify_writable(args.json)
    results = []
    batch = args.batch or BATCH
    try:
        for opponent in args.against:
            with progress_bar(f"{args.agent} against {opponent}", deals * rules.players) as progress:
                results.append(
                    evaluate(args.agent, opponent, rules, deals, args.seed, batch, args.threads, progress=progress)
                )
    finally:
        if results:
            print_evaluations(results)
    if args.json is not None:
        with user_input():
            evaluations = [result.to_dict() for result in results]
            write_json(args.json, {**origin(args.command_line), "evaluations": evaluations})


def _deals(args: argparse.Namespace, players: int) -> int:
    if args.games is None:
        return args.deals or 10_000
    if args.games % players or args.games < 2 * players:
        raise ValueError(
            f"--games {args.games} is not allowed: each deal is played once from each of {players} seats, "
            f"so choose a multiple of {players}, {2 * players} or more"
        )
    return int(args.games // players)


def print_evaluations(results: Sequence["Evaluation"]) -> None:
    """Print evaluations of one agent as a table."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    first = results[0]
    players = first.players
    table = Table(box=box.SIMPLE_HEAD, title=Text(f"{first.agent}, {players} players, seed {first.seed}"))
    for heading in ("opponent", "win rate", "95 % interval", "par", "deals", "decisions/s"):
        table.add_column(heading, justify="left" if heading == "opponent" else "right", no_wrap=heading != "opponent")
    for result in results:
        interval = f"{result.low:.2%} – {result.high:.2%}"
        par, rate = f"{result.par:.1%}", f"{result.decisions_per_second:,.0f}"
        table.add_row(Text(result.opponent), f"{result.win_rate:.2%}", interval, par, f"{result.deals:,}", rate)
    console = Console(highlight=False)
    console.print(table)
    truncated = max(result.truncated for result in results)
    if truncated:
        console.print(f"Up to {truncated:.2%} of the games had no winner; each counts as 1/{players} of a win.")


def origin(command_line: str) -> dict[str, Any]:
    """Where measurements come from: the command and the versions."""
    import importlib.metadata
    import platform

    names = ("uno-env", "numpy", "numba")
    versions = {"python": platform.python_version(), **{name: importlib.metadata.version(name) for name in names}}
    return {"command": command_line, "versions": versions}


# --- play and replay --------------------------------------------------------------------------------------------------


def _add_play(commands: Any) -> None:
    parser = _add_command(commands, "play", _play, "play in the terminal against agents")
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="1 to 9 opponents, seated to your left (default "
                        "greedy); with --players N the last one takes all seats that are left")  # fmt: skip
    _add_rules(parser, "classic")
    parser.add_argument("--seed", type=_seed, metavar="N", help="decides the deal and all chance (default: another "
                        "every time)")  # fmt: skip


def _play(args: argparse.Namespace) -> None:
    with user_input():
        import agents
        from train.play import Table

        specs = _opponents(args.agents or ["greedy"], args.players)
        rules = make_rules(args.rules, len(specs) + 1, specs, "classic")
        seed = secrets.randbelow(2**32) if args.seed is None else args.seed
        opponents = [agents.load(spec, seed=(seed + place) % 2**64, rules=rules) for place, spec in enumerate(specs)]
        names = [opponent.name for opponent in opponents]
    Table(opponents, names, rules, seed).play()


def _opponents(specs: list[str], players: int | None) -> list[str]:
    if not 1 <= len(specs) <= 9:
        raise ValueError(f"{len(specs)} opponents are not allowed: name 1 to 9")
    if players is None:
        return specs
    if not len(specs) < players <= 10:
        raise ValueError(f"--players {players} is not allowed with {len(specs)} opponents: "
                         f"choose a whole number from {len(specs) + 1} to 10")  # fmt: skip
    return specs + specs[-1:] * (players - 1 - len(specs))


def _add_replay(commands: Any) -> None:
    parser = _add_command(commands, "replay", _replay, "look at a saved game, decision by decision, all hands open")
    parser.add_argument("file", type=Path, metavar="FILE", help="a game saved by `s FILE` in `uno play`, or "
                        "Game.to_json()")  # fmt: skip


def _replay(args: argparse.Namespace) -> None:
    with user_input():
        from train.replay import replay
        from uno_env.game import Game

        try:
            game = Game.from_json(args.file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{str(args.file)!r} cannot be replayed: {error}") from None
    replay(game)


# --- benchmark, demo, agents, rules -----------------------------------------------------------------------------------


def _add_benchmark(commands: Any) -> None:
    parser = _add_command(commands, "benchmark", _benchmark, "measure the speed of training", takes_rest=True)
    parser.add_argument("what", choices=("training",), metavar="WHAT", help="training: PPO by self-play, side by side "
                        "with SB3's MaskablePPO on the same games with the same network")  # fmt: skip
    parser.add_argument("--config", type=Path, metavar="FILE", help="what to train (default: PPO's defaults)")
    parser.add_argument("--repeats", type=_whole(1), default=5, metavar="N", help="turns of each (default 5)")
    parser.add_argument("--seconds", type=_whole(1), default=5, metavar="N", help="length of a turn (default 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.epilog = "Any key of the config can be changed: --key value, such as --threads 1 or --hidden '[64, 64]'."


def _benchmark(args: argparse.Namespace) -> None:
    with user_input():
        import sb3_contrib  # noqa: F401 (missed here rather than in the middle)

        from train.benchmark import compare, print_benchmark
        from train.config import load_config, make_config, parse_value
        from train.ppo import PPOConfig, check
        from train.terminal import verify_writable, write_json

        changes = overrides(args.rest)
        if args.config is None:
            config = make_config(PPOConfig, {name: parse_value(name, text) for name, text in changes.items()})
        else:
            config = load_config(args.config, PPOConfig, changes)
        check(config)
        if args.json is not None:
            verify_writable(args.json)
    result = compare(config, args.repeats, args.seconds)
    print_benchmark(result)
    if args.json is not None:
        with user_input():
            write_json(args.json, {**origin(args.command_line), "training": result})


def _add_demo(commands: Any) -> None:
    parser = _add_command(
        commands, "demo", _demo, "train on configs/demo.yaml, evaluate, plot, show how to play the result", True
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="another config to train on")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="go on with the run folder of a demo that was "
                        "stopped")  # fmt: skip
    parser.add_argument("--deals", type=_whole(2), default=10_000, metavar="N", help="deals of each evaluation, played "
                        "once from every seat (default 10000)")  # fmt: skip
    parser.epilog = "Any key of the config can be changed: --key value."


def _demo(args: argparse.Namespace) -> None:
    with user_input():
        from train import demo, plots  # noqa: F401 (missed here rather than after the training)

        if args.resume is None:
            start = demo.prepare(args.config or demo.CONFIG, overrides(args.rest))
        elif args.config is not None or args.rest:
            raise ValueError("--resume goes on with a run as it is: give no config and no other keys")
        else:
            start = demo.prepare_resume(args.resume)
    folder = run_training(start)
    print(demo.summary(folder))
    print_evaluations(demo.measure(folder, args.deals))
    print("Policy, evaluation and curve:")
    for file in (folder / "policy.safetensors", folder / "evaluation.json", *demo.plot(folder)):
        print(f"  {file}")
    play, board = demo.next_commands(folder)
    print(f"Play against it:    {play}\nLook at its curves: {board}")


def _add_agents(commands: Any) -> None:
    _add_command(commands, "agents", _agents, "list the agents that can be named")


def _agents(args: argparse.Namespace) -> None:
    import agents

    for name in agents.names():
        print(name)
    print("… or the path of a saved policy (.safetensors); ?sample=1 behind it draws actions by their probability.")


def _add_rule_pages(commands: Any) -> None:
    parser = _add_command(commands, "rules", _rule_pages, "tell what a rule says, or list the rules")
    parser.add_argument("rule", nargs="?", metavar="RULE", help="one of those that `uno rules` lists")


def _rule_pages(args: argparse.Namespace) -> None:
    from uno_env import guide

    if args.rule is not None:
        with user_input():
            text = guide.page_text(args.rule)
        print(text)
        return
    for name in guide.ORDER:
        print(f"{name:15} {guide.page(name).title}")


if __name__ == "__main__":
    sys.exit(main())
