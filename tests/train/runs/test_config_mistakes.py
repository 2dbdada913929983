"""Every mistake in a config is one sentence, before anything is made, compiled or waited for."""

import copy
import os
import random
import re
import string
from pathlib import Path
from typing import Any

import pytest
import yaml

from train.algorithms.registry import ALGORITHMS, find_algorithm, prepare_training
from train.cli.main import main
from train.runs import limits
from train.runs.config import NAMES_ELSEWHERE, config_values

pytestmark = pytest.mark.adapters


def refusal(path: Path, text: str, **overrides: str) -> str:
    """What is said of a config; nothing may have been made beside it."""
    file = path / "config.yaml"
    file.write_text(text, encoding="utf-8", errors="surrogateescape")
    there = sorted(path.iterdir())
    with pytest.raises(ValueError) as caught:
        prepare_training(file, overrides)
    assert sorted(path.iterdir()) == there
    return " ".join(str(caught.value).split())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("eval_against: [gredy]", r"eval_against='gredy' is not allowed: unknown agent 'gredy' .did you mean 'g"),
        ("eval_against: ['zoo:classic-4p']", "eval_against='zoo:classic-4p' is not allowed: .* for other rules"),
        ("eval_against: ['tuned?weights=none.json']", "'none.json' holds no weights of tuned: No such file"),
        ("rules: {name: 5}", "unknown rule 'name'"),
        ("rules: {cls: 5}", "unknown rule 'cls'"),
        ("rules: {5: 1}", "unknown rule 5|choose"),
        ("eval_against: greedy", "eval_against='greedy' is not allowed: choose a list, each element a text"),
        ("hidden: []", r"hidden=\[\] is not allowed: choose a list of 1 to 64"),
        ("hidden: [65536, 65536]", r"hidden=\[65536, 65536\] is not allowed: the policy would have 17,"),
        ("num_envs: 1e12", "num_envs=1000000000000 is not allowed: that takes .* GiB of memory or more, and"),
        ("num_steps: 1e12", "num_envs=2048 with num_steps=1000000000000 is not allowed: that takes"),
        ("eval_deals: 1e14", "eval_deals=100000000000000 is not allowed: that takes"),
        ("{algorithm: tools.sb3_dqn:SB3DQN, buffer_size: 1e12}", "buffer_size=1000000000000 is not allowed: that"),
        ("{algorithm: tools.sb3_dqn:SB3DQN, minibatch_size: 1e12}", "minibatch_size=1000000000000 is not allowed"),
        ("{algorithm: tools.sb3_dqn:SB3QRDQN, n_quantiles: 1e12}", "n_quantiles=1000000000000 is not allowed: that"),
        ("{algorithm: sb3_ppo, num_steps: 1e12}", "num_envs=256 with num_steps=1000000000000 is not allowed: that"),
        ("{algorithm: sb3_ppo, eval_against: [nobody]}", "eval_against='nobody' is not allowed"),
        ("{algorithm: dmc, eval_against: [nobody]}", "eval_against='nobody' is not allowed"),
        ("{algorithm: sb3_ppo, opponents: [nobody]}", "unknown agent 'nobody'"),
        ("{algorithm: sb3_ppo, opponents: []}", r"opponents=\[\] is not allowed: name one agent or more"),
        ("{algorithm: sb3_ppo, opponents: [greedy, random], num_envs: 1}", "num_envs=1 is not allowed with 2"),
        ("{algorithm: sb3_ppo, opponents: [runs/none.safetensors]}", "there is no such file"),
        ("{algorithm: tools.sb3_dqn:SB3DQN, minibatch_size: 1}", "minibatch_size=1 is not allowed"),
        ("rules: {preset: duel, stacking: sometimes}", "stacking='sometimes' is not allowed"),
        ("players: 11", "players=11 is not allowed"),
        ("{league_share: 1, league_learners: 2}", "league_learners=2 is not allowed with 2 players: choose 1 or less"),
        ("{league_share: 1, league_size: 0, league_scripted: []}", r"league_scripted=\[\] is not allowed with league"),
        ("{league_share: 1, league_scripted: [greedy, greedy]}", "it names a member twice"),
        ("{league_share: 1, league_scripted: [greddy]}", r"unknown agent 'greddy' \(did you mean 'greedy'"),
        ("{league_share: 1, league_scripted: ['cheat:flat']}", "'cheat:flat' is not allowed: an agent that sees all"),
        ("league_share: 1.5", "league_share=1.5 is not allowed: choose a number from 0 to 1"),
        ("{algorithm: response, league_share: 0.5}", "league_share=0.5 is not allowed: choose one of 1.0"),
        ("players: []", r"players=\[\] is not allowed: choose one or more, all different"),
        ("players: [2, 3, 2]", r"players=\[2, 3, 2\] is not allowed: choose one or more, all different"),
        ("players: [2, 11]", r"players=\[2, 11\] is not allowed: choose a whole number from 2 to 10 or a list"),
        ("{players: [2, 3], num_envs: 1}", "num_envs=1 is not allowed with 2 tables of different rules: choose 2"),
        ("{players: [2, 3], league_share: 1, league_learners: 2}", "league_learners=2 is not allowed with 2 players"),
        ("{players: [2, 3], algorithm: sb3_ppo}", r"players=\[2, 3\] is not allowed here: choose one number"),
        ("{rules: flip, random_rules: 3}", "random_rules=3 is not allowed with edition='flip': rules are drawn for"),
        ("rules: {edition: classic, deck: flip}", "deck='flip' is not allowed with edition='classic'"),
        ("ent_coef_shape: square", "ent_coef_shape='square' is not allowed: choose one of 'linear', 'cosine', 'cons"),
        ("total_timesteps: 1" + "0" * 400, r"total_timesteps=1000.*\.\.\. is not allowed: choose a whole number"),
        ("total_timesteps: " + "9" * 5000, "this config is not YAML"),
        ("learning_rate: .inf", "learning_rate=inf is not allowed: choose a number, 0 or more and 1e[+]09 at most"),
        ("learning_rate: .nan", "learning_rate=nan is not allowed"),
        ("max_minutes: -.inf", "max_minutes=-inf is not allowed"),
        ("max_minutes: 1e400", "max_minutes=inf is not allowed"),
        ("algorithm: [ppo]", r"algorithm=\['ppo'\] is not allowed .*: choose one of 'ppo'"),
        ("algorithm: pppo", r"algorithm='pppo' is not allowed \(did you mean 'ppo'\?\): choose one of"),
        ("algorithm: {ppo: 1}", "algorithm={'ppo': 1} is not allowed"),
        ("name: [a]", r"name=\['a'\] is not allowed: choose a text"),
        ("rules: [duel]", r"rules=\['duel'\] is not allowed"),
        ("device: [cpu]", "is not allowed: choose one of 'cpu', 'cuda'"),
        ("seed: 1\nseed: 2", "this config is not YAML .the key 'seed' stands twice in line 2"),
        ("rules: {players: 2, players: 3}", "the key 'players' stands twice in line 1"),
        ("seed: !!int 3", "the tag 'tag:yaml.org,2002:int' is not read in line 1"),
        ("name: !!python/object/apply:os.system [ls]", "is not read in line 1"),
        ("name: !!bool foo", "is not read in line 1"),
        ("rules: !!set {a, b}", "is not read in line 1"),
        ("a: &a [1]\nb: *a", "anchors and aliases are not read in line 1"),
        ("&a [*a]", "anchors and aliases are not read"),
        ("seed: 0x_", "this config is not YAML"),
        ("? [1, 2]\n: 3", "this config is not YAML .found unhashable key"),
        ("[" * 5000, "this config is not YAML"),
        ("a: " * 5000, "this config is not YAML"),
        ("name: " + "x" * 200_000, "this config is not YAML .it has 200,006 characters, and at most 100,000 are read"),
        ("%YAML 9.9\n---\nseed: 1", "this config is not YAML .found incompatible YAML document"),
        ("seed: 1\n---\nseed: 2", "this config is not YAML .but found another document"),
        (f"seed: {2**64}", "seed=18446744073709551616 is not allowed: choose a whole number"),
        ("seed: 2024-01-01", "seed='2024-01-01' is not allowed"),
        ("\tseed: 1", "this config is not YAML"),
        ("seed: 1\x00", "this config is not YAML"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_config_is_one_sentence_and_makes_nothing(text: str, sentence: str, tmp_path: Path) -> None:
    assert re.search(sentence, refusal(tmp_path, text, folder=str(tmp_path / "runs")))


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/b", "..", ".", "a\\b", "a\0b", "a\nb", "x" * 201, "é" * 150])
def test_a_name_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, yaml.safe_dump({"name": name, "folder": str(tmp_path / "runs")}))
    assert "is not allowed: choose a name for a folder, without / and \\" in said


