"""The commands of people's table: ``uno play``, ``uno me``, ``uno replay`` and ``uno video``."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from msgspec import Meta

from train.cli.arguments import Command, RulesOptions, make_rules
from train.cli.errors import user_input
from train.common.options import Agent, File, Players, Seed
from uno_env.render.video import SECONDS
from uno_env.rules import Rules

if TYPE_CHECKING:
    from uno_env.render.page import Advice
    from uno_env.replay import Replay as Saved
    from uno_table.hands.own_hands import OwnHands
    from uno_table.table import Table


@dataclass(frozen=True, kw_only=True)
class Play(Command, RulesOptions):
    """Play against agents, in the terminal or in the browser."""

    positional: ClassVar = ("agents",)
    exclusive: ClassVar = (("plain", "web"), ("tables", "forget"))
    preset: ClassVar = "classic"

    agents: tuple[Agent, ...] = ()
    """1 to 9 opponents, beginning at your left (default zoo, the best shipped policy for the rules, or tuned where none
    is shipped); with --players N the last one takes all remaining seats; the name of a preset before them, such as
    no_mercy, stands for --rules"""
    players: Players | None = None
    """number of players (default: you and the opponents that are named)"""
    seed: Seed | None = None
    """seed of the deals and of all randomness (default: a new one each time)"""
    plain: bool = False
    """play line by line"""
    web: bool = False
    """serve tables for browsers on this machine"""
    host: Annotated[str, Meta(title="ADDRESS")] = "127.0.0.1"
    """with --web: the address to listen on; 127.0.0.1 is this machine alone"""
    port: Annotated[int, Meta(ge=0, le=65535)] = 8137
    """with --web: the port, 0 for any that is free"""
    allow_host: tuple[Annotated[str, Meta(title="NAME")], ...] = ()
    """with --web: other host names that browsers may use; https://NAME behind a proxy with HTTPS"""
    tables: Annotated[Path, Meta(title="FOLDER")] = Path("runs/tables")
    """with --web: where tables are saved; the next server finds them there"""
    forget: bool = False
    """keep no hands for `uno me`; with --web: save no tables, they are gone when the server ends"""

    def run(self) -> None:
        with user_input():
            from uno_table.console import can_show_a_table, is_conversation
            from uno_table.table import Setup, Table

            self._verify_web_options()
            agents, text = self._named()
            specs = self._opponents(agents or ["zoo"])
            rules = make_rules(text, len(specs) + 1, specs, self.preset)
            if not agents:
                specs = [_best(rules)] * len(specs)
            seed = secrets.randbelow(2**32) if self.seed is None else self.seed
            app = can_show_a_table() and not self.plain
            table = Table(Setup.against(specs, rules, match=app, hints=app, adviser=specs[0], pace=0.6, seed=seed))
        if self.web:
            self._serve(specs, rules, text)
        elif app:
            from uno_table.console import end_with_the_terminal
            from uno_table.table.rehearsal import rehearse
            from uno_table.terminal_app import TableApp

            rehearse(specs, rules)
            _keep_hands(table, self.forget)
            end_with_the_terminal()
            TableApp(table).run()
        else:
            from uno_table.plain_text import PlainText

            _keep_hands(table, self.forget or not is_conversation())  # no program's hands are kept
            PlainText(table).play()

    def _serve(self, specs: list[str], rules: Rules, text: str | None) -> None:
        with user_input():
            from uno_table.table.rules_form import form_values
            from uno_table.web.lobby import Lobby
            from uno_table.web.server import bind, serve
            from uno_table.web.storage import TableFolder

            listener = bind(self.host, self.port)
        preset = self.preset if text is None else text.partition(",")[0]
        form = {"agents": specs, "preset": preset, "rules": form_values(rules), "seed": self.seed}
        with listener:
            with user_input():  # a folder is made only where there is an address to listen on
                folder = None if self.forget else TableFolder(self.tables)
            serve(listener, Lobby(form, folder, _own_hands(self.forget)), self.allow_host)

    def _verify_web_options(self) -> None:
        """Raise ValueError if an option of the server is given, but no server is asked for."""
        for field in fields(self):
            given = getattr(self, field.name) != field.default
            if given and not self.web and field.name in ("host", "port", "allow_host", "tables"):
                option = f"--{field.name.replace('_', '-')}"
                raise ValueError(f"{option} is for --web: give it, or leave {option} out")

    def _named(self) -> tuple[list[str], str | None]:
        """The opponents that are named, and the text of the rules. Raises ValueError if both name rules."""
        from uno_env.rules import PRESETS

        if not self.agents or self.agents[0] not in PRESETS:
            return list(self.agents), self.rules
        if self.rules is not None:
            raise ValueError(f"{self.agents[0]!r} and --rules {self.rules!r} both name rules: leave one out")
        return list(self.agents[1:]), self.agents[0]

    def _opponents(self, specs: list[str]) -> list[str]:
        if len(specs) > 9:
            raise ValueError(f"{len(specs)} opponents are not allowed: name 1 to 9")
        if self.players is None:
            return specs
        if not len(specs) < self.players <= 10:
            raise ValueError(f"--players {self.players} is not allowed with {len(specs)} opponents: "
                             f"choose a whole number from {len(specs) + 1} to 10")  # fmt: skip
        return specs + specs[-1:] * (self.players - 1 - len(specs))


