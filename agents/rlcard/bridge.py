"""Players of the RLCard library, version 1.2.0, in our ``rlcard`` preset.

:class:`RLCardAgent` makes an agent of any object that RLCard's environment can seat: it has ``use_raw`` and
``eval_step(state)``. ``agents.load`` knows two that need no file, ``rlcard:random`` and ``rlcard:uno-rule-v1``.
RLCard's files of trained models are pickles, and unpickling a file runs code of its author; so no name loads one. Load
a file that you trust with RLCard's or PyTorch's own functions, and hand over the object.

Such an agent sees RLCard's state, made from our observation (:mod:`uno_env.encodings` describes the planes), with three
differences. A wild on top has its declared colour. The order of the hand and of the discard pile, and the colours in
the texts of wilds, are drawn at random, as our observation does not hold them. ``action_record`` is empty. These agents
draw from NumPy's global generator; each gets it in a state of its own, so results repeat.
"""

import random
from collections import Counter, OrderedDict
from typing import Any, Protocol

import numpy as np

from agents.agent import Agent
from uno_env import actions as catalogue
from uno_env.cards import COLOUR_LETTERS, NUM_COLOURS, NUM_KINDS, WILD, WILD_DRAW_FOUR, is_wild
from uno_env.common.errors import NotAllowedError
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.editions.classic import CLASSIC
from uno_env.encodings import ObservationForm
from uno_env.observation import LAYOUT, integer_form
from uno_env.rules import Rules

State = dict[str, Any]

MODELS = ("random", "uno-rule-v1")
"""RLCard's players that need no file."""

_THEIR_COLOURS = (0, 2, 3, 1)
"""Our colours in RLCard's order."""
_TRAITS = (*"0123456789", "skip", "reverse", "draw_2", "wild", "wild_draw_4")
_OUR_TEXTS = (*"0123456789", "s", "r", "+2", "w", "w+4")
"""The same in our texts of cards, without the colour."""

OUR_ACTIONS = {
    f"{COLOUR_LETTERS[colour]}-{trait}": catalogue.parse(
        f"{text}:{COLOUR_LETTERS[colour]}" if text.startswith("w") else COLOUR_LETTERS[colour] + text
    )
    for colour in _THEIR_COLOURS
    for trait, text in zip(_TRAITS, _OUR_TEXTS, strict=True)
} | {"draw": catalogue.DRAW}
"""Our actions by RLCard's texts, in the order of RLCard's numbers from 0 to 60."""
THEIR_ACTIONS = {action: text for text, action in OUR_ACTIONS.items()}
"""RLCard's texts of our actions, as far as its game has them."""
OUR_KINDS = {text: catalogue.catalogue().kinds[action] for text, action in OUR_ACTIONS.items()}
"""Our kinds of cards by RLCard's texts; the colour of a wild does not matter."""
_TEXTS, _NUMBERS = list(OUR_ACTIONS), {text: number for number, text in enumerate(OUR_ACTIONS)}


class RLCardPlayer(Protocol):
    """Any agent that RLCard's environment can seat."""

    use_raw: bool
    """True if actions are texts, False if they are numbers from 0 to 60."""

    def eval_step(self, state: State) -> tuple[Any, Any]:
        """An action, and information about it."""
        ...


def their_card(kind: int, colour: int) -> str:
    """RLCard's text of one of our kinds of cards; the text of a wild names a colour, too."""
    return THEIR_ACTIONS[catalogue.wild_action(kind, colour) if is_wild(kind) else kind]


def load_rlcard(name: str) -> RLCardPlayer:
    """One of RLCard's :data:`MODELS`. Raises ValueError if there is none such, or it would have to be unpickled."""
    if name not in MODELS:
        text = (
            f"rlcard:{name} is not allowed: there are {' and '.join(MODELS)}; models in files are pickles and never "
            "loaded by name, see agents.rlcard.bridge.RLCardAgent"
        )
        raise NotAllowedError(text, "agent", agent=f"rlcard:{name}")
    if name == "random":
        from rlcard.agents.random_agent import RandomAgent

        return RandomAgent(num_actions=len(OUR_ACTIONS))
    from rlcard.models.uno_rule_models import UNORuleAgentV1

    return UNORuleAgentV1()


