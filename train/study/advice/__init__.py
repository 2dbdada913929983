"""What the advice that is given to players is worth: each piece a habit, imposed on a strong player."""

from train.study.advice.asking import QUESTION

__all__ = ["QUESTION"]