def test_folders_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    for folder, reason in (
        (["a"], "choose a text"),
        (tmp_path / "file", "is no folder"),
        (tmp_path / "file" / "below", "Not a directory"),
        (tmp_path / "pipe", "is no folder"),
        (tmp_path / "loop", "symbolic links"),
        ("x" * 300, "File name too long"),
        ("nul\0", "embedded null"),
        ("/proc/none", "cannot be written"),
    ):
        said = refusal(tmp_path, yaml.safe_dump({"folder": folder if isinstance(folder, list) else str(folder)}))
        assert "folder=" in said
        assert reason in said
    (tmp_path / "fine").mkdir()
    assert callable(prepare_training(Path("ppo_duel-2p"), {"folder": str(tmp_path / "fine" / "a" / "b")}))


def test_the_largest_seed_is_that_of_games(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(f"seed: {2**64 - 1}")
    assert callable(prepare_training(tmp_path / "config.yaml", {"folder": str(tmp_path)}))


def test_what_a_machine_has_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "machine_memory", lambda: 10_000_000)
    assert "and this machine has 0.0; choose less" in refusal(tmp_path, "seed: 1")
    monkeypatch.setattr(limits, "machine_memory", lambda: None)
    assert callable(prepare_training(tmp_path / "config.yaml", {"folder": str(tmp_path)}))


