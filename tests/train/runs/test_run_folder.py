"""A run survives what happens to it: torn and damaged files, a full disk, signals, a second process."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

import agents
from agents.policy.policy_file import load_policy
from tests.helpers.failures import failing
from tests.helpers.marks import thorough
from train.algorithms.ppo import PPO, PPOConfig
from train.algorithms.registry import prepare_training, train
from train.cli.main import main
from train.common.suite import read_suite
from train.evaluation.tournament import Plan, identify
from train.plots.style import learning_curves
from train.runs.checkpoint import DamagedError, load_checkpoint, save_checkpoint
from train.runs.learner import RunError
from uno_env.common.lock import lock_folder

ITERATION = 8 * 8
DECK = {"preset": "duel", "deck": "r1 r2 r3 g1 g2 g3 b1 b2 b3 w w", "hand_size": 3, "max_decisions": 60}
SMALL = PPOConfig(
    name="small", rules=DECK, threads=1, precision="float32", num_envs=8, num_steps=8, hidden=(8,), n_epochs=1,
    total_timesteps=4 * ITERATION, eval_every=2 * ITERATION, eval_deals=2, eval_against=("random-play",),
    checkpoint_every=ITERATION,
)  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(replace(SMALL, folder=str(tmp_path_factory.mktemp("runs"))))


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A run's folder, of whose four iterations all are done."""
    return Path(shutil.copytree(trained, tmp_path / "small"))


def go_on(folder: Path, iterations: int = 6) -> int:
    """Resume a run for that many iterations in all; the decisions of its policy."""
    prepare_training(folder, {"total_timesteps": str(iterations * ITERATION)})()
    return int(load_policy(folder / "policy.safetensors")[1].trained_by["decisions"])


def contents(folder: Path) -> dict[Path, bytes]:
    """All files but the lock."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}


def newest(folder: Path) -> Path:
    return max((folder / "checkpoints").glob("*.safetensors"))


def decisions_in_metrics(folder: Path) -> list[int]:
    return [json.loads(line)["decisions"] for line in (folder / "metrics.jsonl").read_text().splitlines()]


# --- damaged files ----------------------------------------------------------------------------------------------------


def test_a_torn_line_of_metrics_and_bytes_that_are_no_text_are_left_out(run: Path) -> None:
    metrics = run / "metrics.jsonl"
    lines = metrics.read_bytes().splitlines(keepends=True)
    before = decisions_in_metrics(run)
    metrics.write_bytes(
        b"".join([*lines[:2], b"\xff\xfe\n", b"\0" * 50 + b"\n", b"7\n", *lines[2:], b'{"decisions": 25'])
    )
    points = learning_curves(run)["random-play"]
    assert [point.decisions for point in points] == [number * ITERATION for number in (0, 1, 2, 4)]
    assert go_on(run) == 6 * ITERATION
    assert decisions_in_metrics(run)[: len(before)] == before
    assert decisions_in_metrics(run)[-1] == 6 * ITERATION


@pytest.mark.parametrize(
    "content", ["cut", *thorough("gone", b"", b"\xff\xfe", b"algorithm: ppo\nfolder: ru", b"\0" * 4096, b"- 1\n")]
)
def test_a_damaged_config_is_taken_from_the_checkpoint(
    content: bytes | str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = (run / "config.yaml").read_text()
    if content == "gone":
        (run / "config.yaml").unlink()
    else:  # where it is cut, all keys are there, and not the whole last value
        (run / "config.yaml").write_bytes(content if isinstance(content, bytes) else whole.rstrip().encode()[:-1])
    assert go_on(run) == 6 * ITERATION
    assert "config.yaml is damaged" in " ".join(capsys.readouterr().out.split())
    assert (run / "config.yaml").read_text() == whole.replace(
        f"total_timesteps: {4 * ITERATION}", f"total_timesteps: {6 * ITERATION}"
    )


def flip(file: Path, place: float) -> None:
    data = bytearray(file.read_bytes())
    data[int(place * (len(data) - 1))] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("damage", ["cut", "middle", *thorough("empty", "first", "header", "last")])
def test_a_damaged_checkpoint_falls_back_to_the_one_before(
    damage: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = newest(run)
    places = {"first": 0.0, "header": 0.02, "middle": 0.5, "last": 1.0}
    if damage in places:
        flip(file, places[damage])
    else:
        file.write_bytes(file.read_bytes()[: 0 if damage == "empty" else 5_000])
    with pytest.raises(DamagedError, match="is damaged"):
        load_checkpoint(file)
    assert go_on(run) == 6 * ITERATION
    said = " ".join(capsys.readouterr().out.split())
    assert f"{file.name}' is damaged" in said
    assert f"going on from the one before it, {3 * ITERATION:012d}.safetensors" in said
    assert file.with_suffix(".damaged").exists()
    assert decisions_in_metrics(run)[-1] == 6 * ITERATION
    assert sorted(set(decisions_in_metrics(run))) == [number * ITERATION for number in range(7)]


def test_runs_whose_checkpoints_are_all_damaged_are_one_sentence(run: Path) -> None:
    for file in (run / "checkpoints").iterdir():
        file.write_bytes(b"")
    with pytest.raises(ValueError, match=r"^the checkpoint .*256.safetensors' is damaged: .* start it anew$"):
        prepare_training(run, {})
    assert len(list((run / "checkpoints").glob("*.safetensors"))) == 3


def test_the_checkpoint_before_the_newest_is_always_there(tmp_path: Path) -> None:
    folder = train(replace(SMALL, folder=str(tmp_path), keep_checkpoints=1, eval_every=0))
    assert len(list((folder / "checkpoints").iterdir())) == 2


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("kept", [1, *thorough(0, 2)])
def test_a_kill_between_deletions_of_old_checkpoints_costs_nothing(
    kept: int, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file after ``kept`` deletions stays; the next process continues from the newest, as if nothing had been."""
    twin, unlink = Path(shutil.copytree(run, run.with_name("twin"))), Path.unlink
    deleted: list[str] = []

    def delete(path: Path, missing_ok: bool = False) -> None:
        if path.parent.name == "checkpoints":
            if len(deleted) == kept:
                raise Killed
            deleted.append(path.name)
        unlink(path, missing_ok)

    train_on = prepare_training(run, {"total_timesteps": str(6 * ITERATION), "keep_checkpoints": "2"})
    monkeypatch.setattr(Path, "unlink", delete)
    with pytest.raises(Killed):
        train_on()
    monkeypatch.undo()
    assert len(deleted) == kept
    newest_before = newest(run).name
    assert go_on(run) == go_on(twin) == 6 * ITERATION
    assert newest(run).name == newest(twin).name >= newest_before
    ends = [load_checkpoint(newest(each))[0] for each in (run, twin)]
    assert all((array == ends[1][name]).all() for name, array in ends[0].items() if name.startswith("network."))