def _best(rules: Rules) -> str:
    """The best opponent that comes with the package for some rules."""
    from agents.zoo.shipped import shipped_for

    return "zoo" if shipped_for(rules) else "tuned"


def _own_hands(forgets: bool) -> "OwnHands | None":
    """The hands that are kept of the person; None if none are."""
    from uno_table.hands.own_hands import OwnHands

    return None if forgets else OwnHands()


def _keep_hands(table: "Table", forgets: bool) -> None:
    own = _own_hands(forgets)
    table.hand_ended = None if own is None else own.add


@dataclass(frozen=True, kw_only=True)
class Me(Command):
    """Show how well you play against agents: win rate with luck taken out, regret, Elo. Hands of `uno play` are kept on
    this machine alone, in runs/me/hands.jsonl; each takes seconds to be measured, once."""

    delete: bool = False
    """delete all that is kept"""

    def run(self) -> None:
        with user_input():
            from train.common.progress import progress_bar
            from uno_table.hands.own_hands import OwnHands

            own = OwnHands()
            if self.delete:
                print(f"Hands deleted: {own.delete()}.")
                return
            measuring = own.measure_kept()
            with progress_bar("choices", next(measuring).choices) as progress:
                for step in measuring:
                    progress(step.choices_done)
            print("\n".join(own.report()))


@dataclass(frozen=True, kw_only=True)
class ReplayCommand(Command):
    """Show a saved game, decision by decision, with all hands open."""

    positional: ClassVar = ("file",)
    exclusive: ClassVar = (("adviser", "costs"),)

    file: File
    """a game saved in `uno play`, by `uno evaluate --save-games`, by a training run or by Game.to_json(), or a table of
    `uno play --web`"""
    html: Annotated[File, Meta(title="OUT")] | None = None
    """write the game as a web page, in one file"""
    adviser: Agent | None = None
    """list the decisions at which this agent, seeing what the player saw, would have chosen otherwise; zoo is the best
    shipped policy for the rules"""
    costs: bool = False
    """measure what each choice cost and what the cards brought, by playouts: seconds for a hand and seat"""
    view: Annotated[int, Meta(ge=0, le=9, title="SEAT")] | None = None
    """with --html: show only what this seat may know (default: all hands; the page can switch); with --adviser or
    --costs: review only this seat"""

    def run(self) -> None:
        with user_input():
            from uno_env.common.files import verify_writable, write_text
            from uno_env.render.page import replay_page
            from uno_table.replay_viewer import load_replay, replay

            if self.view is not None and not (self.html or self.adviser or self.costs):
                raise ValueError("--view is for --html, --adviser and --costs: give one, or leave it out")
            played = load_replay(self.file)
            if self.view is not None:
                played.game.observe(self.view)  # refuses a seat that there is not
            if self.html is not None:
                verify_writable(self.html)
                if self.html.exists() and self.html.samefile(self.file):
                    raise ValueError(f"--html {str(self.html)!r} is the saved game itself: name another file")
            advice = self._advice(played)
            if self.html is not None:
                write_text(self.html, replay_page(played, self.view, advice))
                print(f"Wrote {self.html}: open it in a browser")
                return
        replay(played, advice)

    def _advice(self, played: "Saved") -> "Advice | None":
        from uno_table.opinions import advise, load_adviser, review_lines

        game = played.game
        seats = range(game.players) if self.view is None else [self.view]
        if self.costs:
            return _measured(played, seats)
        if self.adviser is None:
            return None
        advice = advise(load_adviser(self.adviser, game.rules), game, seats)
        print("\n".join(review_lines(played, advice)))
        return advice


