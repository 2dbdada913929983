"""Parts of the table in the terminal: cards, questions, the help, and the lines of players and piles."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, HorizontalScroll, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Label, ProgressBar, Static

from uno_table.table.view_fields import ActionView, CardView, MoveView, PlayerView, TableView

_STYLES = {
    "r": "#ffffff on #b01f33", "y": "#1b1b1f on #f6c400", "g": "#ffffff on #157040", "b": "#ffffff on #1f5fc0",
    "p": "#ffffff on #a82c73", "t": "#ffffff on #0b7175", "o": "#1b1b1f on #e08a1e", "u": "#ffffff on #6a3d9a",
}  # fmt: skip
"""Styles of the colours by their letters, those of the dark side of cards with two sides last."""
_FIGURES = dict(zip(_STYLES, "▲●■◆▲●■◆", strict=True))
_SIGNS = {"s": "⊘", "r": "⇄", "se": "⊘⊘", "da": "ALL", "f": "⇅"}
_WILD_SIGNS = {"": "W", "c": "+?"}
_WILD_STYLE = "#ffffff on #1b1b1f"

HELP = """\
Bright cards can be played: choose one with the arrow keys and Enter, or with the mouse.
Every colour has a letter and a figure: red R ▲, yellow Y ●, green G ■, blue B ◆;
on a dark side pink P ▲, teal T ●, orange O ■, purple U ◆. The small text at
the foot of a card with two sides is its other side.

d  draw
p  keep the card, let it go
u  call UNO
c  challenge, catch
a  take the penalty
j  jump in
h  hints on and off
z  take the last move back
n  next hand
w  where did I go wrong? What luck and choices brought, after a hand
s  save the game
q  quit

Where a race is on, the line below the piles counts the seconds down."""


class CardButton(Button):
    """A card of the hand. ``each`` is the card as in :func:`uno_table.table.seat_view.seat_view`."""

    def __init__(self, each: CardView) -> None:
        super().__init__(card_face(each["card"], each["share"]), classes="card playable" if each["actions"] else "card")
        self.each = each
        self.tooltip = each["name"]


class Choice(ModalScreen[str | None]):
    """Asks to choose one of several actions, whose texts and names are given."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Not now"),
        *(Binding(letter, f"colour('{letter}')", show=False) for letter in _STYLES),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]

    def __init__(self, title: str, actions: Sequence[ActionView]) -> None:
        super().__init__()
        self.question, self.actions = title, actions

    def compose(self) -> ComposeResult:
        """A question, and a button for each answer."""
        with Vertical(id="choice"):
            yield Label(self.question, markup=False)
            with Horizontal():
                for each in self.actions:
                    button = Button(choice_face(each), name=each["action"])
                    yield button
            yield Label("Esc: not now", classes="quiet")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """An answer was given."""
        self.dismiss(event.button.name)

    def action_colour(self, letter: str) -> None:
        """The colour's key was pressed."""
        wanted = next((each["action"] for each in self.actions if each["action"].endswith(f":{letter}")), None)
        if wanted is not None:
            self.dismiss(wanted)


class HelpScreen(ModalScreen[None]):
    """Says how it is played, or something else."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,question_mark,q", "dismiss", "Close")]

    def __init__(self, text: str = HELP) -> None:
        super().__init__()
        self.text = text

    def compose(self) -> ComposeResult:
        """The text."""
        with VerticalScroll(id="help") as page:
            page.border_subtitle = "Esc: back to the table"
            yield Static(self.text, markup=False)


class MeasuringScreen(ModalScreen[None]):
    """Shows how many choices of a hand are tried out, and how long the others take."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", "Close")]

    def __init__(self) -> None:
        super().__init__()
        self.bar = ProgressBar()

    def compose(self) -> ComposeResult:
        """A line and the bar."""
        with Vertical(id="measuring") as box:
            box.border_subtitle = "Esc: back to the table"
            yield Label("Your choices are tried out, and what else you could have done.")
            yield self.bar

    def show(self, done: int, total: int) -> None:
        """Show how many of the choices are done."""
        self.bar.update(total=total, progress=done)


class Row(HorizontalScroll, inherit_bindings=False):
    """Scrolls to the chosen item. The arrow keys choose, so they do not scroll."""


class Hand(Horizontal):
    """The cards of a hand in a row, and the word "more" at each end behind which cards are out of sight."""

    def compose(self) -> ComposeResult:
        """The row between its two words."""
        yield Label("more\n ←", id="more-left", classes="more")
        yield Row(id="hand", can_focus=False)
        yield Label("more\n →", id="more-right", classes="more")

    def on_mount(self) -> None:
        """Follow the row."""
        row = self.query_one("#hand", Row)
        for changing in ("scroll_x", "virtual_size"):
            self.watch(row, changing, self._show_what_is_hidden)

    def on_resize(self) -> None:
        """Follow the window."""
        self._show_what_is_hidden()

    def _show_what_is_hidden(self) -> None:
        row, left, right = (self.query_one(name) for name in ("#hand", "#more-left", "#more-right"))
        # The words have room where the cards do not fit without them. If room followed scrolling, it would change that.
        left.display = right.display = row.virtual_size.width > self.size.width - row.gutter.width
        left.visible = row.scroll_x > 0
        right.visible = row.scroll_x < row.max_scroll_x


