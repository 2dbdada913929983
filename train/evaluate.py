"""Evaluation on duplicate deals by its public name: :func:`evaluate` of :mod:`train.evaluation.duplicate`."""

from train.evaluation.duplicate import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]
