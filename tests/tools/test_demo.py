"""tools/demo.py and train/plots/style.py: from a config to a policy, its measured strength and its curve."""

import json
from pathlib import Path

import pytest

import agents
from agents.policy.policy_file import load_policy
from agents.zoo import shipped
from tests.helpers.positions import save_random_policy
from tools import demo
from tools.training_speed import load_config
from train.algorithms.ppo import PPOConfig
from train.plots.style import STYLES, Point, cycled, draw_curves, learning_curves, new_figure, save_figure

pytestmark = pytest.mark.adapters

TINY = """
name: tiny
rules: duel
total_timesteps: 30_000
num_envs: 128
num_steps: 16
hidden: [16]
minibatch_size: 512
precision: float32
eval_every: 10_000
eval_deals: 4
checkpoint_every: 0
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.yaml").write_text(TINY)
    for name in ("classic-4p", "duel-2p"):
        save_random_policy(tmp_path / "zoo" / f"{name}.safetensors", shipped.track_rules(name))
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "zoo")
    return tmp_path


def test_the_whole_way(here, capsys):
    assert demo.PROGRAM.main(["--config", "tiny.yaml", "--deals", "5", "--folder", "out"]) == 0
    folder = Path("out/tiny")
    out, err = capsys.readouterr()
    assert err == ""
    assert "decisions a second" in out
    assert all(opponent in out for opponent in demo.OPPONENTS)
    measured = json.loads((folder / "evaluation.json").read_text())
    assert [each["opponent"] for each in measured] == [*demo.OPPONENTS, "zoo:duel-2p"]
    assert "zoo:duel-2p" in out
    assert load_policy(folder / "policy.safetensors")[1].evaluation == measured
    assert agents.load(str(folder / "policy.safetensors"), rules="duel").act_batch
    assert (folder / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "learning_curve.svg").read_text()
    play, board = demo.next_commands(folder)
    assert play in out
    assert board in out
    assert play.endswith("uno play out/tiny/policy.safetensors")

    assert (
        demo.PROGRAM.main(["--config", "tiny.yaml", "--deals", "2", "--folder", "out", "--total-timesteps", "3000"])
        == 0
    )
    assert json.loads((folder / "evaluation.json").read_text()) == measured
    assert Path("out/tiny-2/evaluation.json").exists()
    capsys.readouterr()
    assert demo.PROGRAM.main(["--resume", "out/tiny-2", "--deals", "3"]) == 0
    assert json.loads(Path("out/tiny-2/evaluation.json").read_text())[0]["deals"] == 3


def test_ctrl_c_says_how_to_go_on(here, monkeypatch, capsys):
    folder = demo.prepare(Path("tiny.yaml"), {"total_timesteps": "3000"})()
    assert folder == Path("runs/tiny")

    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "evaluate", interrupted)
    assert demo.PROGRAM.main(["--resume", str(folder)]) == 130
    assert demo.finish_command(folder) in capsys.readouterr().err


def test_ctrl_c_while_training_says_how_to_go_on(here, monkeypatch, capsys):
    def stopped(*_args, **_options):
        raise SystemExit(130)

    monkeypatch.setattr("train.runs.run.Run.train", stopped)
    with pytest.raises(SystemExit, match="130"):
        demo.PROGRAM.main(["--config", "tiny.yaml"])
    assert demo.finish_command(Path("runs/tiny")) in capsys.readouterr().out


def test_the_shipped_config_is_usable(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    demo.prepare()
    config = load_config(demo.CONFIG, PPOConfig)
    assert config.game_rules().players == 2
    assert 0 < config.max_minutes <= 5
    assert set(config.eval_against) <= set(agents.names())


def test_curves_are_read_from_a_run(tmp_path):
    lines = [{"decisions": 10, "rollout/ep_rew_mean": 0.0}]
    lines += [{"decisions": 10 * step, "eval/win_rate_vs_greedy": 0.1 * step} for step in (1, 2)]
    evaluations = [
        {"opponent": "greedy", "win_rate": 0.1 * step, "low": 0.0, "high": 0.5, "trained_decisions": 10 * step}
        for step in (1, 2)
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "table.json").write_text(json.dumps({"evaluations": evaluations}))
    assert learning_curves(tmp_path) == {"greedy": [Point(10, 0.1, 0.0, 0.5), Point(20, 0.2, 0.0, 0.5)]}
    (tmp_path / "table.json").write_text(json.dumps({"evaluations": [{"opponent": "greedy"}]}))
    with pytest.raises(ValueError, match="no learning curve"):
        learning_curves(tmp_path)
    with pytest.raises(ValueError, match="no learning curve"):
        learning_curves(tmp_path / "missing")


def test_curves_differ_without_colour(tmp_path):
    curves = {f"agent {number}": [Point(0, 0.1 * number, 0.0, 1.0), Point(9, 0.5, 0.4, 0.6)] for number in range(7)}
    figure = new_figure(7, 4.5)
    draw_curves(figure.add_subplot(), curves, 0.5)
    files = save_figure(figure, tmp_path / "seven.curves")
    assert [file.name for file in files] == ["seven.curves.png", "seven.curves.svg"]
    assert all(file.stat().st_size > 1000 for file in files)
    most = len(STYLES) ** 2
    assert len({(marker, line) for _, marker, line in cycled(most)}) == most
    assert cycled(len(STYLES)) == list(STYLES)
