"""Rehearsing a table: everyone at it is asked, and nobody who thinks long."""

import pytest

from uno_env import Game, Rules
from uno_table.table.question import Question
from uno_table.table.rehearsal import rehearse


def test_every_agent_decides_and_gives_hints_once(monkeypatch):
    asked = []
    for deed in (Question.choose, Question.hints):
        monkeypatch.setattr(
            Question, deed.__name__, lambda question, deed=deed: asked.append((deed.__name__, question.agent.name))
        )
    rehearse(["tuned", "search:pimc"], Rules.preset("classic", players=3))
    assert sorted(asked) == sorted((deed, name) for deed in ("choose", "hints") for name in ("tuned", "greedy"))


def test_a_hand_ends_and_the_person_is_shown_what_others_are_asked_in_secret(monkeypatch):
    ends, secrets = [], []
    step, shown = Game.step, Game.shown_to
    monkeypatch.setattr(Game, "step", lambda game, action: (step(game, action), ends.append(game.hands_played)))
    monkeypatch.setattr(
        Game, "shown_to", lambda game, seat: (each := shown(game, seat), secrets.append(each is not game))[0]
    )
    rehearse(["greedy"], Rules.preset("classic", players=2))
    assert max(ends) > 0
    assert any(secrets)


def test_agents_that_do_not_play_by_the_rules_are_refused():
    with pytest.raises(ValueError, match="house-4p"):
        rehearse(["zoo:house-4p"], Rules.preset("duel"))