def test_a_checkpoint_that_does_not_fit_is_one_sentence(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arrays, values = load_checkpoint(newest(run))
    arrays.pop("network.trunk.0.weight")
    save_checkpoint(newest(run), arrays, values)
    assert main(["train", str(run), "--total-timesteps", str(6 * ITERATION)]) == 2
    assert "does not fit its config.yaml, or is damaged (RuntimeError: Error(s)" in capsys.readouterr().err


@pytest.mark.parametrize("make", [os.mkfifo, *thorough(os.mkdir, lambda path: path.symlink_to("/dev/zero"))])
@pytest.mark.parametrize("name", ["config.yaml", *thorough("metrics.jsonl", "command.txt", "versions.json")])
def test_each_file_that_is_no_file_is_refused_or_replaced(run: Path, name: str, make: Callable[[Path], None]) -> None:
    (run / name).unlink()
    make(run / name)
    with pytest.raises(RunError, match="cannot be written any more"):
        go_on(run)


def test_folders_and_names_that_look_like_markup_are_printed_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = replace(SMALL, folder=str(tmp_path / "x["), name="final] [bold]:smile:", total_timesteps=ITERATION)
    folder = train(replace(config, eval_every=0))
    assert f"Run {folder}: ppo on own rules" in capsys.readouterr().out
    newest(folder).write_bytes(b"")
    assert main(["train", str(folder), "--total-timesteps", str(2 * ITERATION)]) == 2
    assert "final] [bold]:smile:" in capsys.readouterr().err


# --- a full disk ------------------------------------------------------------------------------------------------------


class Disk:
    """A disk that is full from some moment on: nothing is written that is called like what ``full`` holds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = ""
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self.fsync)

    def fsync(self, descriptor: int) -> None:
        if self.full and self.full in os.readlink(f"/proc/self/fd/{descriptor}"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._fsync(descriptor)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs to know the names of open files")
    return Disk(monkeypatch)


@pytest.mark.parametrize("full", ["policy", *thorough("config.yaml", ".tmp", "table", "games")])
def test_a_disk_that_is_full_is_one_sentence_and_the_run_goes_on_when_there_is_room(
    full: str, run: Path, disk: Disk
) -> None:
    disk.full = full
    sentence = r"any more \(No space left on device '.+'\): see to it.* go on with: uno train "
    with pytest.raises(RunError, match=sentence):
        go_on(run)
    assert list(run.rglob("*.tmp")) == []
    disk.full = ""
    assert go_on(run) == 6 * ITERATION


def test_a_disk_that_was_full_from_the_beginning_leaves_nothing_to_go_on_with(tmp_path: Path, disk: Disk) -> None:
    disk.full = "checkpoints"
    with pytest.raises(RunError, match="then start it anew, since it has no checkpoint yet"):
        train(replace(SMALL, folder=str(tmp_path)))


@pytest.mark.thorough
def test_tensorboards_thread_says_nothing_when_the_disk_is_full(tmp_path: Path) -> None:
    """For real: the system lets no file grow beyond some bytes."""
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from train.runs.run_folder import disk_errors; from train.runs.tensorboard_log import TensorBoardLog\n"
        "from train.runs.run_config import RunConfig; from train.runs.learner import RunError\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "try:\n"
        "    tensorboard = TensorBoardLog(Path(sys.argv[1]), RunConfig(), 0)\n"
        "    with disk_errors(Path('run'), lambda: 'go on'), tensorboard as log:\n"
        "        for step in range(100_000):\n"
        "            log.show_figures({'a': 1.0}, step)\n"
        "except RunError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.startswith("the run 'run' cannot be written any more (File too large")
    assert "Traceback" not in done.stderr


# --- signals, a second process, what is left over ---------------------------------------------------------------------


def test_a_second_signal_within_a_second_is_the_first_one_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A launcher sends the process what its group got already."""
    iterate = PPO.iterate

    def interrupted(learner: PPO, progress: float) -> dict[str, float]:
        if learner.decisions == ITERATION:
            for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
                signal.raise_signal(number)
        return iterate(learner, progress)

    monkeypatch.setattr(PPO, "iterate", interrupted)
    with pytest.raises(SystemExit) as stopped:
        train(replace(SMALL, folder=str(tmp_path), checkpoint_every=0))
    assert stopped.value.code == 130
    assert newest(tmp_path / "small").stem == f"{2 * ITERATION:012d}"
    assert capsys.readouterr().out.count("Stopping after this iteration") == 1


def test_a_later_second_signal_stops_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    iterate, now = PPO.iterate, iter([5.0, 6.0])
    monkeypatch.setattr("train.common.interrupts.monotonic", lambda: next(now))

    def interrupted(learner: PPO, progress: float) -> dict[str, float]:
        if learner.decisions == ITERATION:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("the second one ends it")
        return iterate(learner, progress)

    monkeypatch.setattr(PPO, "iterate", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        train(replace(SMALL, folder=str(tmp_path), checkpoint_every=0))
    assert signal.getsignal(signal.SIGINT) is before
    assert not list((tmp_path / "small" / "checkpoints").glob("*"))


def test_a_signal_while_a_run_compiles_stops_it_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to save, and compiling takes a minute."""
    monkeypatch.setattr(PPO, "warm_up", lambda learner: signal.raise_signal(signal.SIGTERM))
    monkeypatch.setattr(PPO, "iterate", lambda *_: pytest.fail("it has gone on"))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as stopped:
        train(replace(SMALL, folder=str(tmp_path)))
    assert stopped.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), *thorough((signal.SIGTERM, 143))])
def test_signals_save_and_say_how_to_go_on(
    number: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    iterate, before = PPO.iterate, [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]

    def interrupted(learner: PPO, progress: float) -> dict[str, float]:
        if learner.decisions == ITERATION:
            os.kill(os.getpid(), number)
        return iterate(learner, progress)

    monkeypatch.setattr(PPO, "iterate", interrupted)
    with pytest.raises(SystemExit) as stopped:
        train(replace(SMALL, folder=str(tmp_path), checkpoint_every=0))
    monkeypatch.setattr(PPO, "iterate", iterate)
    assert stopped.value.code == code
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before
    assert newest(tmp_path / "small").stem == f"{2 * ITERATION:012d}"
    assert "To go on: uno train" in " ".join(capsys.readouterr().out.split())
    assert go_on(tmp_path / "small") == 6 * ITERATION


def test_a_run_that_is_trained_is_locked_and_free_again_when_it_ends(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refused: list[int] = []
    iterate = PPO.iterate

    def tried(learner: PPO, progress: float) -> dict[str, float]:
        if learner.decisions == 4 * ITERATION:
            refused.append(main(["train", str(run)]))
        return iterate(learner, progress)

    monkeypatch.setattr(PPO, "iterate", tried)
    go_on(run)
    assert refused == [2]
    assert f"uno: another process works on the run '{run}': wait until it has ended" in capsys.readouterr().err
    assert go_on(run, 7) == 7 * ITERATION


def test_a_new_run_is_locked_too_and_free_after_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "small"
    iterate = PPO.iterate

    def tried(learner: PPO, progress: float) -> dict[str, float]:
        with pytest.raises(ValueError, match="another process works on the run"):
            lock_folder(folder, "run")
        return iterate(learner, progress)

    monkeypatch.setattr(PPO, "iterate", tried)
    with failing(monkeypatch, PPO, 2 * ITERATION):
        train(replace(SMALL, folder=str(tmp_path)))
    monkeypatch.setattr(PPO, "iterate", iterate)
    assert go_on(folder) == 6 * ITERATION


def test_a_mistake_when_resuming_leaves_the_folder_as_it_is_and_free(run: Path) -> None:
    before = contents(run)
    for overrides, message in (
        ({"hidden": "[4]"}, "cannot be changed when resuming"),
        ({"eval_against": "[gredy]"}, "did you mean 'greedy'"),
        ({"total_timesteps": "0"}, "total_timesteps=0 is not allowed"),
    ):
        with pytest.raises(ValueError, match=message):
            prepare_training(run, overrides)
        assert contents(run) == before
    assert go_on(run) == 6 * ITERATION


def test_a_run_whose_process_was_killed_is_not_locked(run: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from uno_env.common.lock import lock_folder\n"
        "lock = lock_folder(Path(sys.argv[1]), 'run'); print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(run)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        with pytest.raises(ValueError, match="another process works on the run"):
            prepare_training(run, {})
        process.kill()
        process.wait()
        assert go_on(run) == 6 * ITERATION


def test_checksums_cover_names_types_shapes_and_values(tmp_path: Path) -> None:
    file = tmp_path / "a.safetensors"
    arrays: dict[str, Any] = {"a": np.arange(6, dtype=np.int32), "empty": np.zeros((0, 3)), "one": np.float32(2)}
    save_checkpoint(file, arrays, {"x": 1})
    with safe_open(file, framework="np") as saved:
        metadata = saved.metadata()
    for changed in ({"b": arrays["a"]}, {"a": arrays["a"].reshape(2, 3)}, {"a": arrays["a"].view(np.uint32)}):
        others = {name: np.array(each) for name, each in arrays.items() if name != "a"}
        save_file({**others, **changed}, file, metadata)
        with pytest.raises(DamagedError, match="its checksum is not that of its content"):
            load_checkpoint(file)


# --- what a run says --------------------------------------------------------------------------------------------------


def test_a_run_begins_with_folder_algorithm_network_and_budget(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left = [run / ".config.yaml.123.tmp", run / "checkpoints" / ".000000000256.safetensors.99.tmp"]
    for file in left:
        file.write_bytes(b"half")
    go_on(run)
    assert not any(file.exists() for file in left)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"Run {run}: ppo on own rules, 2 players"
    assert said[1].startswith("Network: hidden layers of 8, ")
    assert said[1].endswith(" weights, on cpu; 1 thread")
    assert said[2] == f"Budget: at most {6 * ITERATION} decisions, of which {4 * ITERATION} are done"


@pytest.mark.thorough
def test_a_run_on_a_track_names_it_and_the_files_of_its_opponents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    track = read_suite().track("duel-2p")
    frozen = track.opponent_specs()["frozen"]
    config = replace(SMALL, folder=str(tmp_path), rules=track.rules().to_dict(), eval_against=(frozen,))
    train(replace(config, total_timesteps=ITERATION, eval_every=ITERATION))
    said = capsys.readouterr().out
    assert said.startswith(f"Run {tmp_path}/small: ppo on duel-2p, 2 players\n")
    assert " % v duel-2p.safetensors\n" in said
    assert str(Path(frozen).parent) not in said


def test_a_budget_says_what_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = train(replace(SMALL, folder=str(tmp_path), total_timesteps=ITERATION + 1, max_minutes=9, eval_every=0))
    said = capsys.readouterr().out.splitlines()[2]
    assert said == "Budget: at most 65 decisions or 9 minutes"
    assert json.loads((folder / "table.json").read_text())["decisions"] == ITERATION


def test_a_run_is_as_good_as_the_policy_in_it(run: Path, tmp_path: Path) -> None:
    rules = PPOConfig(rules=DECK).game_rules()
    inside = agents.load(f"{run}/policy.safetensors", rules=rules)
    for spec in (str(run), f"{run}/", f"policy:{run}", f"{run}?sample=1", run):
        assert agents.load(spec, rules=rules).card == inside.card
    assert load_policy(run)[1] == load_policy(run / "policy.safetensors")[1]
    plan = Plan((str(run), f"policy:{run}"), rules, ((0, 1),), (2,), 0)
    assert list(identify(plan)["files"]) == [str(run), f"policy:{run}"]
    with pytest.raises(ValueError, match=r"is no usable policy: it cannot be read \(it is a folder\)"):
        agents.load(f"{run}/games")
