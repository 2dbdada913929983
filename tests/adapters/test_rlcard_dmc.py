"""tools/rlcard/dmc.py and dmc_player.py: RLCard's DMC, trained by RLCard, as an opponent."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

import agents
from tools.rlcard.commands import PROGRAM
from tools.rlcard.dmc import provide_git, read_checkpoint
from tools.rlcard.dmc_player import DMC_FILE, DMCPlayer, weight_shapes
from tools.rlcard.players import DMC
from tools.rlcard.table import play_at_rlcard
from train.evaluation.duplicate import evaluate

rlcard = pytest.importorskip("rlcard", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'")
torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -c constraints.txt '.[train]'")
pytestmark = pytest.mark.adapters


@pytest.fixture(scope="module")
def theirs():
    """RLCard's agents of both positions, untrained; layers as wide as they are by default."""
    provide_git()
    from rlcard.agents.dmc_agent.model import DMCModel

    torch.manual_seed(0)
    return DMCModel([[4, 4, 15]] * 2, [[61]] * 2, device="cpu").get_agents()


@pytest.fixture(scope="module")
def checkpoint(theirs, tmp_path_factory):
    """A ``model.tar`` as RLCard's trainer writes it."""
    file = tmp_path_factory.mktemp("dmc") / "model.tar"
    optimizers = [torch.optim.RMSprop(agent.parameters()) for agent in theirs]
    torch.save(
        {
            "model_state_dict": [agent.state_dict() for agent in theirs],
            "optimizer_state_dict": [optimizer.state_dict() for optimizer in optimizers],
            "stats": {"loss_0": 1.0},
            "frames": 3200,
        },
        file,
    )
    return file


@pytest.fixture(scope="module")
def saved(checkpoint):
    file = checkpoint.with_name("dmc.safetensors")
    DMC_FILE.save(file, read_checkpoint(checkpoint)[0], {"frames": 3200})
    return file


def test_it_chooses_as_rlcards_own_network_from_both_positions(theirs, saved):
    player = DMCPlayer(DMC_FILE.load(saved))
    env = rlcard.make("uno", config={"seed": 1})
    met = set()
    for _ in range(5):
        state, seat = env.reset()
        while not env.is_over():
            expected, _ = theirs[seat].eval_step(state)
            _, values = theirs[seat].predict(state)
            np.testing.assert_allclose(player.values(state), values, atol=1e-5)
            action, _ = player.eval_step(state)
            assert action == expected
            assert state["raw_obs"]["current_player"] == seat
            met.add((seat, len(values) > 1))
            state, seat = env.step(action)
    assert len(met) == 4


def test_it_plays_at_both_tables_by_its_name(saved):
    spec = f"tools/rlcard/players.py:DMC?file={saved}"
    first, again = (evaluate(spec, "random", "rlcard", deals=4, seed=2) for _ in range(2))
    assert (first.agent, first.decisions) == (spec, again.decisions)
    assert play_at_rlcard("greedy", spec, 4).shape == (4, 2)
    with pytest.raises(ValueError, match="knows no other rules than RLCard's: choose the preset rlcard"):
        agents.load(spec, rules="duel")


def test_a_checkpoint_is_read_without_running_it(tmp_path, checkpoint):
    weights, frames = read_checkpoint(checkpoint)
    assert frames == 3200
    assert {name: array.shape for name, array in weights.items()} == weight_shapes()
    hostile = tmp_path / "model.tar"
    torch.save({"model_state_dict": Hostile(tmp_path / "owned")}, hostile)
    with pytest.raises(Exception, match="weights_only"):
        read_checkpoint(hostile)
    assert not (tmp_path / "owned").exists()


