"""GUIDE.md 12 at a table: what is sent to a seat tells nothing hidden."""

import itertools
import random

import numpy as np
import pytest

import agents
from tests.helpers.phrases import english
from tests.helpers.random_rules import RANDOM_RULES, random_rules
from tests.helpers.twins import twin
from tests.helpers.worlds import LETS_GO, asked_in, differences
from tests.uno_table.tables import PERSON, play_one, table_of
from uno_env import Rules
from uno_env import actions as catalogue
from uno_env.cards import CARD_TEXTS, parse_cards
from uno_env.common.phrases import plain_values
from uno_env.editions import edition_for
from uno_env.render.view import view_of
from uno_table.table.seat_view import seat_view

TABLES = [
    ("duel", 2, False),
    ("classic", 4, True),
    ("house", 3, True),
    ("edition_2018", 3, True),
    ("no_mercy", 4, True),
    ("flip", 4, True),
    (random_rules(random.Random(3), players=4, illegal_action="penalty", jump_in=True), 4, True),
]


def states(rules, players, match, number=40):
    """A table of people in sampled states of play, hands that are over included."""
    table = table_of([PERSON] * players, rules, match=match, reaction_seconds=5, adviser="tuned")
    chance = random.Random(players)
    for decision in range(12 * number):
        play_one(table, chance)
        if decision % 12 == 0 or table.series.pausing or table.game.phase in ("jump_in", "challenge"):
            yield table


@pytest.mark.thorough
@pytest.mark.parametrize(("rules", "players", "match"), TABLES)
def test_nothing_hidden_is_sent_to_a_seat(rules, players, match):
    chance = np.random.default_rng(1)
    for table in states(rules, players, match):
        game, shown = table.series.game, table.series.shown
        for seat in range(players):
            before = seat_view(table, seat)
            table.series.shown = twin(shown, seat, chance)
            table.series.game = table.series.shown if game is shown else twin(game, seat, chance)
            assert seat_view(table, seat) == before
            table.series.game, table.series.shown = game, shown


def asked_unseen(phase, checks):
    """A table of three people, as often as asked for, when one of them is asked in a phase what the others cannot
    know."""
    rules = Rules.preset("house", players=3, draw="one", six_smackdown=False)
    table = table_of([PERSON] * 3, rules, reaction_seconds=9, turn_seconds=20, hints=False)
    chance = random.Random(5)
    while checks:
        if not table.series.pausing and table.game.phase == phase:
            checks -= 1
            yield table, table.game.to_move
        else:
            play_one(table, chance)


@pytest.mark.parametrize("phase", LETS_GO)
def test_who_is_asked_because_of_a_card_is_told_to_nobody_else(phase):
    """All that is sent to the others, their clocks and tickets, stays as it is when the chance is let go, early or
    late.
    """
    compared = 0
    for now, (table, asked) in zip(itertools.cycle((3.0, 15.0)), asked_unseen(phase, 12), strict=False):
        others = [seat for seat in (0, 1, 2) if seat != asked]
        before = {seat: seat_view(table, seat) for seat in others}
        mine = seat_view(table, asked)
        assert mine["clock"] == {"deadline": 9.0 if phase == "jump_in" else 20.0, "seconds": mine["clock"]["seconds"]}
        table.move(asked, LETS_GO[phase], table.ticket(asked), now)
        for seat in others:
            if before[seat]["deciding"] is not None:  # else the card on top has yet to act
                assert seat_view(table, seat) == before[seat]
                compared += 1
        assert seat_view(table, asked)["events"] != mine["events"]
        table.restart_clock(0.0)
    assert compared >= 16


@pytest.mark.parametrize("phase", LETS_GO)
def test_an_agent_that_fails_tells_nobody_that_it_was_asked(phase):
    for table, asked in asked_unseen(phase, 3):
        table.seats[asked].agent = agents.load("greedy")
        assert table.answer(table.question(), -1, 0.0)
        assert not any(player["failed"] for seat in range(3) for player in seat_view(table, seat)["players"])
        table.seats[asked].agent = None


