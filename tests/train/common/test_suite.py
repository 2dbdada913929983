"""train/common/suite.py and benchmark/: what is frozen stays as it is, and what pins it is looked at."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from agents.policy.policy_file import load_policy, save_policy
from tests.helpers import ROOT
from tools.benchmark import freeze
from tools.benchmark.course import choices_digest, first_course
from tools.benchmark.exact_games import game_rules
from tools.benchmark.rule_sets import (
    NEW_COMBINATIONS,
    NEW_SWITCHES,
    NEW_VALUES,
    VALUES,
    combines_anew,
    later_fields,
    rule_sets,
)
from train.cli.arguments import make_rules
from train.common import suite as suites
from train.common.suite import BOTTOM, LATEST, TOP, named_rules, read_suite, sha256, training_rules
from uno_env import Rules
from uno_env.common.files import write_json
from uno_env.extensive_form.game_tree import grow

SUITE = read_suite()
FROZEN = "c6a83ecb67df201395c60dbb807ad03c21980d1d8a36e0c57af27b4929091285"
"""SHA-256 of v1's manifest, and so of all files of the suite: another one is v2."""


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite of one's own to spoil."""
    shutil.copytree(ROOT / "benchmark" / LATEST, tmp_path / LATEST)
    monkeypatch.setattr(suites, "SUITES", tmp_path)
    return tmp_path / LATEST


def test_the_suite_is_frozen() -> None:
    assert SUITE.version == LATEST == "v1"
    assert sha256((SUITE.folder / "manifest.json").read_bytes()) == FROZEN
    for name in SUITE.tracks:
        assert SUITE.track(name).name == name
    for name in SUITE.manifest.positions:
        assert SUITE.positions_file(name).is_file()
    for name in SUITE.manifest.exact:
        assert SUITE.exact_game(name).name == name


def test_the_game_and_the_agents_do_what_the_suite_pins() -> None:
    assert freeze.differences() == []


def test_another_course_and_other_choices_are_noticed() -> None:
    track = SUITE.track("duel-2p")
    course, positions = first_course(track.table_rules("duel-2p"), track.seed)
    assert course == track.course
    for changes in ({"wild_draw_four": "free"}, {"hand_size": 6}):
        assert first_course([track.rules().replace(**changes)], track.seed)[0] != course
    assert first_course([track.rules()], track.seed + 1)[0] != course
    choices = {name: choices_digest(name, positions) for name in ("tuned", "greedy")}
    assert choices["tuned"] != choices["greedy"]
    assert choices["tuned"] == next(each.sha256 for each in track.opponents if each.name == "tuned")


@pytest.mark.parametrize("name", SUITE.tracks)
def test_every_track_spells_out_its_rules_and_has_both_ends_of_its_scale(name: str) -> None:
    track = SUITE.track(name)
    assert (track.name, track.suite) == (name, SUITE.version)
    assert track.digest == sha256((SUITE.folder / "tracks" / f"{name}.json").read_bytes())
    for table in (*track.tables.values(), track.training):
        for values in table:
            assert Rules.from_dict(values).to_dict() == {**values, **later_fields()}
            assert not set(values) & set(later_fields())
    for score, ends in track.scale.items():
        assert score in track.tables
        for opponent in track.opponent_specs():
            assert 0 < ends[BOTTOM][opponent] < ends[TOP][opponent] < 1
    for opponent in track.opponents:
        if opponent.file:
            load_policy(SUITE.folder / opponent.file)


def test_presets_are_those_of_their_names() -> None:
    for name, (preset, players, _) in freeze.PLAIN.items():
        rules = SUITE.track(name).table_rules(name)[0]
        assert rules.replace(max_decisions=10_000) == Rules.preset(preset, players=players)


@pytest.mark.parametrize("file", ["tracks/duel-2p.json", "policies/duel-2p.safetensors"])
def test_a_changed_file_is_refused(copied: Path, file: str) -> None:
    with (copied / file).open("ab") as opened:
        opened.write(b" ")
    with pytest.raises(ValueError, match=rf"{file}' is not the frozen file of suite v1"):
        read_suite().track("duel-2p")
    assert read_suite().track("classic-2p").name == "classic-2p"
    (copied / file).unlink()
    with pytest.raises(ValueError, match=rf"{file}' of the suite cannot be read: No such file"):
        read_suite().track("duel-2p")


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON", '{"suite": 1, "tracks": {}}'])
def test_a_damaged_manifest_is_refused(copied: Path, text: str) -> None:
    (copied / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match=r"manifest.json' is no manifest of a suite: "):
        read_suite()


def test_names_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r"suite 'v0' is not allowed: there are v1"):
        read_suite("v0")
    with pytest.raises(ValueError, match=r"track 'duel' is not allowed .did you mean 'duel-2p'.*unseen-rules"):
        SUITE.track("duel")
    with pytest.raises(ValueError, match="score 'unseen-rules/old' is not allowed"):
        SUITE.track_of_score("unseen-rules/old")
    with pytest.raises(ValueError, match="track 'duel-2p' is not allowed here: it has no list of rules"):
        training_rules("duel-2p")


# --- games that can be solved -----------------------------------------------------------------------------------------


