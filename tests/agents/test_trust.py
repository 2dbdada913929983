"""agents/trust.py: which names of files and messages are refused."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import agents
from agents import custom_agents, loading
from agents.trust import DATA_KINDS, RISKY_KINDS, Risk, is_ours, risk_of, texts_in, verify_name, verify_names
from tests.helpers import ROOT

RISKY = [
    ("mine:Agent", Risk.CODE),
    ("a.b:C.d?x=1", Risk.CODE),
    ("/tmp/own.py:Agent", Risk.CODE),
    ("chat:http://localhost:1/v1?model=m&key=HOME", Risk.ADDRESS),
    ("https://host/policy.safetensors#sha256=" + "0" * 64, Risk.ADDRESS),
    ("http://localhost/policy.onnx?sample=1", Risk.ADDRESS),
    ("search:flat?rollout=https://host/policy.safetensors#sha256=" + "0" * 64, Risk.ADDRESS),
    (r"\\host\share\policy.safetensors", Risk.ADDRESS),
    ("policy.onnx?x=//host/share", Risk.ADDRESS),
    ("cheat:flat", Risk.ALL_HANDS),
    ("search:flat?rollout=mine:Agent", Risk.CODE),
    ("search:flat?rollout=chat:http://localhost:1", Risk.ADDRESS),
]


@pytest.fixture(autouse=True)
def own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of code that is imported are searched later, too, but only in this test."""
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.parametrize(("name", "risk"), RISKY)
def test_a_name_with_a_risk_is_refused(name: str, risk: Risk) -> None:
    assert risk_of(name) is risk
    with pytest.raises(ValueError, match=r"from the command line and from Python alone.*--trust-code"):
        verify_name(name)
    verify_name(name, allowed=[risk])
    with pytest.raises(ValueError, match="alone"):
        agents.load(name, trusted=False)


@pytest.mark.parametrize(
    "name",
    ["greedy", "zoo", "zoo:duel-2p", "rlcard:random", "search:pimc?sims=2&value=zoo:duel-2p", "runs/x", "x.onnx"],
)
def test_other_names_have_none(name: str) -> None:
    assert risk_of(name) is None


def test_every_kind_of_agent_is_data_or_has_a_risk() -> None:
    assert {*DATA_KINDS, *RISKY_KINDS} == {*loading._KINDS, *loading._METHODS}


def test_an_agent_of_an_installed_package_may_not_see_all_hands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theirs.py").write_text(
        "from uno_env.player import Player\nclass Sees(Player):\n    sees_all_hands = True\n"
        "    def act_on_games(self, rows, masks, games): ...\n"
        "    def act_batch(self, rows, masks): ...\n"
    )
    entries = [EntryPoint("sees", f"{tmp_path}/theirs.py:Sees", custom_agents.ENTRY_POINTS)]
    monkeypatch.setattr(custom_agents, "entry_points", lambda group: entries)
    custom_agents.offered.cache_clear()
    try:
        assert agents.load("sees").sees_all_hands
        with pytest.raises(ValueError, match="agent 'sees' is not allowed: an agent that sees all hands"):
            agents.load("sees", trusted=False)
    finally:
        custom_agents.offered.cache_clear()


def test_texts_are_found_wherever_they_stand() -> None:
    values: dict[str, Any] = {"a": ["x", {"k": ("y", 1)}], "b": None}
    assert list(texts_in(values)) == ["a", "x", "k", "y", "b"]
    verify_names({"a": [{"mine:Agent": 1}]}, typed=["mine:Agent"])
    with pytest.raises(ValueError, match=r"^a='mine:Agent' is code"):
        verify_names({"a": [{"mine:Agent": 1}]})


def test_code_of_this_checkout_is_ours_and_nobody_elses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_ours(f"{ROOT}/examples/my_algorithm.py:Reinforce")
    assert is_ours("tools.sb3_dqn:SB3DQN")
    assert not is_ours(f"{ROOT}/runs/examples/own.py:Reinforce")
    assert not is_ours(f"{ROOT}/tools/../runs/own.py:Reinforce")
    assert not is_ours("os:system")
    assert not is_ours("tools")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "tools", raising=False)
    assert not is_ours("tools.sb3_dqn:SB3DQN")
    link = tmp_path / "own.py"
    link.symlink_to(ROOT / "examples" / "my_algorithm.py")
    assert is_ours(f"{link}:Reinforce")
