"""tools/rlcard/nfsp.py and nfsp_player.py: RLCard's NFSP, trained by RLCard, as an opponent."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from tools.rlcard.commands import PROGRAM
from tools.rlcard.nfsp import train_nfsp
from tools.rlcard.nfsp_player import NFSP_FILE, NFSPPlayer, weight_shapes
from tools.rlcard.table import play_at_rlcard
from train.evaluation.duplicate import evaluate
from train.evaluation.tournament import files_digest

rlcard = pytest.importorskip("rlcard", reason="RLCard is not installed: pip install -c constraints.txt '.[bench]'")
torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -c constraints.txt '.[train]'")
pytestmark = pytest.mark.adapters


def an_agent(seed: int) -> Any:
    """RLCard's agent with random weights, those of the normalisation too."""
    from rlcard.agents.nfsp_agent import NFSPAgent

    torch.manual_seed(seed)
    agent = NFSPAgent(61, [4, 4, 15], [64, 64], q_mlp_layers=[64, 64], device=torch.device("cpu"))
    for name, array in agent.policy_network.state_dict().items():
        if "num_batches" not in name:
            array.copy_(torch.rand(array.shape) + 0.1 if "var" in name else 0.2 * torch.randn(array.shape))
    return agent


@pytest.fixture(scope="module")
def theirs() -> list[Any]:
    return [an_agent(0), an_agent(1)]


@pytest.fixture(scope="module")
def saved(theirs: list[Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("nfsp") / "nfsp.safetensors"
    weights = {name: theirs[int(name[0])].policy_network.state_dict()[name[2:]].numpy() for name in weight_shapes()}
    NFSP_FILE.save(file, weights, {"frames": 0})
    return file


def test_it_has_the_probabilities_of_rlcards_own_agent_from_both_positions(theirs: list[Any], saved: Path) -> None:
    from rlcard.utils.utils import remove_illegal

    player, env, met = NFSPPlayer(NFSP_FILE.load(saved)), rlcard.make("uno", config={"seed": 1}), set()
    for _ in range(5):
        state, seat = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            expected = remove_illegal(theirs[seat]._act(state["obs"]), legal)[legal]
            np.testing.assert_allclose(player.probabilities(state), expected, atol=1e-5)
            action, _ = player.eval_step(state)
            assert action in legal
            met.add((seat, len(legal) > 1))
            state, seat = env.step(action)
    assert len(met) == 4


def test_it_plays_at_both_tables_by_its_name(saved: Path) -> None:
    spec = f"tools/rlcard/players.py:NFSP?file={saved}"
    first, again = (evaluate(spec, "random", "rlcard", deals=4, seed=2) for _ in range(2))
    assert (first.agent, first.decisions) == (spec, again.decisions)
    assert play_at_rlcard("greedy", spec, 4).shape == (4, 2)


def test_a_file_of_another_kind_is_refused(saved: Path) -> None:
    with pytest.raises(ValueError, match="holds no DMC of RLCard's: its metadata lack 'rlcard_dmc'"):
        agents.load(f"tools/rlcard/players.py:DMC?file={saved}")


def test_studies_tell_files_behind_a_name_apart(saved: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.safetensors"
    other.write_bytes(saved.read_bytes() + b" ")
    digests = {files_digest(f"tools/rlcard/players.py:NFSP?file={file}") for file in (saved, other)}
    assert len(digests) == 2
    assert "" not in digests
    assert files_digest(f"search:flat?rollout={saved}&num_determinizations=3") in digests
    assert files_digest("tuned") == files_digest("search:flat?rollout=tuned") == ""


def test_rlcards_loop_trains_it_the_same_from_a_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the training counts hands here: 12 of them."""
    ran = []
    for seed in (3, 3, 4):
        ticks = iter(range(10**6))
        monkeypatch.setattr("tools.rlcard.nfsp.time.monotonic", lambda ticks=ticks: next(ticks))
        ran.append(train_nfsp(12 / 60, seed))
    (first, about), (again, _), (other, _) = ran
    assert {name: array.shape for name, array in first.items()} == weight_shapes()
    assert all((first[name] == again[name]).all() for name in first)
    assert any((first[name] != other[name]).any() for name in first)
    assert about["hands"] == 11
    assert about["frames"] > 100


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "runs" / "nfsp.safetensors"
    assert PROGRAM.main(["train", "--algorithm", "nfsp", "--minutes", "0.05", "--save", str(file)]) == 0
    spec = f"tools/rlcard/players.py:NFSP?file={file}"
    assert f"python -m tools.rlcard compare AGENT --against '{spec}'" in capsys.readouterr().out
    assert agents.load(spec, rules="rlcard")
    assert PROGRAM.main(["train", "--algorithm", "a3c"]) == 2
    assert "a3c" in capsys.readouterr().err
