"""Agents by name: :func:`agents.load`."""

from pathlib import Path
from typing import Any

import pytest

import agents
from agents.policy.policy_agent import PolicyAgent
from agents.policy.policy_file import PolicyError
from agents.scripted.agent import STRATEGIES
from tests.helpers.positions import save_random_policy
from uno_env import Rules

DUEL = Rules.preset("duel")


@pytest.fixture
def saved(tmp_path: Path) -> str:
    """The path of a saved policy for duel."""
    path = tmp_path / "my policy.safetensors"
    save_random_policy(path, DUEL)
    return str(path)


def _policy(spec: Any, **arguments: Any) -> PolicyAgent:
    agent = agents.load(spec, **arguments)
    assert isinstance(agent, PolicyAgent)
    return agent


def test_there_are_the_strategies() -> None:
    assert set(agents.names()) >= {"random", "random-play", "highest-points", "greedy"}
    assert set(agents.names()) >= {"save-wilds", "dump-wilds", "keep-zero", "colour-major", "aggressive"}
    assert set(agents.names()) >= {"counter", "mixed", "rlcard-rule", "tuned"}
    for name in STRATEGIES:
        assert agents.load(name, seed=3, rules="classic").name == name


def test_a_policy_is_loaded_by_its_path(saved: str) -> None:
    assert _policy(saved).name == saved
    assert not _policy(Path(saved)).sample
    assert not _policy(f"policy:{saved}?sample=0").sample
    assert _policy(f"{saved}?sample=1").sample


def test_a_file_of_any_name_is_taken(saved: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(saved).rename(tmp_path / "champion")
    assert _policy("champion").name == "champion"


def test_a_policy_must_be_for_the_rules_asked_for(saved: str) -> None:
    assert _policy(saved, rules=DUEL)
    assert _policy(saved, rules={"preset": "duel"})
    with pytest.raises(PolicyError) as refused:
        agents.load(saved, rules=DUEL.replace(players=4, uno_call="declared"))
    message = str(refused.value)
    assert saved in message
    assert "players=2 instead of 4, uno_call='automatic' instead of 'declared' (" in message
    assert _policy(f"{saved}?any_rules=1", rules="classic")
    assert _policy(f"{saved}?sample=1&any_rules=1", rules="classic").sample
    save_random_policy(Path(saved), DUEL.replace(mercy=12))
    assert _policy(f"{saved}?any_rules=1", rules=DUEL.replace(mercy=20))
    for option in ("", "?any_rules=1"):
        with pytest.raises(PolicyError, match=r"reads mercy=12 in a column that there is not here$"):
            agents.load(f"{saved}{option}", rules=DUEL)


@pytest.mark.parametrize("change", [{"illegal_action": "terminate"}, {"max_decisions": 50}])
def test_rules_that_no_choice_depends_on_may_differ(saved: str, change: dict[str, Any]) -> None:
    assert _policy(saved, rules=DUEL.replace(**change))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "gredy",
            r"unknown agent 'gredy' \(did you mean 'greedy'\?\): there are random, random-play, highest-points, ",
        ),
        ("", "unknown agent ''"),
        ("greedy:3", "unknown agent 'greedy:3'"),
        ("zoo:best", "there is no shipped policy zoo:best: there are "),
        ("zoo:", "there is no shipped policy zoo:"),
        ("zoo:../loading", "there is no shipped policy zoo:../loading"),
        (None, "unknown agent 'None'"),
        ("none.safetensors", "'none.safetensors' is no usable policy: there is no such file"),
        ("runs/none", "'runs/none' is no usable policy: there is no such file"),
        ("policy:none", "'none' is no usable policy: there is no such file"),
        ("policy:", "'' is no usable policy"),
        ("tests/", "is no usable policy: "),
        ("greedy?sample=1", "agent 'greedy.sample=1' has no option 'sample': options are bluff"),
        ("a/" * 5000, "is no usable policy: it cannot be read"),
        ("a" * 5000, "unknown agent"),
        ("a" * 5000 + ".onnx", "is no usable policy: it cannot be read"),
        ("a" * 5000 + ".py:Agent", "there is no file"),
        ("a." * 5000 + "a:Agent", "cannot be loaded"),
        ("tuned?weights=" + "a/" * 5000, "holds no weights of tuned: File name too long"),
        ("x/y?smple=1", r"has no option 'smple' \(did you mean 'sample'\?\): options are sample, any_rules"),
        ("x/y?sample=2", "sample='2' is not allowed: choose a whole number from 0 to 1"),
        ("x/y?any_rules=", "any_rules='' is not allowed"),
        ("x/y?sample", "has the option 'sample' without a value"),
        ("x/y?sample=1&sample=0", "gives the option 'sample' twice"),
    ],
)
def test_what_cannot_be_loaded(spec: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        agents.load(spec)
    assert "\n" not in str(refused.value)


def test_rules_that_there_are_not_are_named() -> None:
    with pytest.raises(ValueError, match="unknown preset 'duell'"):
        agents.load("greedy", rules="duell")