def verify_rlcard_rules(name: str, rules: Rules | None) -> None:
    """Raise :class:`ValueError` if a player of RLCard's is to play by other rules than RLCard's; None: any."""
    if rules is not None and rules.dialect != "rlcard":
        text = f"agent {name!r} knows no other rules than RLCard's: choose the preset rlcard"
        raise NotAllowedError(text, "rlcard_rules", agent=name)


class RLCardAgent(Agent):
    """An agent of RLCard's, a loaded ``player`` that its environment can seat, in our ``rlcard`` preset. ``seed`` also
    decides what the player draws from NumPy's global generator.
    """

    edition = CLASSIC

    def __init__(self, player: RLCardPlayer, name: str = "rlcard", seed: int = 0) -> None:
        self.player = player
        self._form = ObservationForm(Rules.preset("rlcard"), "uint8", "rlcard")
        super().__init__(name, seed)

    def reset(self, seed: int) -> None:
        """See :class:`agents.Agent`."""
        super().reset(seed)
        self._rng = random.Random(seed)
        self._numpy = np.random.RandomState(self._rng.getrandbits(32)).get_state()

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        rows = integer_form(rows)
        planes = self._form.of(rows).astype(int)
        outer = np.random.get_state()  # noqa: NPY002
        np.random.set_state(self._numpy)  # noqa: NPY002
        try:
            states = map(self._state, rows, masks, planes)
            actions = np.array([self._ask(state) for state in states], np.int64)
        except (KeyError, IndexError):
            raise ValueError(f"{self.name} is shown cards that RLCard's game has not") from None
        finally:
            self._numpy = np.random.get_state()  # noqa: NPY002
            np.random.set_state(outer)  # noqa: NPY002
        wrong = np.flatnonzero(masks[np.arange(len(masks)), actions] == 0)
        if wrong.size:
            raise ValueError(f"row {wrong[0]}: the mask does not mark what {self.name} does with these cards")
        return actions

    def _ask(self, state: State) -> int:
        action, _ = self.player.eval_step(state)
        return OUR_ACTIONS[str(action) if self.player.use_raw else _TEXTS[int(action)]]

    def _state(self, row: Array, mask: Array, planes: Array) -> State:
        """The state that RLCard's environment would show to the player to move."""
        kinds = np.repeat(np.arange(NUM_KINDS), _section(row, "hand")).tolist()
        self._rng.shuffle(kinds)
        raw = _legal_texts(kinds, mask)
        dealer = int(_section(row, "dealer").argmax())
        player = (1 - dealer) % 2  # seat 1 deals
        mine, other = _section(row, "hand_sizes")[:2].tolist()
        top_colour, top_trait = _section(row, "colour").argmax(), _section(row, "symbol").argmax()
        return {
            "obs": planes,
            "legal_actions": OrderedDict((_NUMBERS[text], None) for text in raw),
            "raw_legal_actions": raw,
            "raw_obs": {
                "hand": self._texts(kinds),
                "target": f"{COLOUR_LETTERS[top_colour]}-{_TRAITS[top_trait]}",
                "played_cards": self._texts(np.repeat(np.arange(NUM_KINDS), _section(row, "discards")).tolist()),
                "legal_actions": raw,
                "num_cards": [mine, other] if player == 0 else [other, mine],
                "num_players": 2,
                "current_player": player,
            },
            "action_record": [],
        }

    def _texts(self, kinds: list[int]) -> list[str]:
        """RLCard's texts of cards; of each wild it makes one in each colour."""
        made = {wild: self._rng.sample(_THEIR_COLOURS, NUM_COLOURS) for wild in (WILD, WILD_DRAW_FOUR)}
        count: Counter[int] = Counter()
        texts = []
        for kind in kinds:
            texts.append(their_card(kind, made[kind][count[kind] % NUM_COLOURS] if kind in made else 0))
            count[kind] += 1
        return texts


def _section(row: Array, name: str) -> Array:
    return row[LAYOUT[name].columns]


def _legal_texts(kinds: list[int], mask: Array) -> list[str]:
    """Legal actions in RLCard's order, which is that of the hand; a coloured card that is there twice counts twice."""
    texts: list[str] = []
    for kind in kinds:
        if not is_wild(kind):
            if mask[kind]:
                texts.append(THEIR_ACTIONS[kind])
        elif mask[catalogue.wild_action(kind, 0)]:
            more = [their_card(kind, colour) for colour in _THEIR_COLOURS]
            texts += [] if more[0] in texts else more
    return texts or ["draw"]