def _measured(played: "Saved", seats: Sequence[int]) -> "Advice":
    """Measure luck and costs of these seats in all hands, and print a report of each."""
    from train.common.progress import progress_bar
    from uno_env.render.replay_frames import player_names
    from uno_env.replay import decisions_of
    from uno_table.hands.measuring import choices_in_hand, measure_choices
    from uno_table.hands.review import costs_text

    game, names = played.game, player_names(played)
    hands = {0, *(past.hands_played for past, _ in decisions_of(game))}
    asked = [(hand, seat) for hand in sorted(hands) for seat in seats]
    found, measured = [], 0
    with progress_bar("choices", sum(len(choices_in_hand(game, seat, hand)) for hand, seat in asked)) as progress:
        for hand, seat in asked:
            for step in measure_choices(game, seat, hand):
                progress(measured + step.done)
            found.append(step.advice)
            measured += step.choices
    for (hand, seat), advice in zip(asked, found, strict=True):
        print(f"{names[seat]}{f', hand {hand + 1}' if game.match else ''}: {costs_text(played, seat, advice, hand)}")
    notes = [next(filter(None, each), None) for each in zip(*(advice.notes for advice in found), strict=True)]
    return replace(found[0], notes=notes, luck=found[0].luck if len(found) == 1 else None)


@dataclass(frozen=True, kw_only=True)
class Video(Command, RulesOptions):
    """Write a hand as a moving picture with a frame for each decision. `uno record` writes data."""

    positional: ClassVar = ("out", "game")
    needs: ClassVar = ("PIL",)

    out: File
    """the picture: .gif, .webp, or .mp4 (extra video)"""
    game: File | None = None
    """a game, as `uno replay` takes it (default: a hand that is played for it)"""
    agents: tuple[Agent, ...] = ()
    """players of that hand: one agent for all seats, or one for each (default zoo, the best shipped policy for the
    rules, or tuned where none is shipped)"""
    seed: Seed | None = None
    """seed of that hand (default 0)"""
    view: Annotated[int, Meta(ge=0, le=9, title="SEAT")] | None = None
    """show only what this seat may know (default: all hands)"""
    seconds: Annotated[float, Meta(ge=0.1, le=60)] = SECONDS
    """seconds that each decision is shown"""

    def run(self) -> None:
        with user_input():
            from train.common.progress import progress_bar
            from uno_env.common.files import verify_writable
            from uno_env.render.video import check_name, write_video

            check_name(self.out)
            verify_writable(self.out)
            write_video(self._replay(), self.out, self.view, self.seconds, partial(progress_bar, "frames"))
        print(f"Wrote {self.out}")

    def _replay(self) -> "Saved":
        """The game that is shown."""
        if self.game is not None:
            from uno_table.replay_viewer import load_replay

            for option in ("rules", "players", "agents", "seed"):
                if getattr(self, option) not in (None, ()):
                    raise ValueError(f"--{option} is for a hand that is played, not for a saved game: leave it out")
            return load_replay(self.game)
        from train.game_data import play_hands
        from uno_env.replay import Replay

        rules = make_rules(self.rules, self.players, self.agents or ("zoo",), self.preset)
        (hand,) = play_hands(self.agents or (_best(rules),), rules, 1, self.seed or 0)
        return Replay.of(hand.game, hand.agents, hand.notes)