@pytest.mark.parametrize("phase", LETS_GO)
def test_who_seems_to_be_on_turn_may_move_before_the_chance_is_let_go(phase):
    for table, asked in asked_unseen(phase, 6):
        after = next((seat for seat in range(3) if seat != asked and "draw" in moves(table, seat)), None)
        if after is not None:
            length, stage = len(table.game.history), table.stage
            table.move(after, "draw", table.ticket(after), 0.0)
            assert table.stage == stage
            assert table.game.to_move == asked
            while len(table.game.history) == length or table.game.phase in LETS_GO:  # others can be asked, too
                asked = table.game.to_move
                table.move(asked, LETS_GO[table.game.phase], table.ticket(asked), 0.0)
            assert catalogue.name(table.game.history[length]) == LETS_GO[phase]
            assert "draw" in [catalogue.name(action) for action in table.game.history[length:]]
        else:
            table.move(asked, LETS_GO[phase], table.ticket(asked), 0.0)


def test_a_move_made_too_early_is_dropped_if_the_chance_is_taken():
    for table, asked in asked_unseen("stack", 6):
        after = next(seat for seat in range(3) if seat != asked and "draw" in moves(table, seat))
        table.move(after, "draw", table.ticket(after), 0.0)
        answer = next(action for action in table.choices(asked) if action < catalogue.DRAW)
        table.move(asked, catalogue.name(answer), table.ticket(asked), 0.0)
        assert table.game.history[-1] == answer
        return


def moves(table, seat):
    """The texts of what a seat may do, as far as it may know."""
    return [catalogue.name(action) for action in table.choices(seat)]


@pytest.mark.thorough
@pytest.mark.parametrize("draw_rules", RANDOM_RULES)
@pytest.mark.parametrize("phase", LETS_GO)
def test_seats_are_sent_the_same_whoever_could_be_asked(phase, draw_rules):
    """Hands that differ in a card and go alike (tests/helpers/worlds.py)."""
    differing = asked_in(phase, draw_rules, most=8)
    assert len(differing) >= 4
    for worlds in differing:
        table = table_of([PERSON] * worlds.one.players, worlds.one.rules, match=False, hints=False)

        def look(game, seat, table=table):
            table.series.game = table.series.shown = game
            return seat_view(table, seat)

        assert list(differences(worlds, look)) == []


def test_the_hand_and_its_actions():
    table = table_of([PERSON, "greedy"], "guide_003")
    chance = random.Random(1)
    for _ in range(300):
        view = seat_view(table, 0)
        if not table.series.pausing:
            assert parse_cards(" ".join(each["card"] for each in view["hand"])) == table.game.hand(0)
            offered = {one["action"] for each in view["hand"] for one in each["actions"]}
            offered |= {move["action"] for move in view["moves"]}
            assert offered == {catalogue.name(action) for action in table.choices(0)}
        play_one(table, chance)


def test_cards_are_not_shown_before_everybody_has_come():
    table = table_of([PERSON, PERSON], sit=False)
    table.sit(table.seats[0].invitation, "Ann", 0.0)
    view = seat_view(table, 0)
    assert view["hand"] == view["events"] == []
    assert view["waiting"] == [1]
    assert [each["invitation"] for each in view["invitations"]] == [table.seats[1].invitation]
    assert seat_view(table, 1)["invitations"] == []


def test_seats_are_told_in_the_second_person():
    table = table_of([PERSON, PERSON])
    seat = table.deciding.number
    assert seat_view(table, seat)["situation"] == "Your turn."
    assert seat_view(table, 1 - seat)["situation"] == f"P{seat}'s turn."
    table.move(seat, "draw", table.ticket(seat), 0.0)
    assert seat_view(table, seat)["events"][-1] == "You draw 1 card."
    assert seat_view(table, 1 - seat)["events"][-1] == f"P{seat} draws 1 card."


def test_every_sentence_is_complete():
    """Under rules by chance: no template left open, no seat without its name."""
    for seed in range(4):
        rules = random_rules(random.Random(seed), players=3, illegal_action="penalty")
        table = table_of([PERSON, PERSON, "random"], rules)
        chance = random.Random(seed)
        for _ in range(150):
            play_one(table, chance)
            view = seat_view(table, 0)
            for text in [*view["events"][-2:], view["situation"]]:
                assert text[-1] in ".!"
                assert not any(mark in text for mark in "{}|_"), text
                assert "P0" not in text


