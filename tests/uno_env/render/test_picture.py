"""The table as a picture: only what the viewer may know, every card and phase, legible, the same size all game long."""

import base64
import itertools
import random
import re
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pettingzoo.utils
import pytest

import uno_env
from tests.helpers.playing import lively_action, played, positions
from tests.helpers.random_rules import random_no_mercy_rules, random_rules
from tests.helpers.table import Table
from tests.helpers.twins import twin
from uno_env import Game, Rules
from uno_env.cards import CARD_TEXTS, COLOUR_LETTERS, COLOURS, NUM_COLOURS
from uno_env.core.record import ALL_PHASE_NAMES
from uno_env.editions import EDITIONS
from uno_env.editions.edition import NO_COLOUR
from uno_env.render import MODES, PIXELS, card_svg, frame, picture, rgb_array, svg, view_of
from uno_env.render.card_art import BACK, FILLS, figure
from uno_env.render.drawing import Box, Drawing, Label, Polygon, Stamp
from uno_env.render.picture import WIDTH, _fan, _rows_and_width

SVG = "{http://www.w3.org/2000/svg}"
SMALLEST = 9
"""Smallest text, in pixels of a picture shown 400 wide."""


def stamps(drawing: Drawing) -> list[str]:
    """Names of the cards in a picture."""
    return [item.card for item in drawing.items if isinstance(item, Stamp)]


def labels(drawing: Drawing) -> list[str]:
    """Texts in a picture."""
    return [item.text for item in drawing.items if isinstance(item, Label)]


def faces(drawing: Drawing) -> list[str]:
    """Cards that lie face up, but for the top card."""
    return [card for card in stamps(drawing) if card in CARD_TEXTS][1:]


def tables() -> list[tuple[str | Rules, int]]:
    """Rules and numbers of players that show every phase."""
    chance = random.Random(3)
    mixed = [(random_rules(chance, players=players), players) for players in (2, 3, 6)]
    mixed += [(random_no_mercy_rules(chance, players=players), players) for players in (2, 5)]
    presets = [("duel", 2), ("classic", 4), ("house", 5), ("house", 10), ("edition_2018", 7), ("h2o", 9)]
    return [*presets, ("no_mercy", 2), ("no_mercy", 4), ("no_mercy", 10), ("flip", 4), ("flip", 10), *mixed]


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "players"), tables(), ids=str)
def test_all_of_a_game_can_be_drawn(rules: Any, players: int) -> None:
    chance = random.Random(players)
    sizes: dict[bool, set[tuple[float, float]]] = {True: set(), False: set()}
    for game in positions(Game(rules, seed=players, players=players, match=players % 2 == 1), seed=players):
        if len(game.history) > 400:
            break
        for seat in (None, chance.randrange(players)):
            drawing = picture(view_of(game, seat))
            sizes[seat is None].add((drawing.width, drawing.height))
            assert_inside(drawing)
            if game.over or chance.random() < 0.05:
                assert_sound(svg(drawing))
    assert [len(found) for found in sizes.values()] == [1, 1], "frames of one video are of one size"


def test_every_phase_can_be_drawn() -> None:
    seen = set()
    for seed, preset in itertools.product(range(20), ("house", "no_mercy")):
        game = Game(Rules.preset(preset, players=4, wild_draw_four="bluff"), seed=seed)
        for at in positions(game, seed=seed):
            if at.phase not in seen:
                assert_inside(picture(view_of(at, 0)))
            seen.add(at.phase)
    assert_inside(picture(view_of(Table("r1 r2", "b1 b2", first="w").game, 0)))
    assert seen | {"first_colour"} == set(ALL_PHASE_NAMES)


def assert_inside(drawing: Drawing) -> None:
    """Nothing sticks out, and no text is too small at 400 pixels."""
    assert drawing.width == WIDTH == 400
    for item in drawing.items:
        if isinstance(item, Stamp):
            assert item.width / 2 - 0.01 <= item.x <= drawing.width - item.width / 2 + 0.01
            assert 0.75 * item.width - 0.01 <= item.y <= drawing.height - 0.75 * item.width
        if isinstance(item, Label):
            assert item.size >= SMALLEST
            assert item.text.isascii()
            assert 0 <= item.y <= drawing.height


def assert_sound(text: str) -> None:
    """An SVG document that is whole by itself and tells in words what it shows."""
    root = ElementTree.fromstring(text)
    ids = {element.get("id") for element in root.iter(f"{SVG}symbol")}
    for use in root.iter(f"{SVG}use"):
        assert use.get("href", "").removeprefix("#") in ids
    assert root.findtext(f"{SVG}title")
    assert "Top card" in (root.findtext(f"{SVG}desc") or "")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("house", 3), ("no_mercy", 4)])
