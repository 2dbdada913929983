"""Models of Stable-Baselines3 and sb3-contrib as players: :class:`ModelPlayer`."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces

from uno_env.actions import number_of
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.editions import EDITIONS, edition_for
from uno_env.editions.classic import CLASSIC
from uno_env.encodings import ENCODINGS, ObservationForm, Observations
from uno_env.history import EVENT_SIZE
from uno_env.observation import OBS_DTYPES, integer_form
from uno_env.player import Player
from uno_env.rules import Rules
from uno_env.symmetry import CanonicalForm


class ModelPlayer(Player):
    """A model as a player: it takes the legal action that it finds most probable, or of the highest value.

    It sees what it was trained on, whatever form the observations of the caller have. The observation space of the
    model says which ``obs_dtype``, ``encoding``, ``history`` and ``mask_in_observation`` that was. A model that was
    trained behind ``VecNormalize`` and still has that environment sees normalised observations.

    Models of MaskablePPO, PPO, A2C, DQN and QRDQN play, and those whose observations hold the mask. Raises ValueError
    if a model remembers the hand it is in, or was trained on other observations or actions than this game's.

    Args:
        model: a model that was trained here, or that its class has loaded.
        name: its name in tables and logs; None: that of its class.
        symmetry: whether it was trained with ``symmetry=True``; None: as its environment says, and False if it has
            none any more.
    """

    obs_dtype = "uint8"

    def __init__(self, model: Any, name: str | None = None, symmetry: bool | None = None) -> None:
        self.model, self.name = model, name or type(model).__name__
        actions = getattr(model, "action_space", None)
        rules = _rules_of(actions, self.name)
        if hasattr(model.policy, "lstm_actor"):
            raise ValueError(f"{self.name} remembers the hand it is in, and nothing is kept for it here")
        self._form = _form_of(model.observation_space, rules, self.name)
        self.history = self._form.history
        symmetric = _trained_with_symmetry(model) if symmetry is None else symmetry
        self._canonical = CanonicalForm(history=self.history, edition=edition_for(rules)) if symmetric else None
        self._normalize = model.get_vec_normalize_env()

    def act_batch(self, observations: Array, action_masks: Array, histories: Array | None = None) -> Ints:
        """See :meth:`uno_env.player.Player.act_batch`."""
        rows, masks = integer_form(np.asarray(observations)), np.asarray(action_masks).astype(np.uint8)
        events = None if histories is None else np.asarray(histories)[:, -self.history :]
        if self._canonical is None:
            return self._choose(rows, masks, events)
        forms = self._canonical.forms(rows, events)
        shown = self._canonical.rows(rows, forms, events)
        vectors, past = np.split(shown, [rows.shape[1]], axis=1)
        past = past.reshape(len(shown), self.history, EVENT_SIZE)
        legal = self._canonical.masks(masks, forms)
        return self._canonical.real_actions(forms, self._choose(vectors.copy(), legal, past))

    def _choose(self, rows: Bytes, masks: Bytes, events: Array | None) -> Ints:
        seen = self._form.joined(self._form.of(rows), masks, lambda: np.asarray(events))
        if self._normalize is not None:
            seen = self._normalize.normalize_obs(seen)
        actions: Ints = np.where(masks, self._scores(seen), -np.inf).argmax(axis=1)
        return actions

    @torch.inference_mode()
    def _scores(self, seen: Observations) -> Array:
        """The model's score of each action, float32 [N, A]."""
        policy = self.model.policy
        policy.set_training_mode(False)
        tensors, _ = policy.obs_to_tensor(seen)
        if hasattr(policy, "q_net"):
            scores = policy.q_net(tensors)
        elif hasattr(policy, "quantile_net"):
            scores = policy.quantile_net(tensors).mean(dim=1)
        else:
            scores = policy.get_distribution(tensors).distribution.logits
        return np.asarray(scores.cpu())


def _rules_of(actions: Any, name: str) -> Rules:
    """Some rules of the edition with this number of actions. Raises ValueError if none has."""
    numbers = {}
    for edition in EDITIONS.values():
        rules = Rules(edition=edition.name, deck=next(iter(edition.decks)), mercy=25 * edition.mercy)
        numbers[number_of(rules)] = rules
    if not isinstance(actions, spaces.Discrete) or actions.n not in numbers:
        counts = " or ".join(f"{number} ({rules.edition})" for number, rules in numbers.items())
        raise ValueError(f"{name} has the actions {actions}: a player of this game has {counts}")
    return numbers[int(actions.n)]


def _form_of(space: spaces.Space[Any], rules: Rules, name: str) -> ObservationForm:
    """The form of the observations in a space. Raises ValueError if no environment of this game has it."""
    parts = dict(space.spaces) if isinstance(space, spaces.Dict) else {"observation": space}
    past = parts.get("history")
    history = past.shape[0] if past is not None and past.shape else 0
    for encoding in ENCODINGS:
        for dtype in OBS_DTYPES:
            if encoding == "rlcard" and rules.edition != CLASSIC.name:
                continue
            form = ObservationForm(rules, dtype, encoding, history, "action_mask" in parts)
            one = form.space()
            own = one.spaces if isinstance(one, spaces.Dict) else {"observation": one}
            if {key: (part.shape, part.dtype) for key, part in parts.items()} == {
                key: (part.shape, part.dtype) for key, part in own.items()
            }:
                return form
    raise ValueError(f"{name} was trained on {space}, which are no observations of this game")


def _trained_with_symmetry(model: Any) -> bool:
    """Return whether a model's environment shows the canonical form; False if it has none, or one of another kind."""
    env = model.get_env()
    try:
        return env is not None and bool(env.get_attr("options")[0].symmetry)
    except AttributeError:
        return False
