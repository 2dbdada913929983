"""The table in the terminal: ``uno play`` where a person sits at both ends (Textual)."""

import itertools
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.timer import Timer
from textual.widgets import Button, Footer, RichLog, Static
from textual.worker import get_current_worker

from agents import Agent
from uno_env import actions as catalogue
from uno_env.render.sentences import sentence
from uno_table import terminal_parts as parts
from uno_table.console import save_game
from uno_table.hands.review import HandReview, prepare_review
from uno_table.table import RefusedError, Table
from uno_table.table.question import Hints, Question
from uno_table.table.rules_help import rules_help
from uno_table.table.seat_view import seat_view
from uno_table.table.table_config import adviser_name, rules_title
from uno_table.table.view_fields import TableView

PERSON = 0
NOTICE_SECONDS = 5.0


class Log(RichLog):
    """The log of the game. Its lines are wrapped when they are written, so they are written again for another width."""

    def on_resize(self, event: Resize) -> None:
        """Another width."""
        super().on_resize(event)
        self.app.call_after_refresh(cast(TableApp, self.app).wrap_again)


class TableApp(App[None]):
    """One person and agents."""

    CSS_PATH = "terminal_app.tcss"
    TITLE = "UNO"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "walk(-1)", show=False),
        Binding("right", "walk(1)", show=False),
        Binding("d", "move('draw')", "Draw"),
        Binding("p", "move('pass')", "Pass"),
        Binding("u", "move('call')", "UNO!"),
        Binding("c", "move('challenge', 'catch')", "Catch"),
        Binding("a", "move('accept')", "Accept", show=False),
        Binding("j", "move('jump_in')", "Jump in", show=False),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
        Binding("h", "hints", "Hints"),
        Binding("z", "undo", "Undo"),
        Binding("n", "go_on", "Next"),
        Binding("s", "save", "Save", show=False),
        Binding("w", "review", "Where did I go wrong?", show=False),
    ]

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table
        table.sit(table.seats[PERSON].invitation, "You", time.monotonic())
        self.wants_hints = False
        self._is_held = False
        """True if the last thing that happened is not shown yet."""
        self._logged: tuple[int, list[str]] = 0, []
        self._line = ""
        self._notice: Timer | None = None
        self._asked: set[tuple[Agent, str]] = set()
        """Agents that think, or wait to think, and the tickets that they do it for."""
        self._busy: defaultdict[Agent, threading.Lock] = defaultdict(threading.Lock)
        """For each agent: after a move was taken back, it may still be thinking of the other one."""

    # --- what is shown ------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Players and piles, the log, the moves, the hand."""
        yield Static(id="title", markup=False)
        with Horizontal(id="middle"):
            with VerticalScroll(id="table", can_focus=False):
                yield Static(id="players")
            yield Log(id="log", wrap=True, markup=False, min_width=0)
        yield Static(id="piles")
        yield Static(id="situation", markup=False)
        yield parts.Row(id="moves", can_focus=False)
        yield parts.Hand()
        yield Footer()

    def on_mount(self) -> None:
        """Deal."""
        self.query_one("#log", RichLog).can_focus = False
        self._show_title()
        self.set_interval(0.2, self._tick)
        self.call_after_refresh(self.changed)

    def changed(self) -> None:
        """Something has happened: show it, and let the next players decide, once nothing else is being shown.

        Timers, and what is called after a refresh, are run beside the application's own messages. Two of them that
        drew the table at once would show each card twice, so the application itself does it, one after the other.
        """
        self.call_later(self._ask_and_show)

    async def _ask_and_show(self) -> None:
        """Ask the next players, and show what has happened when that may be."""
        now = time.monotonic()
        questions = [*self.table.questions(now)]
        if self.wants_hints and (asked := self.table.hint_question(PERSON, now)) is not None:
            questions.append(asked)
        for question in questions:
            if (question.agent, question.ticket) not in self._asked:
                self._asked.add((question.agent, question.ticket))
                self._think(question)
        if (wake_at := self.table.wake_at(now)) is not None:
            self.set_timer(wake_at - now, self._tick)
        self._is_held = now < self.table.held_until(PERSON)
        if not self._is_held:
            await self._show()

    async def _show(self) -> None:
        view = seat_view(self.table, PERSON, self.wants_hints)
        self._show_log(view)
        self._show_players(view)
        self.query_one("#piles", Static).update(parts.piles_text(view))
        self._show_situation(view)
        await self._show_moves(view)

    def _show_title(self) -> None:
        self._title(f"UNO  {rules_title(self.table.setup)}", notice=False)

    def _title(self, text: str | Content, notice: bool) -> None:
        title = self.screen_stack[0].query_one("#title", Static)
        title.set_class(notice, "notice")
        title.update(text)

    def notify(self, message: str, *, markup: bool = True, **_: Any) -> None:
        """Show a notice where the title is, for some seconds: Textual's own would cover the cards."""
        if self._notice is not None:
            self._notice.stop()
        self._title(Content.from_markup(message) if markup else message, notice=True)
        self._notice = self.set_timer(NOTICE_SECONDS, self._show_title)

    def wrap_again(self) -> None:
        """Write players and log again, in the present width."""
        view = seat_view(self.table, PERSON, self.wants_hints)
        self._logged = -1, []
        self._show_log(view)
        self._show_players(view)

    def _show_players(self, view: TableView) -> None:
        width = self.query_one("#table").scrollable_content_region.width
        self.query_one("#players", Static).update(parts.players_text(view, width))

    def _show_log(self, view: TableView) -> None:
        epoch, logged = self._logged
        log = self.query_one("#log", RichLog)
        told = logged[: view["firstEvent"]] + view["events"]
        if view["epoch"] != epoch or told[: len(logged)] != logged:  # what came of an event can be told further
            log.clear()
            logged = []
        for text in told[len(logged) :]:
            log.write(text)
        self._logged = view["epoch"], told

    def _show_situation(self, view: TableView) -> None:
        line = view["situation"]
        if view["result"] is not None:
            line = f"{view['result']['match'] or view['result']['text']}  (n: next hand) (w: where did I go wrong?)"
        elif view["clock"] is not None:
            line += f"  {max(view['clock']['deadline'] - time.monotonic(), 0.0):.0f} s"
        if line != self._line:
            self._line = line
            self.query_one("#situation", Static).update(Text(line, "bold"))

    async def _show_moves(self, view: TableView) -> None:
        hand, moves = self.query_one("#hand"), self.query_one("#moves")
        focused = self._focused_card()
        cards = [parts.CardButton(each) for each in view["hand"]]
        buttons = [Button(parts.move_face(move), name=move["action"], classes="move") for move in view["moves"]]
        with self.batch_update():
            await hand.remove_children()
            await hand.mount_all(cards)
            await moves.remove_children()
            await moves.mount_all(buttons)
        self._focus_again(cards, buttons, focused)

    def _focus_again(self, cards: list[parts.CardButton], buttons: list[Button], focused: int | None) -> None:
        playable = [index for index, card in enumerate(cards) if card.each["actions"]]
        if playable:
            cards[focused if focused in playable else playable[0]].focus()
        elif buttons:
            buttons[0].focus()

    def _focused_card(self) -> int | None:
        cards = list(self.query(parts.CardButton))
        return next((index for index, card in enumerate(cards) if card is self.focused), None)

    def _tick(self) -> None:
        if not self.query("#situation"):
            return  # the application is being closed, and shows nothing any more
        now = time.monotonic()
        if self.table.tick(now) or (self._is_held and now >= self.table.held_until(PERSON)):
            self.changed()
        elif self.table.clock(PERSON) is not None:
            self._show_situation(seat_view(self.table, PERSON))

    # --- agents -------------------------------------------------------------------------------------------------------

    @work(thread=True, group="agents")
    def _think(self, question: Question) -> None:
        """Let an agent decide, or give hints if it is the person's adviser."""
        deed = question.hints if question.seat == PERSON else question.choose
        with self._busy[question.agent]:
            result = deed()
        if not get_current_worker().is_cancelled:
            self.call_from_thread(self._take, question, result)

    def _take(self, question: Question, result: Hints | int) -> None:
        self._asked.discard((question.agent, question.ticket))
        if isinstance(result, Hints):
            self.table.take_hints(question, result)
        else:
            self.table.answer(question, result, time.monotonic())
        self.changed()

    # --- what the person does -----------------------------------------------------------------------------------------

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A card or a move was chosen."""
        if not isinstance(event.button, parts.CardButton):
            self._act(event.button.name)
            return
        each = event.button.each
        actions = each["actions"] or each["mistakes"]
        if not actions:
            self.notify(f"{each['name']} cannot be played now.", severity="warning")
        elif len(each["actions"]) == 1:
            self._act(actions[0]["action"])
        else:
            wrong = "" if each["actions"] else " does not match, and laying it is punished: lay it all the same?"
            self.push_screen(parts.Choice(each["name"] + wrong, actions), self._act)

    def action_move(self, *wanted: str) -> None:
        """Do the first of the wanted actions, by their short texts, that is legal now."""
        legal = [catalogue.name(action, self.table.setup.rules) for action in self.table.choices(PERSON)]
        action = next((each for each in wanted if each in legal), None)
        if action is None:
            self.notify("That cannot be done now.", severity="warning")
        else:
            self._act(action)

    def _act(self, action: str | None) -> None:
        if action is not None:
            self._try(lambda now: self.table.move(PERSON, action, self.table.ticket(PERSON), now))

    def action_undo(self) -> None:
        """Take the last move back."""
        self._try(self.table.undo)

    def action_go_on(self) -> None:
        """Go on to the next hand."""
        self._try(self.table.go_on)

    def _try(self, deed: Callable[[float], None]) -> None:
        try:
            deed(time.monotonic())
        except RefusedError as refusal:
            self._refuse(refusal)
        else:
            self.changed()

    def _refuse(self, error: ValueError) -> None:
        self.notify(sentence(str(error)), severity="warning", markup=False)

    def action_hints(self) -> None:
        """Hints on or off."""
        self.wants_hints = not self.wants_hints
        adviser = adviser_name(self.table.setup) if PERSON in self.table.advisers else "nobody"
        self.notify(f"Hints by {adviser}: {'on' if self.wants_hints else 'off'}", markup=False)
        self.changed()

    def action_review(self) -> None:
        """Show luck and costs of the hand that has ended."""
        try:
            review, screen = prepare_review(self.table, PERSON), parts.MeasuringScreen()
        except RefusedError as refusal:
            self._refuse(refusal)
            return
        self.push_screen(screen)
        self._review(review, screen)

    @work(thread=True, exclusive=True, group="review")
    def _review(self, review: HandReview, screen: parts.MeasuringScreen) -> None:
        """Measure as long as the screen is shown, which tells how far it is."""
        try:
            for step in review.steps():
                if get_current_worker().is_cancelled or self.screen is not screen:
                    return
                self.call_from_thread(screen.show, step.done, step.choices)
            text = review.text(step.advice)
        except ValueError as error:  # nobody who tries choices out plays by these rules
            text = sentence(str(error))
        self.call_from_thread(self._show_review, screen, text)

    def _show_review(self, screen: parts.MeasuringScreen, text: str) -> None:
        if self.screen is screen:
            self.switch_screen(parts.HelpScreen(text))

    def action_save(self) -> None:
        """Save the game, with all cards, for `uno replay`."""
        names = (f"uno-game-{number}.json" for number in itertools.count(1))
        try:
            name = next(name for name in names if not Path(name).exists())
            self.notify(save_game(self.table.replay(), name), markup=False)
        except ValueError as error:
            self._refuse(error)

    def action_walk(self, step: int) -> None:
        """Go along the hand, or along the moves where no card can be played."""
        cards, moves = list(self.query(parts.CardButton)), list(self.query("#moves Button").results(Button))
        row: Sequence[Button] = moves if moves and not any(card.each["actions"] for card in cards) else cards
        at = next((index for index, button in enumerate(row) if button is self.focused), None)
        if row:
            row[0 if at is None else (at + step) % len(row)].focus()

    def action_help(self) -> None:
        """Say how it is played."""
        rules = "\n".join(f"{line.name}: {line.text}" for line in rules_help(self.table.setup.rules))
        self.push_screen(parts.HelpScreen(f"{parts.HELP}\n\n{rules}"))