def test_exact_games_are_those_of_the_rules_that_they_name() -> None:
    """Another value or another size breaks what was measured on them."""
    for name in SUITE.manifest.exact:
        game = SUITE.exact_game(name)
        assert game.name == name
        spelled_out = {**game.rules, **later_fields()}
        assert Rules.from_dict(game.rules).to_dict() == spelled_out == game_rules(name).to_dict()
    sizes = [SUITE.exact_game(name).information_states for name in SUITE.manifest.exact]
    assert sizes == sorted(sizes)
    assert sizes[0] > 100_000


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(SUITE.manifest.exact)[:2])
def test_exact_games_have_the_sizes_that_they_state(name: str) -> None:
    game, tree = SUITE.exact_game(name), grow(named_rules(name))
    assert (tree.nodes, len(tree)) == (game.nodes, game.information_states)


def test_exact_games_are_named_like_presets_and_changed_like_them() -> None:
    rules = named_rules("bluffs")
    assert rules == game_rules("bluffs")
    assert named_rules({"preset": "bluffs", "max_decisions": 5}) == rules.replace(max_decisions=5)
    assert make_rules("bluffs,hand_size=1", None, [], "mini") == rules.replace(hand_size=1)
    assert named_rules("duel") == named_rules({"preset": "duel"}) == Rules.preset("duel")
    with pytest.raises(ValueError, match="unknown preset 'bluff'"):
        named_rules("bluff")
    with pytest.raises(ValueError, match=r"game 'bluff' is not allowed .did you mean 'bluffs'.*: there are bluffs, "):
        SUITE.exact_game("bluff")


def test_a_changed_exact_game_is_refused(copied: Path) -> None:
    with (copied / "exact/bluffs.json").open("ab") as opened:
        opened.write(b" ")
    with pytest.raises(ValueError, match=r"exact/bluffs.json' is not the frozen file of suite v1"):
        named_rules("bluffs")


# --- unseen rules -----------------------------------------------------------------------------------------------------


def test_the_lists_are_those_that_were_drawn() -> None:
    track, drawn = SUITE.track("unseen-rules"), json.loads(json.dumps(rule_sets()))
    assert list(track.training) == drawn.pop("training")
    assert {name.partition("/")[2]: list(table) for name, table in track.tables.items()} == drawn


def test_nothing_that_is_held_out_is_trained_on() -> None:
    for rules in training_rules("unseen-rules"):
        values = rules.to_dict()
        assert all(values[name] in allowed for name, allowed in VALUES.items())
        assert not any(values[name] in held for name, held in NEW_VALUES.items())
        assert not any(values[name] in held for name, held in NEW_SWITCHES.items())
        assert not combines_anew(values)
    for pair in NEW_COMBINATIONS:
        for name, value in pair.items():
            assert any(rules.to_dict()[name] == value for rules in training_rules("unseen-rules"))


def test_each_list_holds_what_it_says_in_every_rule_set_and_nothing_else() -> None:
    track = SUITE.track("unseen-rules")
    lists = {name: [rules.to_dict() for rules in track.table_rules(f"unseen-rules/{name}")]
             for name in ("seen", "values", "combinations", "switches")}  # fmt: skip
    assert lists["seen"] == [rules.to_dict() for rules in training_rules("unseen-rules")][: len(lists["seen"])]
    for values in lists["values"]:
        assert sum(values[name] in held for name, held in NEW_VALUES.items()) == 1
        assert not any(values[name] in held for name, held in NEW_SWITCHES.items())
    for values in lists["switches"]:
        assert sum(values[name] in held for name, held in NEW_SWITCHES.items()) == 1
    for values in lists["combinations"]:
        assert combines_anew(values)
        assert all(values[name] in allowed for name, allowed in VALUES.items())


# --- making it anew ---------------------------------------------------------------------------------------------------


def test_it_is_made_anew_by_one_command_and_comes_out_the_same(
    copied: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What has not changed is not measured again: its scale is kept. Only a draft can be written anew."""
    monkeypatch.setattr(freeze, "measure_policy", None)
    manifest = json.loads((copied / "manifest.json").read_text())
    write_json(copied / "manifest.json", {**manifest, "suite": freeze.VERSION})
    before = {file.relative_to(copied): file.read_bytes() for file in copied.rglob("*.json")}
    if any(read_suite().track(name).opponents[-1].sha256 != sha256(freeze.policy_data(name, copied))
           for name in read_suite().tracks):  # fmt: skip
        pytest.skip("the zoo has gone on since")
    freeze.freeze(copied)
    assert {file.relative_to(copied): file.read_bytes() for file in copied.rglob("*.json")} == before


def test_a_card_that_was_measured_anew_changes_no_digest(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frozen, shipped = copied / "policies" / "duel-2p.safetensors", copied / "anew.safetensors"
    weights, card = load_policy(frozen)
    save_policy(shipped, weights, replace(card, evaluation=[{"opponent": "tuned"}]))
    monkeypatch.setattr(freeze, "policy_of", lambda track: shipped)
    assert freeze.policy_data("duel-2p", copied) == frozen.read_bytes() != shipped.read_bytes()
    weights["value.bias"] = weights["value.bias"] + 1
    save_policy(shipped, weights, card)
    assert freeze.policy_data("duel-2p", copied) == shipped.read_bytes()