def test_nothing_hidden_is_drawn(rules: str, players: int) -> None:
    chance = np.random.default_rng(1)
    different = 0
    for game in itertools.islice(positions(Game(rules, seed=6, players=players), seed=6), 0, None, 3):
        seat = int(chance.integers(players))
        other = twin(game, seat, chance)
        assert picture(view_of(game, seat)) == picture(view_of(other, seat))
        different += picture(view_of(game)) != picture(view_of(other))
    assert different > 10, "the twins differ in what is hidden"


def test_backs_for_what_a_player_may_not_know() -> None:
    table = Table("r1 r2 w+4", "b1 b2 b3", "y1 y2 y3", first="r9", pile="g1 g2 g3 g4").go("0 w+4:b")
    assert faces(picture(view_of(table.game, 1))) == ["b1", "b2", "b3"]
    assert faces(picture(view_of(table.game))) == ["r1", "r2", "b1", "b2", "b3", "y1", "y2", "y3"]
    table.go("1 challenge")
    seen = stamps(picture(view_of(table.game, 1)))
    assert seen[seen.index("r1") :] == ["r1", "r2", *[BACK] * 4, "b1", "b2", "b3"], "what the challenge has shown"


def test_every_hand_is_counted() -> None:
    for game in positions(Game("classic", seed=2, players=3), seed=2):
        drawing = picture(view_of(game, 1))
        cards = stamps(drawing)
        rows = cards[len(cards) - sum(view_of(game, 1).hand_sizes) :]
        assert rows.count(BACK) == sum(view_of(game, 1).hand_sizes[seat] for seat in (0, 2))
        assert str(len(game.hand(0))) in labels(drawing)


def test_what_may_be_played_is_marked() -> None:
    game = Table("r1 b5 w", "b1 b2 b3", first="r9").game
    marks = sum(isinstance(item, Polygon) and item.fill == "#1d1f24" for item in picture(view_of(game, 0)).items)
    assert marks == 2, "r1 and the wild"
    assert "draw" in labels(picture(view_of(game, 0)))
    assert "draw" not in labels(picture(view_of(game, 1)))


@pytest.mark.parametrize("cards", [0, 1, 7, 20, 40, 60, 107])
@pytest.mark.parametrize(("width", "height"), [(384.0, 88.0), (322.0, 46.0), (322.0, 36.0)])
def test_corners_of_a_large_hand_stay_in_sight(cards: int, width: float, height: float) -> None:
    fan = [item for item in _fan([CARD_TEXTS[5]] * cards, 0, 0, width, height, set()) if isinstance(item, Stamp)]
    assert len(fan) == cards
    for one, following in itertools.pairwise(fan):
        shown = following.x - one.x if following.y == one.y else one.width
        assert shown >= 0.44 * one.width
        assert following.y == one.y or following.y - one.y >= 0.46 * 1.5 * one.width
    if cards == 60 and height > 80:
        assert _rows_and_width(cards, width, height)[1] > 25, "in one's own hand, corners are to be read at 60 cards"


ALL_CARDS = {
    edition.shown(kind, side): (face, edition.faces_on(1 - side)[kind] if edition.sides > 1 else None)
    for edition in EDITIONS.values()
    for side in range(edition.sides)
    for kind, face in enumerate(edition.faces_on(side))
}
"""Both faces of all cards by their texts, as they lie on each side."""


@pytest.mark.parametrize("card", [*ALL_CARDS, BACK])
def test_every_card_can_be_drawn(card: str) -> None:
    root = ElementTree.fromstring(card_svg(card, 60))
    assert root.get("width") == "60"
    texts = [element.text for element in root.iter(f"{SVG}text")]
    if card != BACK:
        face, other = ALL_CARDS[card]
        assert root.findtext(f"{SVG}title") == (f"{face.name} / {other.name}" if other else face.name)
        assert ("W" if face.colour == NO_COLOUR else card[0].upper()) in texts, "the colour's letter"
        assert other is None or other.text.upper() in texts


@pytest.mark.parametrize("card", ["r5/r5", "x9", "r5/pse/r1", "", None, ["r5"]])
def test_a_card_that_there_is_not_is_refused_in_a_sentence(card: Any) -> None:
    with pytest.raises(ValueError, match=f"{re.escape(repr(card))} is no card"):
        card_svg(card)


@pytest.mark.thorough
def test_cards_differ_without_colours() -> None:
    grey = {}
    for card in (*ALL_CARDS, BACK):
        drawing = Drawing(60, 90, (Box(0, 0, 60, 90, "#ffffff"), Stamp(card, 30, 45, 56)))
        shades = rgb_array(drawing, 60).astype(float).mean(axis=2)
        grey[card] = np.digitize(shades, (64, 128, 192)).tobytes()
    assert len(set(grey.values())) == len(grey)


