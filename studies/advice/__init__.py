"""What the advice that is given to players is worth: each piece a habit, imposed on a strong player."""

from studies.advice.asking import QUESTION

__all__ = ["QUESTION"]
