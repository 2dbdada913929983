"""Policies that come with the package: each is small, for the rules in its name, described, and plays them."""

import itertools
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import agents
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import check_rules, load_policy
from agents.search.search_agents import FlatAgent
from agents.zoo import shipped
from agents.zoo.shipped import shipped_file, track_rules
from tests.helpers.positions import save_random_policy
from tools.zoo.cards import model_card
from tools.zoo.ship import MAX_BYTES
from train.common.random_rules import random_rules
from uno_env import PRESETS, BatchedGames, Rules
from uno_env.actions import catalogue
from uno_env.common.errors import NotAllowedError
from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.observation import layout

NAMES = shipped.shipped()


def phase_columns(rules: Rules) -> range:
    """The columns of the phases."""
    section = layout(rules)["phase"]
    return range(section.start, section.start + section.width)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_small_and_for_the_rules_in_its_name(name: str) -> None:
    assert shipped_file(name).stat().st_size < MAX_BYTES
    check_rules(name, load_policy(shipped_file(name))[1], track_rules(name))


@pytest.mark.parametrize("name", NAMES)
def test_its_model_card_is_what_its_file_says(name: str) -> None:
    card = shipped_file(name).with_suffix(".md").read_text(encoding="utf-8")
    assert card == model_card(shipped_file(name)), "write it anew: python -m tools.zoo cards"


@pytest.mark.parametrize("name", NAMES)
def test_it_was_measured_against_every_strategy(name: str) -> None:
    from agents.scripted.agent import STRATEGIES

    lines = {line["opponent"]: line for line in load_policy(shipped_file(name))[1].evaluation}
    assert set(STRATEGIES) <= set(lines)
    assert all(lines[opponent]["low"] <= lines[opponent]["win_rate"] <= lines[opponent]["high"] for opponent in lines)


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_it_plays_in_every_phase_of_its_rules(name: str) -> None:
    own, columns = track_rules(name), load_policy(shipped_file(name))[1].columns
    played = [own] if name != shipped.GENERAL else [random_rules(0, number) for number in range(12)]
    seen = np.any([phases_played(name, rules) for rules in played], axis=0)
    assert seen[np.isin(phase_columns(own), columns)].all()


def phases_played(name: str, rules: Rules) -> npt.NDArray[np.bool_]:
    """The phases in which a policy has found a legal action."""
    agent = agents.load(f"zoo:{name}", rules=rules)
    assert isinstance(agent, PolicyAgent)
    assert agent.name == f"zoo:{name}"
    phases, first = phase_columns(rules), catalogue(EDITIONS[rules.edition]).first
    seen = np.zeros(len(phases), bool)
    chance = np.random.default_rng(1)
    batch = BatchedGames(256, rules, seed=1, obs_dtype="uint8", history=agent.history)
    rows, masks, _ = batch.reset()
    for _ in range(150):
        actions = agent.act_batch(rows, masks, batch.history)
        assert masks[np.arange(len(masks)), actions].all()
        seen |= rows[:, phases].any(axis=0)
        wish = masks * (1 - chance.random(masks.shape))
        wish[:, [first.draw, first.keep]] *= chance.choice((0.05, 1.0))
        rows, masks, *_ = batch.step(wish.argmax(axis=1))
    return seen


@pytest.mark.thorough
def test_there_is_one_for_every_preset_and_number_of_players() -> None:
    """Of other editions only for some numbers of players, since the general one plays the first edition."""
    for preset, players in itertools.product(PRESETS, range(2, 11)):
        try:
            rules = Rules.preset(preset, players=players)
        except ValueError:
            continue  # a deck too small for so many, or a game for two
        own = [name for name in NAMES if name != shipped.GENERAL and track_rules(name) == rules]
        if own or rules.edition == CLASSIC.name:
            assert agents.load("zoo", rules=rules).name in [f"zoo:{name}" for name in own or [shipped.GENERAL]]
        else:
            with pytest.raises(NotAllowedError, match="there is no shipped policy for these rules: there are zoo:any"):
                agents.load("zoo", rules=rules)


