"""The command ``uno``: train, evaluate, tournament, play, replay, plot, benchmark, demo, zoo, agents, rules.

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
    from train.evaluation.duplicate import Evaluation
    from uno_env.rules import Rules

EXTRAS = {
    "cma": "search",
    "torch": "train",
    "tensorboard": "train",
    "matplotlib": "train",
    "PIL": "render",
    "stable_baselines3": "sb3",
    "sb3_contrib": "sb3",
    "choix": "rate",
    "openskill": "rate",
    "scipy": "rate",
    "rlcard": "bench",
    "starlette": "play",
    "textual": "play",
    "uvicorn": "play",
    "websockets": "play",
    "ray": "distributed",
    "pyspiel": "bench",
    "open_spiel": "bench",
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
        _add_train_rlcard,
        _add_evaluate,
        _add_tournament,
        _add_play,
        _add_replay,
        _add_plot,
        _add_benchmark,
        _add_tune,
        _add_demo,
        _add_solve,
        _add_exploitability,
        _add_zoo,
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


def _positive(text: str) -> float:
    """A number above 0."""
    with contextlib.suppress(ValueError):
        number = float(text)
        if 0 < number < float("inf"):
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is not allowed: choose a number above 0")


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
        cards = (agents.load(spec).card for spec in specs)
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
        from train.algorithms.registry import prepare_training

        start = prepare_training(args.target, overrides(args.rest))
    folder = run_training(start)
    print(f"The policy is {folder / 'policy.safetensors'}")


def run_training(start: Callable[[], Path]) -> Path:
    """Train; that a run cannot go on (its numbers diverge, say) is no bug either, but a matter of the config."""
    from train.runs.learner import RunError

    try:
        return start()
    except RunError as error:
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


def _add_train_rlcard(commands: Any) -> None:
    parser = _add_command(commands, "train-rlcard", _train_rlcard, "train RLCard's own DMC in RLCard's environment, as "
                          "an opponent; Ctrl-C ends it early and keeps what it has learnt")  # fmt: skip
    parser.add_argument("--minutes", type=_positive, default=25.0, metavar="X", help="how long (default 25)")
    parser.add_argument("--actors", type=_whole(1, 1024), default=5, metavar="N", help="processes that play (default "
                        "5, as RLCard's)")  # fmt: skip
    parser.add_argument("--save", type=Path, default=Path("runs/rlcard-dmc.safetensors"), metavar="FILE",
                        help="where it goes (default runs/rlcard-dmc.safetensors)")  # fmt: skip


def _train_rlcard(args: argparse.Namespace) -> None:
    with user_input():
        import rlcard  # noqa: F401

        from agents.rlcard.dmc import save_dmc
        from train.algorithms.rlcard_dmc import train_dmc
        from train.common.progress import clock, progress_bar
        from uno_env.common.files import verify_writable

        args.save.parent.mkdir(parents=True, exist_ok=True)
        verify_writable(args.save)
    with progress_bar("RLCard's DMC, seconds", round(60 * args.minutes)) as progress:
        weights, told = train_dmc(args.minutes, args.actors, lambda seconds: progress(int(seconds)))
    save_dmc(args.save, weights, {**told, **origin(args.command_line)})
    seconds, frames = told["seconds"], told["frames"]
    print(f"{frames:,} frames in {clock(seconds)}, {frames / seconds:,.0f} a second")
    print(f"To play against it: uno benchmark rlcard AGENT --against {shlex.quote(f'rlcard:dmc={args.save}')}")


# --- evaluate ---------------------------------------------------------------------------------------------------------


def _add_evaluate(commands: Any) -> None:
    parser = _add_command(
        commands, "evaluate", _evaluate, "measure how often an agent wins, on duplicate deals with seats rotated"
    )
    parser.add_argument("agent", metavar="AGENT", help="a name that `uno agents` lists, with options if it has some, "
                        "or the path of a saved policy")  # fmt: skip
    parser.add_argument("--against", nargs="+", required=True, metavar="AGENT", help="opponents, one table each")
    _add_rules(parser, "duel")
    number = parser.add_mutually_exclusive_group()
    number.add_argument("--deals", type=_whole(2), metavar="N", help="deals, each played once from every seat "
                        "(default 10000)")  # fmt: skip
    number.add_argument("--games", type=_whole(4), metavar="N", help="the same counted in games: deals × players")
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--batch", type=_whole(1), metavar="N", help="games side by side (default 1024)")
    parser.add_argument("--threads", type=_whole(1, 1024), default=1, metavar="N", help="threads (default 1)")
    parser.add_argument("--save-games", type=_whole(0, 10_000), default=0, metavar="K", help="keep the first K games "
                        "against each opponent for `uno replay`")  # fmt: skip
    parser.add_argument("--save-to", type=Path, default=Path("games"), metavar="FOLDER", help="where (default games)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _evaluate(args: argparse.Namespace) -> None:
    with user_input():
        import agents
        from train.common.progress import progress_bar
        from train.evaluation.duplicate import BATCH, evaluate
        from train.evaluation.game_recorder import Recorder, file_stem, save_replays
        from uno_env.common.files import verify_writable

        specs = [args.agent, *args.against]
        rules = make_rules(args.rules, args.players, specs, "duel")
        deals = _deals(args, rules.players) or 0
        for spec in specs:
            agents.load(spec, rules=rules)
        _verify_json(args)
        if args.save_games:
            args.save_to.mkdir(parents=True, exist_ok=True)
            verify_writable(args.save_to / "game.json")
    results, saved = [], []
    batch = args.batch or BATCH
    try:
        for opponent in args.against:
            recorder = Recorder(args.save_games) if args.save_games else None
            with progress_bar(f"{args.agent} against {opponent}", deals * rules.players) as progress:
                results.append(
                    evaluate(args.agent, opponent, rules, deals, args.seed, batch, args.threads, progress, recorder)
                )
            if recorder is not None:
                with user_input():
                    saved += save_replays(recorder.replays(), args.save_to, file_stem(args.agent, "v", opponent))
    finally:
        if results:
            print_evaluations(results)
    if saved:
        print(f"Saved {len(saved)} games. To look at one: {shlex.join(['uno', 'replay', str(saved[0])])}")
    evaluations = [result.to_dict() for result in results]
    _keep_json(args, evaluations=evaluations)


def _deals(args: argparse.Namespace, players: int, default: int | None = 10_000) -> int | None:
    if args.games is None:
        return args.deals or default
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
    if any("cheat" in name for result in results for name in (result.agent, result.opponent)):
        console.print("Who has cheat in the name sees all hands: no fair player, only a loose bound.")
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


def _verify_json(args: argparse.Namespace) -> None:
    """Find out before anything is measured whether ``--json`` can be written."""
    from uno_env.common.files import verify_writable

    if args.json is not None:
        verify_writable(args.json)


def _keep_json(args: argparse.Namespace, **measured: Any) -> None:
    """Write what was measured, and where it comes from, to ``--json`` if that is given."""
    from uno_env.common.files import write_json

    if args.json is not None:
        with user_input():
            write_json(args.json, {**origin(args.command_line), **measured})


# --- tournament -------------------------------------------------------------------------------------------------------


def _add_tournament(commands: Any) -> None:
    parser = _add_command(
        commands, "tournament", _tournament, "let agents play each other on duplicate deals; cross table and ratings"
    )
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="2 or more, as for `uno evaluate`")
    _add_rules(parser, "duel")
    parser.add_argument("--tables", choices=("mixed", "against"), help="at 3 seats or more: different agents at a "
                        "table, or each against a table of each other (default mixed)")  # fmt: skip
    number = parser.add_mutually_exclusive_group()
    number.add_argument("--deals", type=_whole(2), metavar="N", help="deals of each line-up, played once from every "
                        "rotation of its seats (default 10000, with --sprt at most 200000)")  # fmt: skip
    number.add_argument("--games", type=_whole(4), metavar="N", help="the same counted in games: deals × players")
    parser.add_argument("--seed", type=_seed, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--sprt", action="store_true", help="stop when 2 agents are told apart, or known to be equal")
    parser.add_argument("--margin", type=float, metavar="X", help="with --sprt: difference in the score that is to be "
                        "told from none (default 0.01)")  # fmt: skip
    parser.add_argument("--alpha", type=float, metavar="X", help="with --sprt: error rate of calling equal agents "
                        "different (default 0.05)")  # fmt: skip
    parser.add_argument("--beta", type=float, metavar="X", help="with --sprt: error rate of not seeing a difference of "
                        "the margin (default 0.05)")  # fmt: skip
    parser.add_argument("--workers", type=_whole(1, 1024), default=0, metavar="N", help="processes; the result does "
                        "not depend on them (default: one for each core)")  # fmt: skip
    folder = parser.add_mutually_exclusive_group()
    folder.add_argument("--save", type=Path, metavar="FOLDER", help="keep what is played there, and go on with what is "
                        "there already")  # fmt: skip
    folder.add_argument("--resume", type=Path, metavar="FOLDER", help="go on with a saved tournament as it is, or to "
                        "more --deals")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _tournament(args: argparse.Namespace) -> None:
    with user_input():
        import choix  # noqa: F401 (missed here rather than when all is played)
        import openskill  # noqa: F401

        from train.evaluation.sprt import Sprt
        from train.evaluation.tournament_report import show
        from train.evaluation.tournament_setup import new_tournament, saved_tournament

        settings = {
            name: getattr(args, name) for name in ("margin", "alpha", "beta") if getattr(args, name) is not None
        }
        if settings and not args.sprt:
            raise ValueError(f"--{next(iter(settings))} is for --sprt: give both or neither")
        if args.resume is None:
            rules = make_rules(args.rules, args.players, args.agents, "duel")
            sprt = Sprt(**settings) if args.sprt else None
            deals = _deals(args, rules.players, None)
            tournament = new_tournament(
                args.agents, rules, args.tables or "mixed", deals, args.seed or 0, sprt, args.save
            )
        elif (
            args.agents
            or args.sprt
            or any(value is not None for value in (args.rules, args.players, args.tables, args.seed))
        ):
            raise ValueError(
                "--resume goes on with a tournament as it is: only --deals, --workers and --json can change"
            )
        else:
            tournament = saved_tournament(args.resume)
            deals = _deals(args, tournament.plan.rules.players, None)
            if deals is not None:
                tournament = saved_tournament(args.resume, deals)
        _verify_json(args)
    report = tournament.play(args.workers)
    show(report)
    _keep_json(args, tournament=report)


# --- play and replay --------------------------------------------------------------------------------------------------


def _add_play(commands: Any) -> None:
    parser = _add_command(commands, "play", _play, "play against agents, in the terminal or in the browser")
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="1 to 9 opponents, seated to your left (default "
                        "greedy); with --players N the last one takes all seats that are left")  # fmt: skip
    _add_rules(parser, "classic")
    parser.add_argument("--seed", type=_seed, metavar="N", help="decides the deal and all chance (default: another "
                        "every time)")  # fmt: skip
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--plain", action="store_true", help="ask and answer line by line, as over a pipe")
    where.add_argument("--web", action="store_true", help="serve tables for browsers on this machine")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="with --web: the address to listen on "
                        "(default 127.0.0.1, this machine alone)")  # fmt: skip
    parser.add_argument("--port", type=_whole(0, 65535), default=8137, metavar="N", help="with --web: the port, 0 for "
                        "any that is free (default 8137)")  # fmt: skip
    parser.add_argument("--allow-host", action="append", default=[], metavar="NAME", help="with --web: another name "
                        "that browsers may ask for")  # fmt: skip


def _play(args: argparse.Namespace) -> None:
    with user_input():
        from agents.human.console import can_show_a_table
        from agents.human.table import Setup, Table

        specs = _opponents(args.agents or ["greedy"], args.players)
        rules = make_rules(args.rules, len(specs) + 1, specs, "classic")
        seed = secrets.randbelow(2**32) if args.seed is None else args.seed
        app = can_show_a_table() and not args.plain
        table = Table(Setup.against(specs, rules, match=app, hints=app, adviser=specs[0], pace=0.6, seed=seed))
    if args.web:
        _play_in_browser(args, specs, rules)
    elif app:
        from agents.human.terminal_app import TableApp

        TableApp(table).run()
    else:
        from agents.human.plain_text import PlainText

        PlainText(table).play()


def _play_in_browser(args: argparse.Namespace, specs: list[str], rules: "Rules") -> None:
    with user_input():
        from agents.human.table.rules_form import form_values
        from agents.human.web.server import bind, serve

        listener = bind(args.host, args.port)
    preset = "classic" if args.rules is None else args.rules.partition(",")[0]
    serve(
        listener,
        {"agents": specs, "preset": preset, "rules": form_values(rules), "seed": args.seed},
        args.allow_host,
    )


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
    parser.add_argument("file", type=Path, metavar="FILE", help="a game saved by `s FILE` in `uno play`, by "
                        "`uno evaluate --save-games`, by a training run, or as Game.to_json()")  # fmt: skip
    parser.add_argument("--html", type=Path, metavar="OUT", help="write one web page that shows the game, on its own")
    parser.add_argument("--view", type=_whole(0, 9), metavar="SEAT", help="with --html: show what that seat may know "
                        "at first (default: all hands; either can be chosen in the page)")  # fmt: skip


def _replay(args: argparse.Namespace) -> None:
    with user_input():
        from agents.human.replay_viewer import replay, write_page
        from uno_env.replay import Replay

        if args.view is not None and args.html is None:
            raise ValueError("--view is for --html: give both or neither")
        try:
            played = Replay.from_json(args.file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{str(args.file)!r} cannot be replayed: {error}") from None
        if args.html is not None:
            write_page(played, args.html, args.view)
            print(f"Wrote {args.html}: open it in a browser")
            return
    replay(played.game)


# --- plot -------------------------------------------------------------------------------------------------------------


def _add_plot(commands: Any) -> None:
    parser = _add_command(commands, "plot", _plot, "draw learning curves, cross tables and speeds, as PNG and SVG")
    parser.add_argument("targets", nargs="+", type=Path, metavar="RUN", help="folders of runs (those that differ in "
                        "their seed alone become one curve), or files written by --json of `uno tournament`, "
                        "`uno benchmark agents`, `algorithms` or `speed`")  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("plots"), metavar="FOLDER", help="where (default plots)")


def _plot(args: argparse.Namespace) -> None:
    with user_input():
        from train.plots.draw import plot

        for file in plot(args.targets, args.out):
            print(file)


# --- benchmark, demo, agents, rules -----------------------------------------------------------------------------------


def _add_benchmark(commands: Any) -> None:
    help_text = "measure speed, training, how strong agents are, how far one can be exploited, a pair at RLCard's table"
    benchmark: _Parser = commands.add_parser("benchmark", help=help_text, description=f"M{help_text[1:]}.")
    kinds = benchmark.add_subparsers(title="benchmarks", metavar="WHAT", required=True)
    for add in (
        _add_benchmark_speed,
        _add_benchmark_training,
        _add_benchmark_algorithms,
        _add_benchmark_agents,
        _add_benchmark_rlcard,
        _add_benchmark_ablate,
        _add_benchmark_exploit,
        _add_benchmark_search,
    ):
        add(kinds)


def _add_benchmark_speed(kinds: Any) -> None:
    parser = _add_command(
        kinds, "speed", _benchmark_speed, "measure the environments side by side with RLCard's and OpenSpiel's, "
        "and time and memory over numbers of games and players"
    )  # fmt: skip
    parser.add_argument("--repeats", type=_whole(1), default=5, metavar="N", help="turns of each (default 5)")
    parser.add_argument("--seconds", type=_positive, default=1.0, metavar="X", help="length of a turn (default 1)")
    parser.add_argument("--no-curves", action="store_true", help="measure the table only")
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides games and chance (default 0)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured; `uno plot FILE` draws it")


def _benchmark_speed(args: argparse.Namespace) -> None:
    with user_input():
        from train.benchmarks import env_speed
        from train.benchmarks.plans import SpeedPlan

        _verify_json(args)
    measured = env_speed.measure(SpeedPlan(args.repeats, args.seconds, args.no_curves, args.seed))
    env_speed.show(measured)
    _keep_json(args, speed=measured)


def _add_benchmark_training(kinds: Any) -> None:
    parser = _add_command(
        kinds, "training", _benchmark_training, "measure the speed of PPO by self-play, side by side with SB3's "
        "MaskablePPO on the same games with the same network, with our hyperparameters and with its own",
        takes_rest=True
    )  # fmt: skip
    parser.add_argument("--config", type=Path, metavar="FILE", help="what to train (default: PPO's defaults)")
    parser.add_argument("--repeats", type=_whole(1), default=5, metavar="N", help="turns of each (default 5)")
    parser.add_argument("--seconds", type=_whole(1), default=5, metavar="N", help="length of a turn (default 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.epilog = "Any key of the config can be changed: --key value, such as --threads 1 or --hidden '[64, 64]'."


def _benchmark_training(args: argparse.Namespace) -> None:
    with user_input():
        import sb3_contrib  # noqa: F401 (missed here rather than in the middle)

        from train.algorithms.ppo import PPOConfig
        from train.benchmarks.training_speed import compare, show
        from train.runs.config import load_config, make_config, parse_overrides

        changes = overrides(args.rest)
        if args.config is None:
            config = make_config(PPOConfig, parse_overrides(changes))
        else:
            config = load_config(args.config, PPOConfig, changes)
        config.check()
        _verify_json(args)
    result = compare(config, args.repeats, args.seconds)
    show(result)
    _keep_json(args, training=result)


def _count(text: str) -> int:
    """A whole number, 1 or more, that may be written 5e6."""
    with contextlib.suppress(ValueError, OverflowError):
        number = float(text)
        if number >= 1 and number == int(number):
            return int(number)
    raise argparse.ArgumentTypeError(f"{text!r} is not allowed: choose a whole number, 1 or more, such as 5e6")


def _add_benchmark_algorithms(kinds: Any) -> None:
    parser = _add_command(
        kinds, "algorithms", _benchmark_algorithms, "train algorithms on a track with the same budget, over several "
        "seeds, and measure all on the same ladder; stopped and repeated it goes on", takes_rest=True
    )  # fmt: skip
    budget = parser.add_mutually_exclusive_group(required=True)
    budget.add_argument("--budget", type=_count, default=0, metavar="N", help="decisions that each run trains for, "
                        "such as 5e6; those of all seats count, also where only one learns")  # fmt: skip
    budget.add_argument("--minutes", type=_positive, default=0.0, metavar="X", help="minutes that each run takes, "
                        "evaluations on the way included")  # fmt: skip
    parser.add_argument("--track", default="duel-2p", metavar="TRACK", help="duel-2p (default), classic-2p, classic-4p "
                        "or house-4p")  # fmt: skip
    parser.add_argument("--algorithms", nargs="+", metavar="NAME", help="(default: ppo dmc mmd sb3_ppo sb3_dqn "
                        "sb3_qrdqn)")  # fmt: skip
    parser.add_argument("--seeds", type=_whole(1, 1000), default=3, metavar="N", help="runs of each (default 3)")
    parser.add_argument("--seed", type=_whole(0, 2**62), default=0, metavar="N", help="seed of the first ones, and of "
                        "the deals (default 0)")  # fmt: skip
    parser.add_argument("--deals", type=_whole(2), default=10_000, metavar="N", help="duplicate deals against each "
                        "opponent of the ladder (default 10000)")  # fmt: skip
    parser.add_argument("--curve-deals", type=_whole(2), default=1_000, metavar="N", help="the same for each point of "
                        "the learning curves (default 1000)")  # fmt: skip
    parser.add_argument("--threads", type=_whole(1, 256), default=0, metavar="N", help="(default: one for each core)")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="where the runs, the table and the plot go, and "
                        "what is there is gone on with (default runs/algorithms-…)")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured here as well")
    parser.epilog = "Any key that all the configs have can be changed: --key value, such as --hidden '[64, 64]'."


def _benchmark_algorithms(args: argparse.Namespace) -> None:
    with user_input():
        from train.benchmarks import algorithms
        from train.benchmarks.algorithms_report import markdown
        from train.benchmarks.plans import AlgorithmsPlan
        from train.plots.algorithms import plot_algorithms  # (missed here rather than after the training)

        names = ("track", "minutes", "seeds", "seed", "deals", "curve_deals", "threads")
        chosen = {name: getattr(args, name) for name in names}
        if args.algorithms:
            chosen["algorithms"] = tuple(dict.fromkeys(args.algorithms))
        plan = AlgorithmsPlan(**chosen, decisions=args.budget, changes=overrides(args.rest))
        folder = args.save or algorithms.default_folder(plan)
        algorithms.prepare(plan, folder)
        _verify_json(args)
    measured = algorithms.measure(plan, folder, origin(args.command_line))
    print(markdown(measured))
    with user_input():
        if any(row["seeds"] for row in measured["summary"]):
            plot_algorithms(measured, folder / "algorithms")
    _keep_json(args, algorithms=measured)
    print(f"Table, curves and plot: {folder}/algorithms.json, .md, .png, .svg")


def _add_benchmark_agents(kinds: Any) -> None:
    parser = _add_command(
        kinds, "agents", _benchmark_agents, "measure all agents against references in duel, classic 2, classic 4 and "
        "house 4: the ladder"
    )  # fmt: skip
    parser.add_argument("--agents", nargs="+", metavar="AGENT", help="the agents (default: all that `uno agents` lists "
                        "and some that search)")  # fmt: skip
    parser.add_argument(
        "--references", nargs="+", metavar="AGENT", help="whom they play (default: see train/benchmarks/ladder.py)"
    )
    parser.add_argument(
        "--tracks", nargs="+", metavar="TRACK", help="some of: duel-2p, classic-2p, classic-4p, house-4p"
    )
    parser.add_argument("--deals", type=_whole(2), metavar="N", help="duplicate deals of each pair in duel, "
                        "a tenth of them on the other tracks (default 100000)")  # fmt: skip
    parser.add_argument("--search-deals", type=_whole(2), metavar="N", help="the same where an agent searches (default "
                        "3000)")  # fmt: skip
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--workers", type=_whole(1, 1024), default=0, metavar="N", help="processes; the result does "
                        "not depend on them (default: one for each core)")  # fmt: skip
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="keep what is played there, and go on with what is "
                        "there already")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _benchmark_agents(args: argparse.Namespace) -> None:
    with user_input():
        import choix  # noqa: F401 (missed here rather than when all is played)
        import openskill  # noqa: F401

        from train.benchmarks import ladder
        from train.benchmarks.plans import LadderPlan

        chosen = {name: getattr(args, name) for name in ("deals", "search_deals") if getattr(args, name) is not None}
        for name in ("agents", "references", "tracks"):
            if getattr(args, name) is not None:
                chosen[name] = tuple(getattr(args, name))
        plan = LadderPlan(**chosen, seed=args.seed)
        ladder.prepare(plan, args.save)
        _verify_json(args)
    measured = ladder.measure(plan, args.workers, args.save)
    print(ladder.markdown(measured))
    _keep_json(args, ladder=measured)


def _add_benchmark_rlcard(kinds: Any) -> None:
    parser = _add_command(
        kinds, "rlcard", _benchmark_rlcard, "let a pair play in our rlcard preset and in RLCard's own environment"
    )
    parser.add_argument("agent", metavar="AGENT", help="as for `uno evaluate`; rlcard:random, rlcard:uno-rule-v1 and "
                        "rlcard:dmc=FILE (`uno train-rlcard`) are RLCard's own")  # fmt: skip
    parser.add_argument("--against", nargs="+", default=["rlcard:random", "rlcard:uno-rule-v1"], metavar="AGENT",
                        help="opponents (default: RLCard's two)")  # fmt: skip
    parser.add_argument("--games", type=_whole(4), default=20_000, metavar="N", help="games at each table, an even "
                        "number (default 20000)")  # fmt: skip
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _benchmark_rlcard(args: argparse.Namespace) -> None:
    with user_input():
        import rlcard  # noqa: F401

        import agents
        from train.benchmarks.rlcard_table import compare_with_rlcard
        from train.common.progress import progress_bar

        if args.games % 2:
            raise ValueError(f"--games {args.games} is not allowed: each deal is played from both seats, so choose an "
                             "even number")  # fmt: skip
        for spec in (args.agent, *args.against):
            agents.load(spec, rules="rlcard")
        _verify_json(args)
    results = []
    for opponent in args.against:
        with progress_bar(f"{args.agent} against {opponent}", args.games) as progress:
            results.append(compare_with_rlcard(args.agent, opponent, args.games, args.seed, progress))
        print(results[-1])
    _keep_json(args, rlcard=[result.to_dict() for result in results])


def _add_benchmark_ablate(kinds: Any) -> None:
    parser = _add_command(kinds, "ablate", _benchmark_ablate, "take ideas away from tuned, and measure what that costs")
    parser.add_argument("--deals", type=_whole(2), default=100_000, metavar="N", help="duplicate deals for each "
                        "change, with 2 and with 4 players (default 100000)")  # fmt: skip
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _benchmark_ablate(args: argparse.Namespace) -> None:
    with user_input():
        from train.benchmarks import ablation
        from train.benchmarks.plans import AblationPlan

        _verify_json(args)
    lines = ablation.measure(AblationPlan(args.deals, args.seed))
    ablation.show(lines)
    _keep_json(args, seed=args.seed, ablations=lines)


def _add_tune(commands: Any) -> None:
    parser = _add_command(commands, "tune", _tune, "search weights for tuned, by CMA-ES")
    parser.add_argument("which", choices=("two", "few", "many", "rlcard"), metavar="SET", help="the set of weights: "
                        "two, few or many (2, 3 and 4, 5 and more players), or rlcard, for RLCard's game")  # fmt: skip
    parser.add_argument("--generations", type=_whole(1), default=100, metavar="N", help="(default 100)")
    parser.add_argument("--population", type=_whole(4), default=16, metavar="N", help="candidates (default 16)")
    parser.add_argument("--deals", type=_whole(2), default=400, metavar="N", help="duplicate deals at each "
                        "table, for each candidate (default 400)")  # fmt: skip
    parser.add_argument("--check-deals", type=_whole(2), default=20_000, metavar="N", help="the same for what is "
                        "found (default 20000)")  # fmt: skip
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides all chance (default 0)")
    parser.add_argument("--threads", type=_whole(1, 64), default=1, metavar="N", help="threads (default 1)")
    parser.add_argument("--start", type=Path, metavar="FILE", help="weights to begin with (default: those shipped)")
    parser.add_argument("--log", type=Path, metavar="FOLDER", help="where the search is saved, and goes on (default "
                        "runs/tune/SET-SEED)")  # fmt: skip
    parser.add_argument("--out", type=Path, default=Path("tuned.json"), metavar="FILE", help="where the weights go, "
                        "for tuned?weights=FILE (default tuned.json)")  # fmt: skip


def _tune(args: argparse.Namespace) -> None:
    with user_input():
        import cma  # noqa: F401 (missed here rather than later)

        from agents.scripted.tuned import WEIGHTS_FILE, load_weights
        from train.algorithms.cma_tuned import Settings, check, found_by, open_search, save_weights, search
        from train.common.progress import progress_bar
        from uno_env.common.files import verify_writable

        start = args.start or WEIGHTS_FILE
        base, notes = load_weights(start), found_by(start)
        folder = args.log or Path("runs", "tune", f"{args.which}-{args.seed}")
        settings = Settings(args.which, args.generations, args.population, args.deals, seed=args.seed)
        open_search(settings, folder, base)
        verify_writable(args.out)
    with progress_bar(f"Weights for {args.which}", args.generations) as progress:
        weights = search(settings, folder, base, args.threads, progress)
    tables = check(args.which, weights, base, args.check_deals, args.seed)
    for before, after in zip(check(args.which, base, base, args.check_deals, args.seed), tables, strict=True):
        table = f"{after['rules']}, {after['players']} players, {after['opponent']}"
        interval = (after["high"] - after["low"]) / 2
        print(f"{table:32} {before['win_rate']:.2%} before, {after['win_rate']:.2%} ± {interval:.2%} now")
    with user_input():
        notes[args.which] = [*notes.get(args.which, []), {**origin(args.command_line), "tables": tables}]
        save_weights(args.out, weights, notes)
    print(f"The weights are {args.out}: tuned?weights={args.out}")


def _add_benchmark_exploit(kinds: Any) -> None:
    parser = _add_command(
        kinds, "exploit", _benchmark_exploit, "look for a best response to an agent, by PPO and by search, and say "
        "what it gains over its share"
    )  # fmt: skip
    parser.add_argument("agent", metavar="AGENT", help="whom to attack, as for `uno evaluate`")
    _add_rules(parser, "duel")
    parser.add_argument("--families", nargs="+", default=["ppo", "search"], metavar="FAMILY", help="ppo, search or "
                        "both (default)")  # fmt: skip
    parser.add_argument("--decisions", type=_whole(1), default=5_000_000, metavar="N", help="decisions that PPO trains "
                        "for (default 5000000)")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=0.0, metavar="N", help="minutes that it trains for at most")
    parser.add_argument("--deals", type=_whole(2), default=10_000, metavar="N", help="deals that the trained network "
                        "is measured on (default 10000)")  # fmt: skip
    parser.add_argument("--worlds", type=_whole(1), default=100, metavar="N", help="worlds that the search tries an "
                        "action in at most (default 100)")  # fmt: skip
    parser.add_argument("--search-deals", type=_whole(2), default=500, metavar="N", help="deals that the search is "
                        "measured on (default 500)")  # fmt: skip
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides all chance (default 0)")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="where what is done is kept, and gone on with "
                        "(default: runs/exploit-…)")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _benchmark_exploit(args: argparse.Namespace) -> None:
    with user_input():
        from train.benchmarks import exploit
        from train.benchmarks.plans import ExploitPlan

        rules = make_rules(args.rules, args.players, [args.agent], "duel")
        names = ("agent", "decisions", "minutes", "deals", "worlds", "search_deals", "seed")
        plan = ExploitPlan(rules=rules, families=tuple(args.families), **{name: getattr(args, name) for name in names})
        folder = args.save or exploit.default_folder(args.agent, rules)
        exploit.prepare(plan, folder)
        if "ppo" in args.families:
            import train.algorithms.best_response  # noqa: F401 (torch missing is said now)
        _verify_json(args)
    measured = exploit.measure(plan, folder)
    exploit.show(measured)
    _keep_json(args, exploit=measured)


def _add_benchmark_search(kinds: Any) -> None:
    parser = _add_command(
        kinds, "search", _benchmark_search, "measure what a network is worth to the searches as prior, rollouts and "
        "value, alone and together: strength and time"
    )  # fmt: skip
    parser.add_argument("--policy", required=True, metavar="AGENT", help="the network: zoo:NAME, or the path of a "
                        "saved policy; its rules are played")  # fmt: skip
    parser.add_argument("--contenders", nargs="+", metavar="NAME", help="some of those in train/benchmarks/search.py "
                        "(default: all)")  # fmt: skip
    parser.add_argument("--worlds", type=_whole(2), default=64, metavar="N", help="worlds of flat Monte Carlo "
                        "(default 64)")  # fmt: skip
    parser.add_argument("--sims", type=_whole(2), default=256, metavar="N", help="descents of ismcts (default 256)")
    parser.add_argument("--deals", type=_whole(2), default=20_000, metavar="N", help="duplicate deals of a pair in "
                        "which none searches (default 20000)")  # fmt: skip
    parser.add_argument("--search-deals", type=_whole(2), default=500, metavar="N", help="the same where one does "
                        "(default 500)")  # fmt: skip
    parser.add_argument("--positions", type=_whole(1), default=100, metavar="N", help="decisions that are timed "
                        "(default 100)")  # fmt: skip
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--workers", type=_whole(1, 1024), default=0, metavar="N", help="processes; the win rates do "
                        "not depend on them (default: one for each core)")  # fmt: skip
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="keep what is played there, and go on with what is "
                        "there already")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _benchmark_search(args: argparse.Namespace) -> None:
    with user_input():
        from train.benchmarks import search
        from train.benchmarks.plans import SearchPlan

        names = ("worlds", "sims", "deals", "search_deals", "positions", "seed")
        plan = SearchPlan(
            args.policy,
            make_rules(None, None, [args.policy], "duel"),
            None if args.contenders is None else tuple(args.contenders),
            **{name: getattr(args, name) for name in names},
        )
        search.prepare(plan, args.save)
        _verify_json(args)
    measured = search.measure(plan, args.workers, args.save)
    search.show(measured)
    _keep_json(args, search=measured)


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
        from train.cli import demo
        from train.plots import style  # noqa: F401 (missed here rather than after the training)

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


def _add_solve(commands: Any) -> None:
    parser = _add_command(
        commands, "solve", _solve, "solve tiny rules with OpenSpiel's CFR+, going on where it stopped"
    )
    _add_rules(parser, "mini")
    parser.add_argument("--folder", type=Path, default=Path("runs/solved"), metavar="FOLDER", help="where the solver, "
                        "the solution and its policy are kept (default runs/solved)")  # fmt: skip
    parser.add_argument("--iterations", type=_whole(1), default=200, metavar="N", help="at most (default 200)")
    parser.add_argument("--target", type=float, default=0.001, metavar="X", help="exploitability at which to stop "
                        "(default 0.001)")  # fmt: skip


def _solve(args: argparse.Namespace) -> None:
    with user_input():
        from train.common.progress import counter, progress_bar
        from train.evaluation.exploitability import solve

        rules = make_rules(args.rules, args.players, (), "mini")
        with (
            counter("nodes of the tree") as growing,
            progress_bar(f"CFR+, at most {args.iterations} iterations", args.iterations) as progress,
        ):
            solution = solve(rules, args.folder, args.iterations, args.target, growing, progress)
    print(solution.report())
    print(f"Kept in {args.folder}; to play it: train.evaluation.exploitability.load_solution")


def _add_exploitability(commands: Any) -> None:
    parser = _add_command(
        commands, "exploitability", _exploitability, "measure how far agents are from an equilibrium of tiny rules"
    )
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="as for `uno evaluate`; a saved policy is measured "
                        "with its probabilities if ?sample=1 stands behind it")  # fmt: skip
    _add_rules(parser, "mini")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")


def _exploitability(args: argparse.Namespace) -> None:
    with user_input():
        import agents
        from train.common.progress import counter
        from train.evaluation.exploitability import exploitability
        from uno_env.extensive_form.game_tree import grow

        rules = make_rules(args.rules, args.players, args.agents, "mini")
        players = [agents.load(spec, rules=rules) for spec in args.agents]
        _verify_json(args)
        with counter("nodes of the tree") as growing:
            grow(rules, growing)
    results = {}
    for spec, player in zip(args.agents, players, strict=True):
        results[spec] = exploitability(player, rules)
        print(results[spec].report(spec))
    measured = [{"agent": spec, **result.to_dict()} for spec, result in results.items()]
    _keep_json(args, exploitabilities=measured)


def _add_zoo(commands: Any) -> None:
    help_text = "measure a run's policy, describe it, and ship it as zoo:NAME"
    zoo: _Parser = commands.add_parser("zoo", help=help_text, description=f"M{help_text[1:]}.")
    kinds = zoo.add_subparsers(title="what to do", metavar="WHAT", required=True)
    parser = _add_command(
        kinds, "add", _zoo_add, "measure a run's policy against the agents of the ladder, and write its file and its "
        "model card; stopped and repeated it goes on"
    )  # fmt: skip
    parser.add_argument("target", type=Path, metavar="RUN", help="the folder of a run")
    parser.add_argument("--name", required=True, help="a preset, the number of players, and more if need be: duel-2p")
    parser.add_argument("--deals", type=_whole(2), default=20_000, metavar="N", help="duplicate deals against each "
                        "agent (default 20000)")  # fmt: skip
    parser.add_argument("--search-deals", type=_whole(0), default=500, metavar="N", help="the same in duel against "
                        "one that searches, a tenth of them elsewhere; 0: none (default 500)")  # fmt: skip
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="decides deals and chance (default 0)")
    parser.add_argument("--workers", type=_whole(1, 1024), default=0, metavar="N", help="processes; the result does "
                        "not depend on them (default: one for each core)")  # fmt: skip
    _add_command(kinds, "cards", _zoo_cards, "write the model cards of all shipped policies anew, from their files")


def _zoo_add(args: argparse.Namespace) -> None:
    with user_input():
        from train.benchmarks import ship_policy as zoo
        from train.benchmarks.plans import ShipPlan

        candidate = zoo.prepare(ShipPlan(args.target, args.name, args.deals, args.search_deals, args.seed))
    file = zoo.add(candidate, args.workers)
    print(file.with_suffix(".md").read_text(encoding="utf-8"))
    print(f"Wrote {file} and its card: zoo:{args.name}")


def _zoo_cards(args: argparse.Namespace) -> None:
    from train.benchmarks import ship_policy as zoo

    with user_input():
        for file in zoo.write_cards():
            print(file)


def _add_agents(commands: Any) -> None:
    _add_command(commands, "agents", _agents, "list the agents that can be named")


def _agents(args: argparse.Namespace) -> None:
    import agents

    for name in agents.names():
        print(name)
    print("rlcard:random, rlcard:uno-rule-v1, rlcard:dmc=FILE: RLCard's own, by the rules rlcard alone.")
    print("search:METHOD, such as search:flat?worlds=300&rollout=tuned; METHOD is flat, pimc or ismcts: see README.md.")
    print("cheat:flat, which sees all hands and so is no fair player, where games are evaluated.")
    print("zoo:NAME is a policy that comes along, for the rules in its name; agents/zoo/NAME.md says how strong it is.")
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
    for name, page in guide.pages().items():
        print(f"{name:15} {page.number:5} {page.title}")
