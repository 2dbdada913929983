"""Prompts tell what a seat may know, and nothing else; the rules in force are told in words."""

import itertools
import random
from typing import Any

import numpy as np
import pytest

from tests.helpers.marks import thorough
from tests.helpers.playing import lively_action
from tests.helpers.random_rules import RANDOM_RULES, random_rules
from tests.helpers.table import Table
from tests.helpers.worlds import LETS_GO, Told, differences, two_worlds, waits
from uno_env import PRESETS, BatchedGames, Game, Rules
from uno_env.actions import ACTION_NAMES, name, number_of
from uno_env.core.record import FLAGS, NUMBERS, SWITCHES
from uno_env.events import events_seen_by
from uno_env.history import history_of
from uno_env.text import EVENTS, prompt, prompt_for, rules_text
from uno_env.text.prompt import events_of


def look(game: Game, observer: int) -> Told:
    """What a seat is told in words."""
    if game.over:
        return {}
    return {"prompt": prompt_for(game, observer), "full prompt": prompt_for(game, observer, full=True)}


@pytest.mark.parametrize("chosen", [random_rules, *thorough(*RANDOM_RULES[1:])])
@pytest.mark.parametrize("phase", sorted(LETS_GO))
def test_hands_that_a_seat_cannot_tell_apart_have_equal_prompts(phase: str, chosen: Any) -> None:
    found = filter(None, (two_worlds(seed, phase, chosen) for seed in range(1_000)))
    worlds = list(itertools.islice(found, 12))
    assert len(worlds) == 12
    for each in worlds:
        assert list(differences(each, look)) == []


@pytest.mark.parametrize("chosen", RANDOM_RULES)
@pytest.mark.parametrize("seed", [*range(8), *thorough(*range(8, 40))])
def test_what_a_prompt_says_is_so(seed: int, chosen: Any) -> None:
    chance = random.Random(seed)
    game = Game(chosen(chance, illegal_action="raise"), seed)
    for _ in range(30):
        if game.over:
            break
        text, seat = prompt_for(game), game.to_move
        moves = text.partition("Moves:\n")[2].splitlines()
        assert [line.split()[1] for line in moves] == game.legal_names()
        assert [line.split()[0] for line in moves] == [str(number) for number in range(1, len(moves) + 1)]
        assert f"you {len(game.hand(seat))}" in text
        for other in range(game.players):
            left = (other - seat) % game.players
            if not waits(game, other):
                held = "out" if game.record.out >> other & 1 else len(game.hand(other))
                assert (f"P{left} {held}" if left else "Your hand: ") in text
                decides = other == game.shown_to(other).to_move
                assert ("Moves:" in prompt_for(game, other)) == decides
        game.step(lively_action(game, chance))
    else:
        return
    with pytest.raises(ValueError, match=r"^the hand is over: nobody has to decide$"):
        prompt_for(game)


@pytest.mark.thorough
@pytest.mark.parametrize("chosen", RANDOM_RULES)
@pytest.mark.parametrize("seed", range(30))
def test_events_come_back_from_a_history(seed: int, chosen: Any) -> None:
    chance = random.Random(seed)
    game = Game(chosen(chance, illegal_action="penalty"), seed)
    for _ in range(40):
        if game.over:
            break
        for seat in range(game.players):
            seen = events_seen_by(game.events, seat)
            back = events_of(history_of(game.events, seat, len(seen)), game.players, game.rules)
            turned = [
                event._replace(
                    seat=(event.seat - seat) % game.players,
                    turn=(event.turn - seat) % game.players,
                    held=tuple(np.roll(event.held, -seat).tolist()),
                    growth=tuple(np.roll(event.growth, -seat).tolist()),
                    put_out=tuple(sorted((other - seat) % game.players for other in event.put_out)),
                )
                for event in seen
            ]
            assert back == turned
        action = lively_action(game, chance)
        game.step(action if chance.random() < 0.97 else chance.randrange(number_of(game.rules)))