@pytest.mark.parametrize("name", ["ppo", "sb3_ppo"])
def test_names_of_other_libraries_are_no_keys_and_what_is_meant_is_one(name: str) -> None:
    keys = set(config_values(find_algorithm(name).config_class()))
    assert not keys & set(NAMES_ELSEWHERE)
    assert set(NAMES_ELSEWHERE.values()) <= keys


def test_mistakes_on_the_command_line_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, sentence in (
        (["--hidden", "[]"], "hidden=[] is not allowed"),
        (["--algorithm", "[ppo]"], "algorithm=['ppo'] is not allowed"),
        (["--seed", "!!int 3"], "seed='!!int 3' is not allowed: it is not YAML (the tag"),
        (["--name", "../x"], "name='../x' is not allowed"),
        (["--learning_rate", ".inf"], "learning_rate=inf is not allowed"),
        (["--seed", "9" * 5000], "is not allowed: it is not YAML"),
    ):
        assert main(["train", "ppo_duel-2p", "--folder", str(tmp_path / "runs"), *arguments]) == 2
        said = capsys.readouterr()
        assert sentence in said.err
        assert said.err.count("\n") == 1
        assert said.out == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*sorted({*ALGORITHMS} - {"distributed_ppo"}), "tools.sb3_dqn:SB3QRDQN"])
def test_configs_with_any_value_anywhere_work_or_are_one_sentence(name: str, tmp_path: Path) -> None:
    """A fuzz: hostile values in the place of each field's, of the rules' fields, and of elements of lists."""
    if "sb3" in name:
        pytest.importorskip("sb3_contrib")
    draw = random.Random(name)
    whole = config_values(find_algorithm(name).config_class()) | {"algorithm": name}
    whole |= {"rules": {"preset": "classic", "deck": {"r1": 2}, "reflexes": [1, 2], "stacking": "any"}}
    hostile: list[Any] = [
        None, True, 0, -1, 1, 2**63, 2**64, -(10**30), 10**18, 0.5, 1e308, float("inf"), float("nan"), "", " ", "\0",
        "..", "/", "~", "a" * 300, "zoo:", "search:", "tuned?weights=/dev/zero", "policy:/dev/stdin", [], [[]], [None],
        [1, "a"], ["greedy", "greedy"], ["random-play"] * 50, {}, {"a": 1}, {"preset": "duel", "players": [2]},
        {1: 2}, "\u202e", "🂡", "2024-01-01", "1:30", "0o17", [2, 3], [10**30], [0.5], "auto", "greedy?x=1",
    ]  # fmt: skip
    for _ in range(250):
        values = copy.deepcopy(whole)
        for _ in range(draw.choice((1, 1, 1, 2))):
            place = values["rules"] if draw.random() < 0.25 and isinstance(values["rules"], dict) else values
            place[draw.choice(list(place))] = draw.choice(hostile)
        file = tmp_path / "config.yaml"
        file.write_text(yaml.safe_dump(values))
        _works_or_is_one_sentence(file)


def test_texts_that_are_no_configs_are_one_sentence(tmp_path: Path) -> None:
    """A fuzz of the text: characters that YAML gives a meaning, and a config with some of its characters changed."""
    draw, whole = random.Random(0), yaml.safe_dump(config_values(find_algorithm("ppo").config_class()))
    signs = "&*!|>%@`\"'#{}[],?:- \n\t\0~=<" + string.ascii_letters[:6] + "019._"
    file = tmp_path / "config.yaml"
    for number in range(400):
        if number % 2:
            text = "".join(draw.choice(signs) for _ in range(draw.randrange(1, 40)))
        else:
            at = draw.randrange(len(whole))
            text = whole[:at] + draw.choice(signs) * draw.randrange(3) + whole[at + draw.randrange(3) :]
        file.write_text(text)
        _works_or_is_one_sentence(file)


def _works_or_is_one_sentence(file: Path) -> None:
    before, said = sorted(file.parent.iterdir()), "it works"
    try:
        prepare_training(file, {})
    except ValueError as error:
        said = str(error)
    except Exception as error:
        raise AssertionError(file.read_text()) from error
    assert said.strip(), file.read_text()
    assert sorted(file.parent.iterdir()) == before
