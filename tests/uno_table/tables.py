"""Tables for tests: :func:`table_of`, and people who play at them."""

import random

from uno_env import Rules
from uno_env import actions as catalogue
from uno_env.render.page import Advice
from uno_env.replay import Note
from uno_table.hands.measuring import ReviewStep
from uno_table.table import Setup, Table

PERSON = None


def table_of(seats, rules="classic", sit=True, **setup):
    """A table with the given seats (specs, None for people), everybody seated as ``P0``, ``P1``, …"""
    chosen = rules if isinstance(rules, Rules) else Rules.preset(rules, players=len(seats))
    fields = {
        "seats": list(seats),
        "rules": chosen.to_dict() | {"preset": "classic"},
        "pace": 0,
        "secret_seconds": 0,
        "seed": 1,
        **setup,
    }
    del fields["rules"]["players"]
    table = Table(Setup.from_values(fields))
    if sit:
        for seat in table.people:
            table.sit(seat.invitation, f"P{seat.number}", 0.0)
    return table


def play(table, decisions, seed=0, until=lambda: False):
    """Agents and people play, people at random; a hand that is over is followed by the next."""
    chance = random.Random(seed)
    for _ in range(decisions):
        if until():
            return
        play_one(table, chance)


def play_one(table, chance, now=0.0):
    """One decision, or on to the next hand, at a table without pauses."""
    if table.series.pausing:
        table.go_on(now)
        return
    question = table.question(now)
    if question is not None:
        assert table.answer(question, question.choose(), now)
        return
    seat = table.deciding.number
    action = chance.choice(table.choices(seat))
    table.move(seat, catalogue.name(action, table.setup.rules), table.ticket(seat), now)


def play_on(table, chance):
    """Same as :func:`play_one` at a table with pauses: what was decided is shown, too."""
    now, stage = max(table.held_until(seat.number) for seat in table.seats), table.stage
    if table.series.pausing or not table.tick(now):
        play_one(table, chance, now)
    while table.stage == stage and (later := table.wake_at(now)) is not None:
        now = later
        table.tick(now)


def measured(game, seat, hand):
    """As if the first choice of the seat had cost 20 points, surely, and the others nothing that can be told."""
    past, notes = game.start(), []
    for action in game.history:
        own = past.to_move == seat and past.hands_played == hand and len(past.legal_actions()) > 1
        price = 0.2 if own and not any(notes) else 0.02
        best = next((each for each in past.legal_actions() if each != action), -1)
        notes.append(Note({}, 0.1, {action: (price, 0.015), best: (0.0, 0.0)}, -0.05) if own else None)
        past.step(action)
    return Advice("tuned, by playouts", notes, -0.14)


def in_one_step(measure):
    """What measures a hand step by step, as a function does that measures it at once."""

    def steps(game, seat, hand):
        advice = measure(game, seat, hand)
        choices = sum(note is not None for note in advice.notes)
        yield ReviewStep(advice, choices, choices)

    return steps
