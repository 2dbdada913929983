"""Work that is shared out to a Ray cluster: the results are those of this machine alone."""

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")

from agents.policy.policy_file import load_policy
from train.algorithms.ray import shared_out as sharing
from train.algorithms.ray.cluster import joined
from train.algorithms.ray.shared_out import shared_out
from train.benchmarks.algorithms import measure
from train.benchmarks.plans import RunPlan
from train.cli.main import main
from train.common.processes import Mapper
from train.runs.learner import RunError

pytestmark = pytest.mark.adapters

CLOCKS = ("seconds", "decisions_per_second", "wall_seconds", "digest")
"""What a clock gives, and a digest of files that hold such."""


@pytest.fixture(scope="module")
def mapper() -> Iterator[Mapper]:
    try:
        with joined("", 2), shared_out("auto") as mapper:
            yield mapper
    except RunError as error:
        pytest.skip(f"Ray does not start on this machine: {error}")


def timeless(values: Any) -> Any:
    """Plain values without :data:`CLOCKS`."""
    if isinstance(values, dict):
        return {name: timeless(value) for name, value in values.items() if name not in CLOCKS}
    return [timeless(value) for value in values] if isinstance(values, list) else values


def divided(number: int) -> float:
    return 1 / number


def test_each_task_has_its_result_and_an_error_is_that_of_the_work(mapper: Mapper) -> None:
    assert dict(mapper(divided, [1, 2, 4])) == {1: 1, 2: 0.5, 4: 0.25}
    with pytest.raises(ZeroDivisionError):
        dict(mapper(divided, [0]))


def killed_once(task: tuple[str, int]) -> int:
    """The number of the task; at its first try the process that does it is killed."""
    folder, number = task
    tried = Path(folder) / str(number)
    if not tried.exists():
        tried.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with open(tried, "a") as file:
        file.write("done")
    return number


def killed_always(number: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_whose_worker_is_killed_has_one_result(mapper: Mapper, tmp_path: Path) -> None:
    tasks = [(str(tmp_path), number) for number in range(2)]
    results = list(mapper(killed_once, tasks))
    assert sorted(results) == [(task, task[1]) for task in tasks]
    assert [(tmp_path / str(number)).read_text() for number in range(2)] == ["done"] * 2
    with pytest.raises(RunError, match="the Ray cluster lost a task"):
        dict(mapper(killed_always, [1]))


def test_a_cluster_that_does_not_start_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that is too busy Ray gives up with a bare Exception."""

    def times_out(**_: Any) -> None:
        raise Exception("The current node timed out during startup.\nMore of it.")

    monkeypatch.setattr("ray.is_initialized", lambda: False)
    monkeypatch.setattr("ray.init", times_out)
    with pytest.raises(RunError, match=r"^Ray cannot be started: The current node timed out during startup\.$"):
        joined("", 1).__enter__()


def test_a_node_with_other_code_is_refused(mapper: Mapper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "_code", lambda: "that of another version")
    with pytest.raises(RunError, match=r"the code of node [\d.]+ is another: install the same version there"):
        dict(mapper(divided, [1]))


@pytest.mark.usefixtures("mapper")
def test_a_tournament_is_the_same_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = ["tournament", "random-play", "greedy", "--deals", "200", "--seed", "3"]
    for name, more in (("here", ["--workers", "1"]), ("there", ["--address", "auto"])):
        assert main([*line, *more, "--save", str(tmp_path / name), "--json", str(tmp_path / f"{name}.json")]) == 0
    here, there = (json.loads((tmp_path / f"{name}.json").read_text())["tournament"] for name in ("here", "there"))
    assert timeless(here) == timeless(there)
    chunks = sorted((tmp_path / "there" / "chunks").iterdir())
    chunks[0].unlink()
    again = ["tournament", "--resume", str(tmp_path / "there"), "--address", "auto"]
    assert main([*again, "--json", str(tmp_path / "again.json")]) == 0
    assert timeless(json.loads((tmp_path / "again.json").read_text())["tournament"]) == timeless(here)
    assert main([*line, "--workers", "2", "--address", "auto"]) == 2
    capsys.readouterr()
    assert main([*line, "--address", "nowhere"]) == 2
    assert "address='nowhere' is not allowed" in capsys.readouterr().err
    with_chat = ["tournament", "greedy", "chat:http://localhost:1/v1?model=a", "--deals", "2", "--address", "auto"]
    for refused in (with_chat, ["benchmark", "run", "duel-2p", "--policies", f"model={with_chat[2]}", *with_chat[-2:]]):
        assert main(refused) == 2
        assert "--address is not allowed with chat:… agents" in capsys.readouterr().err


@pytest.mark.slow
def test_a_benchmark_is_the_same(tmp_path: Path, mapper: Mapper, capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {"hidden": "[8]", "num_envs": "16", "num_steps": "16", "minibatch_size": "256", "precision": "float32"}
    plan = RunPlan(("duel-2p",), decisions=500, algorithms=("ppo",), seeds=2, deals=4, curve_deals=2, threads=1,
                   changes=sizes)  # fmt: skip
    here = measure(plan, tmp_path / "here", {})
    there = measure(replace(plan, seeds=1), tmp_path / "there", {}, mapper)
    assert timeless(there["runs"]) == timeless(here["runs"][:1])
    capsys.readouterr()
    assert timeless(measure(plan, tmp_path / "there", {}, mapper)["runs"]) == timeless(here["runs"])
    assert "2 of 2: ppo, seed 1, duel-2p:" in capsys.readouterr().out
    for run in ("ppo-s0", "ppo-s1"):
        files = [tmp_path / where / "duel-2p" / run / "policy.safetensors" for where in ("here", "there")]
        (ours, _), (theirs, _) = map(load_policy, files)
        assert ours.keys() == theirs.keys()
        assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
