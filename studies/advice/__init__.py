"""The worth of the advice that is given to players: each piece is a habit, imposed on a strong player."""

from studies.advice.asking import QUESTION

__all__ = ["QUESTION"]
