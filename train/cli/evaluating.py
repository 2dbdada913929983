"""Measuring strength: ``uno evaluate``, ``uno tournament``, ``uno plot``."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from msgspec import Meta

import agents
from train.cli.arguments import Command, Measured, Measuring, RulesOptions, Seeded, make_rules
from train.cli.errors import user_input
from train.cli.sharing import check_shareable, has_chat, sharing
from train.common.options import MOST_DEALS, Address, Agent, Count, Deals, Folder, Seed, Threads, Workers
from train.common.progress import progress_bar
from train.common.table import MarkdownTable, show_lines
from train.evaluation import duplicate
from train.evaluation.game_recorder import Recorder, file_stem, save_replays
from train.evaluation.luck.values import LEAST_GAIN, ValueNetwork, values_for
from uno_env.common.files import verify_writable
from uno_env.rules import Rules

if TYPE_CHECKING:
    from train.evaluation.tournament_setup import Tournament

Games = Annotated[int, Meta(ge=4, le=2 * MOST_DEALS)]


@dataclass(frozen=True, kw_only=True)
class Evaluate(Measuring, Seeded):
    """Measure how often an agent wins. Each deal is played once from every seat."""

    positional: ClassVar = ("agent",)
    exclusive: ClassVar = (("deals", "games"),)

    agent: Agent
    """a name that `uno agents` lists, the path of a saved policy or of a run, or code of your own (file.py:Name)"""
    against: tuple[Agent, ...]
    """the opponents, each at tables of its own"""
    rules: Rules
    deals: Deals = 10_000
    """deals, each played once from every seat"""
    games: Games | None = None
    """the number of games instead: deals × players"""
    batch: Count = duplicate.BATCH
    """games side by side"""
    threads: Threads = 1
    """threads that play"""
    luck_adjusted: bool = False
    """show the results also without the luck of drawn cards: fewer hands are needed"""
    save_games: Annotated[int, Meta(ge=0, le=10_000, title="K")] = 0
    """save the first K games against each opponent for `uno replay`"""
    save_to: Folder = Path("games")
    """folder for saved games"""

    def run(self) -> Measured:
        with user_input():
            deals = deals_of(self.games, self.rules.players) or self.deals
            luck = luck_values(self.rules) if self.luck_adjusted else None
            for spec in (self.agent, *self.against):
                agents.load(spec, rules=self.rules)
            if self.save_games:
                self.save_to.mkdir(parents=True, exist_ok=True)
                verify_writable(self.save_to / "game.json")
        results: list[duplicate.Evaluation] = []
        saved: list[Path] = []
        try:
            for opponent in self.against:
                recorder = Recorder(self.save_games) if self.save_games else None
                results.append(self._measure(opponent, deals, recorder, luck))
                if recorder is not None:
                    with user_input():
                        saved += save_replays(recorder.replays(), self.save_to, file_stem(self.agent, "v", opponent))
        except BaseException:
            self._show(results, [])  # what was measured until then
            raise
        chats = chat_tallies((self.agent, *self.against))
        return Measured(
            {"evaluations": [result.to_dict() for result in results], **chats}, partial(self._show, results, saved)
        )

    def _show(self, results: Sequence[duplicate.Evaluation], saved: Sequence[Path]) -> None:
        if results:
            print_evaluations(results)
        show_chats((self.agent, *self.against))
        if saved:
            print(f"Saved {len(saved)} games. To look at one: {shlex.join(['uno', 'replay', str(saved[0])])}")

    def _measure(
        self, opponent: str, deals: int, recorder: Recorder | None, luck: ValueNetwork | None
    ) -> duplicate.Evaluation:
        with progress_bar(f"{self.agent} against {opponent}", deals * self.rules.players) as progress:
            return duplicate.evaluate(
                self.agent, opponent, self.rules, deals, self.seed, self.batch, self.threads, progress, recorder, luck
            )


def luck_values(rules: Rules) -> ValueNetwork | None:
    """Return the value function for ``--luck-adjusted``, or None if it gains too little. Raises ValueError if there is
    none.
    """
    luck = values_for(rules)
    if luck.gain >= LEAST_GAIN:
        return luck
    print(
        f"Luck stays in: to take it out by {luck.name} saves only a factor of {luck.gain:.2f} of the deals, "
        f"and it is left off below {LEAST_GAIN}."
    )
    return None


def chat_tallies(specs: Sequence[str]) -> dict[str, Any]:
    """Counts of the answers of language models, if any played, as plain values."""
    if not has_chat(specs):
        return {}
    from agents.chat.chat_agent import report

    return {"chat": report()}


def show_chats(specs: Sequence[str]) -> None:
    """Print what the answers of language models were like, if any answered."""
    if has_chat(specs):
        from agents.chat.chat_agent import TALLIES

        show_lines([tally.sentence(spec) for spec, tally in TALLIES.items() if tally.decisions])


def deals_of(games: int | None, players: int) -> int | None:
    """The number of deals that ``--games`` means, if given. Raises ValueError if it is no whole number of 2 or more."""
    if games is not None and (games % players or games < 2 * players):
        raise ValueError(
            f"--games {games} is not allowed: each deal is played once from each of {players} seats, "
            f"so choose a multiple of {players}, {2 * players} or more"
        )
    return None if games is None else games // players


def print_evaluations(results: Sequence[duplicate.Evaluation]) -> None:
    """Print evaluations of one agent as a table."""
    first = results[0]
    rows = [
        [
            result.opponent,
            f"{result.win_rate:.2%}",
            f"{result.low:.2%} – {result.high:.2%}",
            f"{result.par:.1%}",
            f"{result.deals:,}",
            f"{result.decisions_per_second:,.0f}",
        ]
        for result in results
    ]
    headings = ("opponent", "win rate", "95 % interval", "par", "deals", "decisions/s")
    MarkdownTable(f"{first.agent}, {first.players} players, seed {first.seed}", headings, rows).show()
    lines = _without_luck(results)
    if any("cheat" in name for result in results for name in (result.agent, result.opponent)):
        lines.append("An agent with cheat in its name sees all hands: it is no fair player, only a loose bound.")
    if truncated := max(result.truncated for result in results):
        lines.append(f"Up to {truncated:.2%} of the games had no winner; each counts as 1/{first.players} of a win.")
    show_lines(lines)


def _without_luck(results: Sequence[duplicate.Evaluation]) -> list[str]:
    """Print the results with luck taken out, if there are any, and what the columns mean."""
    adjusted = [(result.opponent, result.luck) for result in results if result.luck is not None]
    if not adjusted:
        return []
    rows = []
    for opponent, luck in adjusted:
        told = ["left off", ""]
        if luck.gain >= LEAST_GAIN:
            told = [f"{luck.win_rate:.2%}", f"{luck.low:.2%} – {luck.high:.2%}"]
        rows.append([opponent, *told, f"{luck.gain:.2f} ×", f"{luck.fewer_hands:.2f} ×"])
    headings = ("opponent", "win rate", "95 % interval", "deals saved", "hands saved")
    MarkdownTable(f"without the luck of drawn cards, by {adjusted[0][1].values}", headings, rows).show()
    return [
        "Deals saved: so many times as many deals give the same interval if luck stays in.",
        "Hands saved: so many times as many hands do if each also has cards of its own.",
        f"Left off: where fewer than {LEAST_GAIN} × the deals are saved, the plain result is the better one.",
    ]


@dataclass(frozen=True, kw_only=True)
class TournamentCommand(Measuring, RulesOptions):
    """Let agents play each other on duplicate deals, and print a cross table and ratings."""

    positional: ClassVar = ("agents",)
    exclusive: ClassVar = (("deals", "games"), ("save", "resume"), ("workers", "address"))

    agents: tuple[Agent, ...] = ()
    """2 agents or more, named as for `uno evaluate`"""
    tables: Literal["mixed", "against"] | None = None
    """with 3 players or more: different agents at a table, or one agent at a table of another (default mixed)"""
    deals: Deals | None = None
    """deals of each line-up, each played once for every rotation of the seats (default 10000)"""
    games: Games | None = None
    """the number of games instead: deals × players"""
    seed: Seed | None = None
    """seed of the deals and of all randomness (default 0)"""
    luck_adjusted: bool = False
    """take the luck of drawn cards out of win rates and ratings: fewer hands are needed"""
    workers: Workers = 0
    """processes, 0: one for each core; the result does not depend on them"""
    address: Address = ""
    """share the games among the machines of a Ray cluster instead, named by its head, or auto"""
    save: Folder | None = None
    """save the results in this folder, and resume from it"""
    resume: Folder | None = None
    """resume the tournament in this folder as it is, or with more --deals"""
    trust_code: bool = False
    """with --resume: take from the folder also code (file.py:Name), addresses (chat:) and agents that see all hands:
    code runs with your rights, so read what somebody else wrote first"""

    def run(self) -> Measured:
        with user_input():
            from train.evaluation.tournament_report import show

            tournament = self._new() if self.resume is None else self._saved(self.resume)
            check_shareable(self.address, names := tournament.plan.agents)
        try:
            with sharing(self.address, 1 if has_chat(names) else self.workers) as workers:
                report = tournament.play(workers)
        except BaseException:
            show_chats(names)
            raise

        def show_all() -> None:
            show(report)
            show_chats(names)

        return Measured({"tournament": report, **chat_tallies(names)}, show_all)

    def _new(self) -> "Tournament":
        from train.evaluation.tournament_setup import new_tournament

        rules = make_rules(self.rules, self.players, self.agents, self.preset)
        deals = deals_of(self.games, rules.players) or self.deals
        values = luck_values(rules) if self.luck_adjusted else None
        luck = "" if values is None else values.name
        return new_tournament(self.agents, rules, self.tables or "mixed", deals, self.seed or 0, self.save, luck)

    def _saved(self, folder: Path) -> "Tournament":
        from train.evaluation.tournament_setup import saved_tournament

        fixed = (self.rules, self.players, self.tables, self.seed)
        if self.agents or self.luck_adjusted or any(value is not None for value in fixed):
            raise ValueError(
                "--resume goes on with a tournament as it is: only --deals, --workers, --address and --json can change"
            )
        tournament = saved_tournament(folder, trust_code=self.trust_code)
        deals = deals_of(self.games, tournament.plan.rules.players) or self.deals
        return tournament if deals is None else saved_tournament(folder, deals, self.trust_code)


@dataclass(frozen=True, kw_only=True)
class Plot(Command):
    """Draw learning curves and cross tables, as PNG and SVG."""

    positional: ClassVar = ("targets",)

    targets: tuple[Annotated[Path, Meta(title="RUN")], ...]
    """folders of runs (runs that differ only in their seed become one curve), or --json files of `uno tournament` or
    `uno benchmark run`"""
    out: Folder = Path("plots")
    """folder for the plots"""

    def run(self) -> None:
        with user_input():
            from train.plots.draw import plot

            for file in plot(self.targets, self.out):
                print(file)