def test_colours_have_a_figure_and_a_letter_each() -> None:
    assert len({repr(figure(colour, 0, 0, 1, "#ffffff")) for colour in range(NUM_COLOURS)}) == NUM_COLOURS
    for colour, letter in enumerate(COLOUR_LETTERS):
        game = Table("r1 w", "b1 b2", first="r9", uno_call="automatic").go(f"0 w:{letter}").game
        drawing = picture(view_of(game, 1))
        assert COLOURS[colour].upper() in labels(drawing)
        assert any(isinstance(item, Box) and item.fill == FILLS[colour] for item in drawing.items)


def test_pixels_are_those_of_the_picture() -> None:
    game = Game("classic", seed=1)
    pixels = frame(game, 0, "rgb_array")
    assert isinstance(pixels, np.ndarray)
    assert (pixels.dtype, pixels.shape[1], pixels.shape[2]) == (np.uint8, PIXELS, 3)
    assert pixels.shape[0] % 2 == 0
    again = frame(game, 0, "rgb_array")
    assert np.array_equal(pixels, again)
    assert not np.array_equal(pixels, frame(game, 1, "rgb_array"))
    colours = pixels.astype(np.uint32) @ (1 << 16, 1 << 8, 1)
    assert len(np.unique(colours)) > 100


def test_pictures_in_notebooks() -> None:
    game = played(Game("classic", seed=3), 3, 12)
    assert game._repr_svg_() == frame(game, None, "svg")
    html = game._repr_html_()
    match = re.fullmatch(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="([^"<]+)" style="max-width: 100%">', html)
    assert match
    assert base64.b64decode(match[1]).decode() == game._repr_svg_()
    assert "Hand of player_2:" in match[2]


def test_what_cannot_be_shown() -> None:
    game = Game("duel")
    with pytest.raises(ValueError, match="render_mode='png' is not allowed: choose None, 'ansi', 'human'"):
        frame(game, 0, "png")
    for mode in MODES:
        with pytest.raises(ValueError, match="seat=2 is no seat of 2 players"):
            frame(game, 2, mode)


@pytest.mark.parametrize("seat", ["to_move", 1, "all"])
def test_pettingzoo_renders_the_picture_of_the_seat(seat: int | str) -> None:
    for mode in ("svg", "rgb_array"):
        env = uno_env.env("classic", players=3, render_mode=mode, render_seat=seat)
        env.reset(seed=4)
        game = env.unwrapped.game
        viewer = {"to_move": game.to_move, "all": None}.get(seat, seat) if isinstance(seat, str) else seat
        assert np.array_equal(env.render(), frame(game, viewer, mode))


def test_gymnasium_records_videos(tmp_path: Any) -> None:
    pytest.importorskip("moviepy")
    env: Any = gymnasium.make("uno_env/Uno-v0", rules="duel", opponents=["greedy"], render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path))
    _, info = env.reset(seed=0)
    done = False
    while not done:
        _, _, ended, cut, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        done = ended or cut
    env.close()
    assert [file.suffix for file in tmp_path.iterdir()] == [".mp4"]


def test_pettingzoo_records_videos(tmp_path: Any) -> None:
    pytest.importorskip("moviepy")
    env = pettingzoo.utils.wrappers.RecordVideo(uno_env.env("duel", render_mode="rgb_array"), str(tmp_path))
    env.reset(seed=0)
    chance = random.Random(0)
    for _ in range(6):
        env.step(lively_action(env.unwrapped.game, chance))
    env.close()
    assert [file.suffix for file in tmp_path.iterdir()] == [".mp4"]
    assert all(file.stat().st_size > 1000 for file in tmp_path.iterdir())


def test_the_side_in_force_is_told_and_others_cards_show_their_other_faces() -> None:
    game = Game(Rules.preset("flip", players=3), 2)
    seen, chance = set(), random.Random(2)
    for _ in range(150):
        view = view_of(game, 0)
        items = picture(view).items
        labels = {item.text for item in items if isinstance(item, Label)}
        assert labels & {"light side", "dark side"} == {("light side", "dark side")[game.side]}
        faces = view.edition.faces_on(1 - game.side)
        backs = sorted(item.card for item in items if isinstance(item, Stamp) and item.card.startswith("?/"))
        unknown = [kind for other in (1, 2) for kind in game.hand(other) if kind not in view.known.get(other, [])]
        following = [view.next_back] if view.next_back else []
        assert backs == sorted(f"?/{face}" for face in [*following, *(faces[kind].text for kind in unknown)])
        seen.add(game.side)
        game.step(chance.choice(game.legal_actions()))
        if game.over:
            break
    assert seen == {0, 1}
