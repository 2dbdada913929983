"""The pictures of the pages; ``python -m tools.docs.pictures`` writes them anew: :func:`pictures`,
:func:`moving_hand`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import agents
from tools import ROOT
from tools.docs.structure import structure
from uno_env.cards import CARD_TEXTS, COLOURS, is_wild
from uno_env.game import Game
from uno_env.render.card_art import BACK
from uno_env.render.drawing import Box, Drawing, Item, Label, Stamp, arrow
from uno_env.render.frames import frame
from uno_env.render.svg import svg
from uno_env.rules import Rules

FOLDER = ROOT / "docs" / "pictures"

_STEP, _CARD = 30.0, 26.0
_ACROSS = [is_wild(kind) for kind in range(len(CARD_TEXTS))].index(True) // len(COLOURS)
"""Cards side by side: the kinds of a colour."""


def pictures() -> dict[str, Callable[[], str]]:
    """Functions that draw the pictures as SVG, by file name. Nothing is random: every card in them is given."""
    return {
        "player.svg": _player,
        "spectator.svg": _spectator,
        "cards.svg": _cards,
        "steps.svg": _steps,
        "structure.svg": structure,
    }


def _steps() -> str:
    """The course of an episode, on a background of its own, so that it can be read on dark pages."""
    ink, ground, field = "#22261f", "#f6f4ee", "#cfe3f5"
    boxes = {
        (20, 70): ("reset(seed=...)", "deals, turns up", "the first card"),
        (180, 70): ("agent_selection", "is the player", "to move"),
        (340, 70): ("last()", "its observation", "and action mask"),
        (500, 70): ("step(action)", "plays it: who is", "to move now?"),
        (500, 190): ("the hand is over", "+1 for the winner,", "-1 shared by others"),
    }
    items: list[Item] = [Box(0, 0, 660, 270, ground, 8)]
    for (x, y), (title, *lines) in boxes.items():
        items += [Box(x, y, 140, 74, field, 6, ink), Label(x + 70, y + 17, title, 14, ink, bold=True)]
        items += [Label(x + 70, y + 38 + 19 * row, line, 13, ink) for row, line in enumerate(lines)]
    for x in (160, 320, 480):
        items += arrow(((x, 107), (x + 14, 107)), ink, 2)
    items += arrow(((570, 144), (570, 184)), ink, 2)
    items += arrow(((570, 70), (570, 30), (250, 30), (250, 64)), ink, 2)
    items += [Label(410, 18, "the next player, until the hand is over", 13, ink)]
    items += [Label(250, y, text, 13, ink) for y, text in _TURNS]
    return svg(Drawing(660, 270, tuple(items), title="reset and step"))


_TURNS = (
    (182, "Usually the neighbour in the direction of play is next."),
    (202, "A Reverse turns the direction, a Skip passes one player over."),
    (222, "Challenges, catches and jumping in ask players out of turn."),
)


def _player() -> str:
    """One of four players has been shown a hand by a challenge, and is to move."""
    rules = Rules(players=4, hand_size=5, dealer="fixed", dealer_seat=3)
    hands = ("g1 g7 gs w+4 b3", "r5 y5 b5 w y+2", "b7 y3 g0 rr r1", "y1 y8 g4 r9 b8")
    game = Game(rules, deck=_dealt(hands, "g9", "b1 r3 y6 r7 b2 g6"), dealer=3)
    for action in ("w+4:b", "challenge", "b5", "b7", "b8"):
        game.step(action)
    while game.to_move != 1:
        game.step("draw" if game.to_move == 0 else "pass")
        if game.phase == "drawn":
            game.step("pass")
    return str(frame(game, 1, "svg"))


def _spectator() -> str:
    """House rules, three players, a stack of Draw Twos."""
    rules = Rules.preset("house", players=3, hand_size=6, dealer="fixed", dealer_seat=2, uno_call="automatic")
    hands = ("r+2 r4 y7 g0 b9 w", "y+2 g2 g8 r0 b4 bs", "b+2 y3 rr w+4 g5 y9")
    game = Game(rules, deck=_dealt(hands, "r8", "g1 y2 b6 r3"), dealer=2)
    for action in ("r+2", "y+2"):
        game.step(action)
    return str(frame(game, None, "svg"))


def _dealt(hands: tuple[str, ...], first: str, pile: str) -> str:
    """The deck that deals these hands, seat 0 first."""
    rounds = zip(*(hand.split() for hand in hands), strict=True)
    return " ".join([*(card for each in rounds for card in each), first, pile])


def _cards() -> str:
    """One card of each kind, and a back."""
    items: list[Box | Stamp] = []
    for place, card in enumerate((*CARD_TEXTS, BACK)):
        row, column = divmod(place, _ACROSS)
        items.append(Stamp(card, _STEP * (column + 0.5) + 5, 1.55 * _STEP * (row + 0.5) + 5, _CARD))
    width, height = _ACROSS * _STEP + 10, 5 * 1.55 * _STEP + 10
    return svg(Drawing(width, height, (Box(0, 0, width, height, "#f6f4ee"), *items), "All kinds of cards"), 640)


def moving_hand(path: Path) -> None:
    """A hand of three players as a moving picture, all hands open."""
    from PIL import Image

    game = Game(Rules.preset("classic", players=3, uno_call="automatic"), seed=14)
    player = agents.load("greedy", rules=game.rules)
    images = [Image.fromarray(_pixels(game))]
    while not game.over:
        seen = game.observe(game.to_move, "uint8")
        game.step(player.act(seen, game.action_mask()))
        images.append(Image.fromarray(_pixels(game)))
    times = [700] * (len(images) - 1) + [4000]
    images[0].save(path, save_all=True, append_images=images[1:], duration=times, loop=0, quality=60, method=6)


def _pixels(game: Game) -> Any:
    return frame(game, None, "rgb_array")


if __name__ == "__main__":
    for file, drawn in pictures().items():
        (FOLDER / file).write_text(drawn() + "\n", encoding="utf-8")
    moving_hand(FOLDER / "hand.webp")