@pytest.mark.parametrize(
    ("after_draw", "said"),
    [("may_play", "You may play the drawn card, or keep it."), ("must_play", "You must play the drawn card.")],
)
def test_what_can_be_done_with_a_drawn_card_is_said_as_the_rules_have_it(after_draw, said):
    table = table_of([PERSON, PERSON], Rules(players=2, after_draw=after_draw))
    chance = random.Random(1)
    while table.series.pausing or table.game.phase != "drawn":
        play_one(table, chance)
    assert seat_view(table, table.game.to_move)["situation"] == said


@pytest.mark.thorough
def test_a_challenge_is_explained_to_who_is_asked_alone():
    table = table_of([PERSON, PERSON, "random"])
    chance, asked = random.Random(1), 0
    for _ in range(1_000):
        play_one(table, chance)
        for seat in (0, 1):
            view = seat_view(table, seat)
            explained = "a challenge costs" in view["situation"]
            assert explained == ("challenge" in [move["action"] for move in view["moves"]])
            if explained:
                asked += 1
                (name,) = (player["name"] for player in view["players"] if player["laidTop"])
                assert view["situation"].endswith(
                    f" If {name} also held a card of the colour before, a challenge costs {name} 4 cards; if not, it "
                    "costs you 6."
                )
    assert asked > 3


@pytest.mark.parametrize(("rules", "counted"), [("classic", True), ("duel", False)])
def test_points_are_told_only_where_they_are_counted(rules, counted):
    table = table_of([PERSON, PERSON], Rules.preset(rules, players=2, hand_size=2), match=True)
    chance = random.Random(1)
    while not table.series.pausing:
        play_one(table, chance)
    assert seat_view(table, 0)["result"]["counted"] == counted
    assert (view_of(table.game, 0).scores is not None) == counted


def test_top_card_names():
    table = table_of([PERSON, "greedy"])
    assert seat_view(table, 0)["top"] in CARD_TEXTS


@pytest.mark.parametrize("preset", ["classic", "no_mercy"])
def test_hands_that_change_owners_are_told_with_their_ways(preset):
    """Equal hands leave the numbers of cards as they are, and are told all the same. What is told stays true while the
    direction turns, and players are put out.
    """
    mercy = 8 if preset == "no_mercy" else 0
    rules = Rules.preset(preset, players=4, hand_size=3, uno_call="automatic", seven_zero=True, mercy=mercy)
    swap, found = catalogue.catalogue(edition_for(rules)).first.swap, set()
    for seed in range(6):
        table = table_of([PERSON] * 4, rules, seed=seed, hints=False)
        chance, told = random.Random(seed), {}
        for _ in range(80):
            hands = [table.game.hand(seat) for seat in range(4)]
            play_one(table, chance)
            now = seat_view(table, 0)
            if table.series.pausing:
                break
            if now["handsMoved"] is None:
                continue
            event, pairs = now["handsMoved"].values()
            if event in told:
                assert told[event] == pairs
                continue
            told[event], last = pairs, table.game.events[-1]
            assert event == now["firstEvent"] + len(now["events"]) - 1
            if last.action < swap:  # a 0: the hand of who laid it went on without it
                hands[last.seat].remove(last.action)
            for giver, taker in pairs:
                assert table.game.hand(taker) == hands[giver]
            found.add("swap" if last.action >= swap else "zero")
    assert found == {"swap", "zero"}


def test_a_hand_of_no_mercy_is_shown_with_who_is_out_and_can_be_said_again():
    table = table_of([PERSON] * 4, "no_mercy", hints=False, match=False)
    chance, asked, out = random.Random(2), set(), set()
    for number in range(600):
        seat = number % 4
        view = plain_values(seat_view(table, seat))
        for text in (view["situation"], *view["events"][-2:], *(move["name"] for move in view["moves"])):
            assert "{" not in english(text)
        marked = {player["seat"] for player in view["players"] if player["putOut"]}
        assert marked == {each for each in range(4) if int(table.series.seen.by(seat).record.put_out) >> each & 1}
        assert all(view["players"][each]["cards"] == 0 and view["players"][each]["out"] for each in marked)
        out |= marked
        if not table.series.pausing and table.game.phase == "roulette":
            asked.add(tuple(move["action"] for move in seat_view(table, table.game.to_move)["moves"]))
        play_one(table, chance)
    assert asked == {("colour:r", "colour:y", "colour:g", "colour:b")}
    assert len(out) > 1