def test_a_prompt_says_that_all_cards_turned_and_names_cards_by_the_side_in_force() -> None:
    table = Table("rf/o+5 y6/o8", "g1/p4 y3/t2", preset="flip", uno_call="automatic", first="r9/pf")
    text = prompt_for(table.go("0 rf/o+5").game)
    assert "P1 plays red Flip, all cards turn over, and pink Flip lies on top." in text
    assert "Top card: pink Flip / red 9." in text
    assert "Your hand: teal 2 / yellow 3, pink 4 / green 1." in text
    assert "g1/p4 play pink 4 / green 1" in text


@pytest.mark.parametrize("preset", ["house", "flip"])
def test_a_batch_gives_the_prompts_of_single_games(preset: str) -> None:
    rules, chance = Rules.preset(preset, players=3), random.Random(1)
    batch = BatchedGames(4, rules, seed=5, obs_dtype="uint8", history=EVENTS)
    obs, mask, _ = batch.reset()
    single = Game(preset, seed=5, players=3)  # game 0 of the batch
    for _ in range(60):
        assert prompt(obs[0], mask[0], batch.history[0]) == prompt_for(single)
        action = lively_action(single, chance)
        actions = mask.argmax(axis=1)
        actions[0] = action
        single.step(action)
        obs, mask, _, _, _ = batch.step(actions)
        if single.over:
            break


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_in_words(preset: str) -> None:
    for players in range(2, 11) if "players" not in PRESETS[preset] else (2,):
        rules = Rules.preset(preset, players=players)
        text = rules_text(rules)
        assert text.startswith("You play UNO with P1")
        assert "{" not in text
        assert len(text) < 2_600
        assert ("; with two players left it acts as a Skip" in text) == (players > 2 and rules.mercy > 0)
        full = rules_text(rules, full=True)
        assert full.startswith(text.partition("\n")[0])
        assert f"- stacking = {rules.stacking}: " in full


@pytest.mark.parametrize("seed", range(60))
def test_every_switch_that_matters_changes_the_words(seed: int) -> None:
    rules = random_rules(random.Random(seed))
    again = rules_text(rules.replace(max_decisions=77))
    assert again == rules_text(rules)
    changed = {"stacking": "any" if rules.stacking == "off" else "off", "seven_zero": not rules.seven_zero}
    for field, value in changed.items():
        try:
            other = rules.replace(**{field: value})
        except ValueError:
            continue
        assert rules_text(other) != rules_text(rules)


def test_moves_are_named_as_at_the_table() -> None:
    game = Game("duel", seed=1)
    lines = prompt_for(game).partition("Moves:\n")[2].splitlines()
    for line, action in zip(lines, game.legal_actions(), strict=True):
        assert line.split(" ", 2)[1:] == [name(action), ACTION_NAMES[action]]


SILENT = {
    "dealer": "the hand is dealt when somebody is asked, and the table shows who dealt",
    "dealer_seat": "the same",
    "hand_size": "the prompt tells how many cards everybody holds",
    "max_decisions": "a limit of the program, not of the game",
}
"""Fields that a prompt has no words for, and why."""

ALL_RULES = Rules(players=4, deck="edition_2018", uno_call="declared")


def _readings(name: str) -> list[Rules]:
    """Rules that differ in one field, with each of its values; of a number, two."""
    if name == "dialect":
        rlcard = Rules.preset("rlcard")
        return [rlcard, rlcard.replace(dialect="official")]
    base = ALL_RULES.replace(players=2) if name == "two_player_reverse" else ALL_RULES
    number = getattr(base, name)
    if name == "mercy":
        values: tuple[Any, ...] = (0, 25)
    else:
        values = (SWITCHES | FLAGS)[name] if name not in NUMBERS else (number, abs(number - 1))
    return [base.replace(**{name: value}) for value in values]


@pytest.mark.parametrize("name", [name for name in (*SWITCHES, *FLAGS, *NUMBERS) if name not in SILENT])
def test_every_value_of_every_switch_has_words_of_its_own(name: str) -> None:
    texts = [rules_text(rules) for rules in _readings(name)]
    assert len(set(texts)) == len(texts) > 1


@pytest.mark.parametrize("name", SILENT)
def test_a_field_without_words_has_none(name: str) -> None:
    assert len({rules_text(rules) for rules in _readings(name)}) == 1