def test_the_general_one_plays_with_other_decks_too() -> None:
    rules = Rules(deck="r1 r1 r2 r3 b1 b2 b3 w", hand_size=2, players=2, dealer="fixed")
    phases_played(shipped.GENERAL, rules)


@pytest.fixture
def zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of shipped policies with two in it, of random weights."""
    for name in ("duel-2p", "duel-2p-other"):
        save_random_policy(tmp_path / f"{name}.safetensors", track_rules(name))
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    return tmp_path


def test_files_are_named_by_what_is_there(zoo: Path) -> None:
    assert agents.names()[-2:] == ["zoo:duel-2p", "zoo:duel-2p-other"]
    assert agents.load("zoo:duel-2p-other", rules="duel").name == "zoo:duel-2p-other"
    assert agents.load("zoo:duel-2p?sample=1", seed=3).act_batch is not None
    with pytest.raises(ValueError, match="there is no shipped policy zoo:best: there are zoo:duel-2p, zoo:duel-2p-oth"):
        agents.load("zoo:best")
    with pytest.raises(ValueError, match=r"'zoo:duel-2p' was trained for other rules: .*players=2 instead of 4"):
        agents.load("zoo:duel-2p", rules=Rules.preset("duel", players=4))


def test_zoo_alone_is_the_best_for_the_rules(zoo: Path) -> None:
    assert agents.load("zoo", rules="duel").name == "zoo:duel-2p"
    with pytest.raises(ValueError, match="there is no shipped policy for these rules: there are zoo:duel-2p, "):
        agents.load("zoo", rules="house")
    save_random_policy(zoo / "any.safetensors", track_rules("any"), random_rules=10)
    assert agents.load("zoo?sample=1", rules="house").name == agents.load("zoo").name == "zoo:any"
    assert agents.load("zoo", rules="duel").name == "zoo:duel-2p", "one of its own is better, whatever its name"


def test_an_empty_zoo_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="there is no shipped policy zoo:duel-2p: there are none"):
        agents.load("zoo:duel-2p")


def test_searches_take_shipped_policies(zoo: Path) -> None:
    spec = "search:flat?num_determinizations=2&rollout=zoo:duel-2p&value=zoo:duel-2p&prior=zoo:duel-2p-other"
    assert agents.load(spec, rules="duel").name == spec
    with pytest.raises(ValueError, match="value='zoo:best' is not allowed: there is no shipped policy zoo:best"):
        agents.load("search:flat?value=zoo:best")


def test_searches_take_the_best_policy_for_their_rules_and_none_of_another_edition() -> None:
    rules = Rules.preset("flip", players=2)
    agent = agents.load("search:flat?prior=zoo&value=zoo:flip-4p", rules=rules)
    assert isinstance(agent, FlatAgent)
    assert agent.prior.name == "zoo:flip-2p"
    with pytest.raises(ValueError, match="prior='zoo' is not allowed: there is no shipped policy for these rules"):
        agents.load("search:flat?prior=zoo", rules=rules.replace(stacking="value"))
    with pytest.raises(ValueError, match=r"rollout='zoo:duel-2p' is not allowed: .* does not know the cards of 'flip'"):
        agents.load("search:flat?rollout=zoo:duel-2p", rules=rules)


@pytest.mark.parametrize("name", ["duel", "duel-2", "chess-2p", "duel-xp", "2p-duel", ""])
def test_a_name_says_the_rules(name: str) -> None:
    with pytest.raises(ValueError, match="is no name of a shipped policy: write a preset and the number of players"):
        track_rules(name)


def test_names_of_all_tracks() -> None:
    assert track_rules("house-4p-large") == Rules.preset("house", players=4)
    assert track_rules("rlcard-2p") == Rules.preset("rlcard")
    assert track_rules("no-mercy-2p-other") == Rules.preset("no_mercy", players=2)
    with pytest.raises(ValueError, match="players=40"):
        track_rules("classic-40p")
