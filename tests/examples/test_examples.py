"""Every file of examples/ runs as it is written, with little to do, and ends with what it promises."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

import agents
from tests.helpers import ROOT
from train.evaluate import evaluate
from uno_env.common.importing import import_object

pytestmark = pytest.mark.adapters

EXAMPLES = ROOT / "examples"

LONGEST = {"reinforce.py": 80, "cleanrl_ppo.py": 180, "jax_ppo.py": 145}
"""Lines that a file has fewer than, if not 130. The second one has a config with the help of its options, the third one
makes a batch of games a part of JAX's compiled code."""


def main_of(name: str) -> Any:
    """What an example does when it is run."""
    return import_object(f"{EXAMPLES}/{name}.py:main")


def curve_of_first_network(**options: int) -> list[Any]:
    """The decisions and the results of ``first_network.py``."""
    return list(import_object(f"{EXAMPLES}/first_network.py:curve")(**options))


def test_all_are_listed_and_plain() -> None:
    listed = (EXAMPLES / "README.md").read_text()
    files = {path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".ipynb")}
    assert all(f"| `{name}` | " in listed for name in files)
    assert listed.count("\n| `") == len(files)
    for path in EXAMPLES.glob("*.py"):
        lines = path.read_text().splitlines()
        assert len(lines) < LONGEST.get(path.name, 130)
        assert ast.get_docstring(ast.parse("\n".join(lines)))


def test_they_are_copied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    main_of("__main__")()
    copied = {path.name for path in (tmp_path / "examples").iterdir()}
    assert copied == {path.name for path in EXAMPLES.iterdir()} - {"__main__.py", "__pycache__"}
    with pytest.raises(SystemExit, match="is there already: rename it, or start from another folder"):
        main_of("__main__")()


def test_a_first_network_learns_in_its_first_seconds() -> None:
    pytest.importorskip("torch")
    _, (decisions, last) = curve_of_first_network(iterations=30, parts=2, deals=1_000)
    assert (decisions, last.agent, last.opponent, last.games) == (30 * 128 * 64, "first_network", "random-play", 2_000)
    assert last.win_rate > 0.5  # untrained ones win 43 to 47 %


@pytest.mark.slow
def test_a_first_network_wins_what_its_page_says() -> None:
    pytest.importorskip("torch")
    ((_, last),) = curve_of_first_network(parts=1, deals=4_000)
    assert last.win_rate > 0.6


def test_reinforce_ends_on_the_ladder() -> None:
    pytest.importorskip("torch")
    results = main_of("reinforce")(iterations=2, deals=4)
    assert [result.opponent for result in results] == ["random-play", "rlcard-rule", "tuned"]
    assert {(result.agent, result.games) for result in results} == {("reinforce", 8)}


def test_ppo_for_one_seat() -> None:
    pytest.importorskip("torch")
    result = main_of("ppo_one_seat")(iterations=1, deals=4, envs=8)
    assert (result.agent, result.opponent, result.games) == ("ppo_one_seat", "greedy", 8)


def test_ppo_as_cleanrl_writes_it_learns() -> None:
    pytest.importorskip("torch")
    learner = import_object(f"{EXAMPLES}/cleanrl_ppo.py:CleanRLPPO")
    learner = learner(learner.config_class(rules="starter", threads=1, learning_rate=1e-3, hidden=(64,)))
    for _ in range(25):
        learner.iterate(0.0)
    assert evaluate(learner.policy(), "random-play", "starter", deals=1_000).win_rate > 0.5


def test_ppo_on_pettingzoo() -> None:
    pytest.importorskip("torch")
    result = main_of("cleanrl_pettingzoo")(iterations=1, deals=4, num_envs=4)
    assert (result.opponent, result.games) == ("random-play", 8)


def test_speeds_of_libraries() -> None:
    rates = main_of("library_speed")(seconds=0.05)
    assert {"batched", "gymnasium_vector", "pettingzoo"} <= set(rates)
    assert rates["batched"] > rates["pettingzoo"] > 0


def test_maskable_ppo_trains_and_is_measured() -> None:
    pytest.importorskip("sb3_contrib")
    results = main_of("maskable_ppo")(steps=1, deals=4)
    assert [result.games for result in results] == [8, 8]


def test_a_clone_learns_from_recorded_games(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    results = main_of("clone_agent")(decisions=300, epochs=1, deals=4, file=tmp_path / "greedy.jsonl")
    assert [(result.agent, result.games) for result in results] == [("clone", 8), ("greedy", 8)]


@pytest.mark.slow
def test_a_clone_of_greedy_comes_within_two_points(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    clone, greedy = main_of("clone_agent")(file=tmp_path / "greedy.jsonl")
    assert clone.win_rate > greedy.win_rate - 0.02


def test_the_agent_of_ones_own_plays_its_tournament() -> None:
    report = main_of("my_agent")(deals=4, workers=1)
    names = [agent["name"] for agent in report["agents"]]
    assert [name.rpartition(":")[2] for name in names] == ["eager", "Saver?wild=0.5", "greedy", "random-play"]


def test_a_recurrent_policy_through_onnx(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("onnxruntime")
    results = main_of("recurrent_onnx")(iterations=1, deals=4, envs=8, file=tmp_path / "memory.onnx")
    assert [result.games for result in results] == [8, 8]
    agent = agents.load(tmp_path / "memory.onnx", rules="duel")
    assert agent.state_size == 64
    assert agent.card is not None


def test_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The code of its cells, one after the other; a minute of training becomes a moment."""
    pytest.importorskip("torch")
    pytest.importorskip("matplotlib").use("Agg")
    drawn: list[str] = []
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {"SVG": drawn.append}
    quick = {"from IPython.display import SVG": "",
             "DECISIONS = 1_000_000": "DECISIONS = 1_000", "eval_deals=500": "eval_deals=2", "deals=500": "deals=4",
             "num_envs=256": "num_envs=16", "num_steps=64": "num_steps=16",
             "parts=5": "hidden=(8,), parts=2"}  # fmt: skip
    for old, new in quick.items():
        assert any(old in cell for cell in cells), old
        cells = [cell.replace(old, new) for cell in cells]
    for cell in cells:
        exec(cell, names)
    assert drawn[0].startswith("<svg")
    assert (tmp_path / "runs" / "notebook" / "policy.safetensors").is_file()
    assert len(names["axes"].containers) == 2
    assert "against greedy, 95 % interval" in capsys.readouterr().out
    assert not any(cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