class Hostile:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def test_files_that_hold_none(tmp_path, saved, checkpoint):
    weights, told = load_file(saved), {DMC_FILE.key: "{}"}
    narrow = {**weights, "1.fc_layers.4.weight": np.zeros((512, 8), np.float32)}
    infinite = {**weights, "0.fc_layers.10.bias": np.full(1, np.inf, np.float32)}
    lacking = {name: array for name, array in weights.items() if name != "0.fc_layers.0.bias"}
    for number, (arrays, metadata, sentence) in enumerate(
        [
            (narrow, told, r"1\.fc_layers\.4\.weight is F32 \[512, 8\] instead of F32 \[512, 512\]"),
            (infinite, told, r"0\.fc_layers\.10\.bias holds values that are not finite"),
            (lacking, told, r"it lacks the weight '0\.fc_layers\.0\.bias'"),
            (weights, None, "its metadata lack 'rlcard_dmc'"),
        ]
    ):
        file = tmp_path / f"{number}.safetensors"
        save_file(arrays, file, metadata)
        with pytest.raises(ValueError, match=rf"{number}\.safetensors' holds no DMC of RLCard's: {sentence}"):
            DMC(str(file))
    for file in (tmp_path / "missing", tmp_path, checkpoint):
        with pytest.raises(ValueError, match=rf"{file.name}' holds no DMC of RLCard's: "):
            agents.load(f"tools/rlcard/players.py:DMC?file={file}")


def test_a_missing_file_is_one_sentence(capsys):
    assert PROGRAM.main(["compare", "greedy", "--against", "tools/rlcard/players.py:DMC?file=none.safetensors"]) == 2
    said = capsys.readouterr().err
    sentence = "there is no such file; `python -m tools.rlcard train --save FILE` makes one"
    assert f"'none.safetensors' holds no DMC of RLCard's: {sentence}" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(("option", "value"), [("--minutes", "0"), ("--actors", "0"), ("--save", ".")])
def test_mistakes(option, value, capsys):
    assert PROGRAM.main(["train", option, value]) == 2
    assert repr(value) in capsys.readouterr().err


def train(file, *options):
    line = [sys.executable, "-m", "tools.rlcard", "train", "--save", file, "--actors", "2", *options]
    return subprocess.Popen([str(word) for word in line], stdout=subprocess.PIPE, text=True, start_new_session=True)


def running(group):
    """How many processes of a group run."""
    line = ["ps", "-o", "stat=", "-g", str(group)]
    states = subprocess.run(line, capture_output=True, text=True, check=False).stdout.split()
    return sum(not state.startswith("Z") for state in states)


def all_end(group):
    deadline = time.monotonic() + 30
    while running(group) and time.monotonic() < deadline:
        time.sleep(0.2)
    return not running(group)


@pytest.mark.slow
def test_rlcards_trainer_trains_saves_and_ends(tmp_path):
    file = tmp_path / "runs" / "dmc.safetensors"
    done = train(file, "--minutes", "0.3")
    out, _ = done.communicate(timeout=300)
    assert done.returncode == 0
    assert f"python -m tools.rlcard compare AGENT --against 'tools/rlcard/players.py:DMC?file={file}'" in out
    assert all_end(done.pid)
    with safe_open(file, framework="np") as kept:
        told = json.loads(kept.metadata()[DMC_FILE.key])
    assert told["frames"] >= 3200
    assert told["seconds"] >= 18
    assert told["actors"] == 2
    assert evaluate(f"tools/rlcard/players.py:DMC?file={file}", "random", "rlcard", deals=4).decisions > 50


@pytest.mark.slow
@pytest.mark.parametrize(
    "stop",
    [lambda pid: os.killpg(pid, signal.SIGINT), lambda pid: os.kill(pid, signal.SIGTERM)],  # a terminal's Ctrl-C: all
    ids=["ctrl-c", "sigterm"],
)
def test_ctrl_c_and_sigterm_keep_what_was_learnt(stop, tmp_path):
    file = tmp_path / "dmc.safetensors"
    training = train(file, "--minutes", "100")
    time.sleep(25)
    stop(training.pid)
    training.communicate(timeout=300)
    assert training.returncode == 0
    assert DMC_FILE.load(file)
    assert all_end(training.pid)


@pytest.mark.slow
def test_actors_end_with_a_trainer_that_is_killed(tmp_path):
    training = train(tmp_path / "dmc.safetensors", "--minutes", "100")
    time.sleep(25)
    assert running(training.pid) > 2
    training.kill()
    training.communicate()
    assert all_end(training.pid)
