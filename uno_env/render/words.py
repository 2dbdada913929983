"""What a view says in words: who decides what, and how it ended. Every rendering uses these sentences."""

from collections.abc import Callable

from uno_env.events import player_name
from uno_env.render.view import View

WriteCard = Callable[[int], str]
"""Gives the text of a kind of card."""


def situation(view: View, write: WriteCard) -> str:
    """One sentence: who decides what, or how the hand ended."""
    if view.over:
        return _result(view)
    if view.to_move is None:
        return "Whoever holds the same card as the top card may jump in with it, or let it go."
    who, on_turn, after = (called(view, seat) for seat in (view.to_move, view.turn, seat_after(view, 1)))
    if view.phase == "play":
        return f"{who} plays or draws; {after} is next."
    if view.phase == "drawn":
        card = "a playable card" if view.drawn is None else write(view.drawn)
        choice = "plays or keeps" if view.rules.after_draw == "may_play" else "plays"
        return f"{who} has drawn {card} and {choice} it; {after} is next."
    if view.phase == "catch":
        can = "call UNO" if view.to_move == view.turn else f"catch {on_turn}"
        return f"{on_turn} has one card and has not called UNO: {who} may {can}, or let it go."
    if view.phase == "challenge":
        return f"{who} has to draw {view.penalty}, or challenges the Wild Draw Four of {on_turn}."
    if view.phase == "first_colour":
        return f"{who} declares the first colour."
    if view.phase == "swap":
        return f"{who} chooses whom to swap hands with."
    if view.phase == "stack":
        return f"{who} has to draw {view.penalty}, or answers with a draw card."
    return f"{who} holds the same card as the top card, and may jump in with it or let it go."


def _result(view: View) -> str:
    if view.scores is not None and view.winner is not None:
        scores = ", ".join(map(str, view.scores)) if any(view.scores) else "none counted"
        return f"The match is over: {called(view, view.winner)} has won it; scores {scores}."
    if view.winner is not None:
        points = view.points[view.winner]
        gains = f" and gets {points} points" if points else ""
        return f"The hand is over: {called(view, view.winner)} went out{gains}."
    reasons = {
        "stalled": "nobody can do anything any more",
        "max_decisions": f"max_decisions={view.rules.max_decisions} is reached",
        "too_many_hands": "too many hands were played",
        "illegal": f"{called(view, view.events[-1].seat)} acted illegally",
    }
    return f"The hand is over without a winner: {reasons.get(view.end, view.end)}."


def called(view: View, seat: int | None) -> str:
    """How a seat is called; the observer's own is marked."""
    if seat is None:
        return "nobody"
    return player_name(seat) + (" (you)" if seat == view.observer else "")


def seat_after(view: View, places: int) -> int:
    """The seat so many places after the player on turn in the direction of play; who is out is passed over."""
    seats = [
        (view.turn + (place if view.clockwise else -place)) % view.rules.players for place in range(view.rules.players)
    ]
    playing = [seat for seat in seats if seat not in view.out or seat == view.turn]
    return playing[places % len(playing)]
