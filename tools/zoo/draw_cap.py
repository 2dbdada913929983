"""A limit on drawing by choice, written into the weights of a saved policy for the house rules.

``python -m tools.zoo.draw_cap FROM TO`` gives ``zoo:house-4p`` its limit. That network was trained among opponents who
let hands go on. It draws although it could play, for as long as the others hold many cards, and four of them play some
700 decisions a hand. The written weights take :data:`OFF` from the logits of ``draw`` and ``pass`` while the others
hold more than ``--cards`` cards together, or while two or more of the ``drew_on`` marks are theirs. Four then play some
300 decisions a hand, and are about as strong.

Each condition is one unit of the second hidden layer that is 0 or more than 0, from pairs of units of the first: of a
whole number n, ``relu(n - t) - relu(n - t - 1)`` is 1 above t and 0 otherwise.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from agents.policy.policy_file import PolicyCard, Weights, load_policy, save_policy
from train.cli.errors import user_input
from uno_env.actions import DRAW, PASS
from uno_env.cards import NUM_COLOURS
from uno_env.observation import LAYOUT, SCALES

OFF = 60.0
CARDS = 26


def with_draw_cap(weights: Weights, card: PolicyCard, cards: int = CARDS) -> tuple[Weights, PolicyCard]:
    """The weights and the card of a policy of two hidden layers, with the limit.

    Raises:
        ValueError: the policy has other layers, or does not read the others' hand sizes and marks.
    """
    if len(card.hidden) != 2:
        raise ValueError(f"a policy of two hidden layers is needed, not hidden={card.hidden}")
    others = range(1, card.rules["players"])
    sizes = [_input(card, LAYOUT["hand_sizes"].start + seat) for seat in others]
    marks = [
        _input(card, LAYOUT["drew_on"].start + NUM_COLOURS * seat + colour)
        for seat in others
        for colour in range(NUM_COLOURS)
    ]
    first, second = card.hidden
    steps = [(sizes, cards), *(([mark], 0) for mark in marks)]
    new = _widened(weights, first + 2 * len(steps), second + 2)
    for unit, (columns, above) in zip(range(first, first + 2 * len(steps), 2), steps, strict=True):
        scale = SCALES[card.columns[columns[0]]]
        new["trunk.0.weight"][unit : unit + 2, columns] = 1 / scale
        new["trunk.0.bias"][unit : unit + 2] = -above, -above - 1
        many_cards_or_marks = second if unit == first else second + 1
        new["trunk.1.weight"][many_cards_or_marks, unit : unit + 2] = 1, -1
    new["trunk.1.bias"][second + 1] = -1  # one mark is allowed
    for action in (DRAW, PASS):
        new["policy.weight"][card.actions.index(action), second:] = -OFF
    edit = f"draw_cap: no draw by choice above {cards} cards of the others, or with two of their drew_on marks"
    made = {**card.trained_by, "edited": edit}
    return new, replace(card, hidden=[first + 2 * len(steps), second + 2], trained_by=made, evaluation=[])


def _input(card: PolicyCard, column: int) -> int:
    try:
        return list(card.columns).index(column)
    except ValueError:
        raise ValueError(f"the policy does not read column {column}, which the limit needs") from None


def _widened(weights: Weights, first: int, second: int) -> Weights:
    """The weights with more units, whose weights are 0."""
    columns, actions = weights["trunk.0.weight"].shape[1], len(weights["policy.bias"])
    shapes = {
        "trunk.0.weight": (first, columns),
        "trunk.0.bias": (first,),
        "trunk.1.weight": (second, first),
        "trunk.1.bias": (second,),
        "policy.weight": (actions, second),
        "policy.bias": (actions,),
        "value.weight": (1, second),
        "value.bias": (1,),
    }
    new = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    for name, array in new.items():
        array[tuple(slice(size) for size in weights[name].shape)] = weights[name]
    return new


def main() -> None:
    """Write the policy with the limit."""
    parser = argparse.ArgumentParser(prog="python -m tools.zoo.draw_cap", description=__doc__)
    parser.add_argument("source", metavar="FROM", type=Path)
    parser.add_argument("target", metavar="TO", type=Path)
    parser.add_argument("--cards", type=int, default=CARDS)
    named = parser.parse_args()
    with user_input():
        save_policy(named.target, *with_draw_cap(*load_policy(named.source), named.cards))


if __name__ == "__main__":
    main()