def card_face(card: str, share: float | None = None) -> Text:
    """A card as three short lines: its symbol, its colour's letter and figure, and how much it is advised. If it has
    two sides, the text of the other face comes after the figure.
    """
    front, _, back = card.partition("/")
    style, hint = _style_of(front), "" if share is None else f"{share:.0%}"
    if style == _WILD_STYLE:
        rest = front.lstrip("d").removeprefix("w")
        sign, foot = _WILD_SIGNS.get(rest, rest.upper()), "" if back else "wild"
    else:
        sign, figure = _SIGNS.get(front[1:], front[1:]), _FIGURES[front[0]]
        foot = f"{front[0].upper()}{figure}" if back else f"{front[0].upper()} {figure}"
    lower = [(f"{foot:2}", style), (f"{back:^3}", _style_of(back))] if back else [(f"{foot:^5}", style)]
    return Text.assemble((f" {sign:^3} ", style), "\n", *lower, f"\n{hint:^5}")


def _style_of(face: str) -> str:
    """The style of a face by its text."""
    return _WILD_STYLE if face.lstrip("d").startswith("w") else _STYLES.get(face[:1], "")


def choice_face(each: ActionView) -> Text:
    """An action to choose: its colour, if it declares one, else its name."""
    letter = each["action"].rpartition(":")[2]
    if letter in _STYLES and ":" in each["action"]:
        name = each["name"].rpartition(" ")[2]
        return Text(f" {_FIGURES[letter]} {letter.upper()} {name} ", _STYLES[letter])
    return Text(each["name"])


def players_text(view: TableView, width: int) -> Text:
    """A line for each player, in the order in which they sit, with the backs of the cards where there is room."""
    lines = _player_lines(view, 15, width)
    return Text("\n").join(lines if max(map(len, lines)) <= width else _player_lines(view, 0, width))


def _player_lines(view: TableView, most_backs: int, width: int) -> list[Text]:
    lines = []
    longest = min(18, max(len(player["name"]) for player in view["players"]))
    for player in view["players"]:
        deciding = view["deciding"] == player["seat"]
        notes = [note for note, holds in {
            "UNO!": player["called"], "dealer": player["dealer"], "out": player["out"] and not player["putOut"],
            "out of the hand": player["putOut"],
            "failed to decide": player["failed"],
            f"{player['score']} points": player["score"] > 0, f"won {player['won']}": player["won"] > 0,
            f"you know {' '.join(known['card'] for known in player['known'])}": bool(player["known"]),
        }.items() if holds]  # fmt: skip
        backs = "▮" * min(player["cards"], most_backs)
        cards = f"{player['cards']:2} card{' ' if player['cards'] == 1 else 's'}"
        line = Text(f"{'▶' if deciding else ' '} {player['name'][:longest]:{longest}} {cards}  ")
        noted = f" {', '.join(notes)}" if notes else ""
        line += _other_sides(player, width - len(line) - len(noted)) if player["backs"] else Text(backs)
        line.rstrip()
        line += noted
        line.stylize("bold" if deciding else "")
        lines.append(line)
    return lines


def _other_sides(player: PlayerView, room: int) -> Text:
    """The other faces of a player's cards, as many as there is room for."""
    shown, faces = Text(), player["backs"]
    for place, face in enumerate(faces):
        more = Text(face["card"], _style_of(face["card"])) + " "
        if len(shown) + len(more) > room - (place < len(faces) - 1):
            return shown + "…" if shown else shown
        shown += more
    return shown


def piles_text(view: TableView) -> Text:
    """Top card, colour, direction and piles."""
    top = Text(f"Top card  {view['topName']}  ")
    colour = view["colour"]
    if colour is not None:
        letter = "u" if colour == "purple" else colour[0]
        top += Text(f" {_FIGURES[letter]} {letter.upper()} {colour} ", _STYLES[letter])
    order = "clockwise ↓" if view["clockwise"] else "counter-clockwise ↑"
    rest = f"\nDraw pile {view['drawPile']}, discard pile {view['discards']}; play runs {order}"
    return top + Text(rest) + Text(_sides_text(view))


def _sides_text(view: TableView) -> str:
    """A line on what only cards with two sides have."""
    if not view["side"]:
        return ""
    told = [f"\nThe {view['side']} side counts"]
    if view["nextBack"]:
        told.append(f"the next card has {view['nextBack']['name']} on its other side")
    if view["lastFace"]:
        told.append(f"the last one is {view['lastFace']['name']}")
    return "; ".join(told)


def move_face(move: MoveView) -> Text:
    """A move's name, and how much it is advised."""
    return Text(move["name"] if move["share"] is None else f"{move['name']} {move['share']:.0%}")
