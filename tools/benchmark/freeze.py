"""Makes the files of the suite anew, from the presets and the zoo of today; until it is declared frozen.

``python -m tools.benchmark freeze`` writes ``benchmark/v1/tracks``, ``exact``, ``policies``, ``manifest.json``. The
ends of each track's scale are measured; what has not changed since is not measured again. Scores of a changed track
are taken out of ``scores``: they cannot be compared any more. ``--final`` declares the suite frozen: its version loses
``-draft``, the digests of its tracks and so the scores stay what they are, and nothing can be written anew after it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents.policy.policy_file import load_policy
from agents.zoo.shipped import shipped_file
from tools import ROOT
from tools.benchmark.course import choices_digest, first_course
from tools.benchmark.exact_games import write_exact_games
from tools.benchmark.rule_sets import rule_sets, spelled_out
from train.benchmarks.measured_here import REGISTER, Register, Status, digest_of, read_register, status_of
from train.benchmarks.measuring import Trained, measure_policy
from train.benchmarks.submission import read_submissions
from train.common.suite import BOTTOM, LATEST, TOP, Opponent, Suite, Track, read_suite, sha256
from uno_env.common.files import read_file, read_json, replace_file, write_json, write_text
from uno_env.rules import Rules

FOLDER = ROOT / "benchmark" / LATEST
VERSION = f"{LATEST}-draft"
SEED = 20_320
"""Seed of the deals: none that anybody chose a policy on."""
SCRIPTED = (BOTTOM, "rlcard-rule", "tuned")
BUDGETS = (1_000_000, 20_000_000)
COUNTS = (
    "Share of hands in which the policy goes out first; a truncated hand counts 1 / players; each deal is played once "
    "from every seat, and the opponent has all other seats."
)
UNSEEN = "unseen-rules"
PLAIN: dict[str, tuple[str, int, int]] = {
    "duel-2p": ("duel", 2, 4_000),
    "classic-2p": ("classic", 2, 4_000),
    "classic-4p": ("classic", 4, 2_000),
    "house-4p": ("house", 4, 1_000),
    "rlcard-2p": ("rlcard", 2, 4_000),
}
"""Preset, players and deals of each track with one rule set."""
MOST_DECISIONS = 1_000
"""Decisions after which a hand is truncated."""
TRAINING: dict[str, int] = {"house-4p": 300}
"""Decisions after which a hand is truncated in training, where beginners would play on for thousands."""
MEASURED = ("tables", "opponents", "deals", "seed", "course")
"""The fields of a track that its scale depends on."""


def freeze(folder: Path = FOLDER, final: bool = False) -> Path:
    """Write the suite, and declare it frozen if it is ``final``; its manifest's file.

    Raises:
        ValueError: it is frozen already.
    """
    file = folder / "manifest.json"
    if file.is_file() and read_json(file)["suite"] != VERSION:
        raise ValueError(f"suite {LATEST} is frozen: a change makes the next version, in a folder of its own")
    before = _scales(folder)
    tracks = {}
    for track in all_tracks(folder):
        replace_file(folder / "policies" / f"{track.name}.safetensors", policy_data(track.name, folder))
        tracks[track.name] = _written(folder, track, before.get(track.name))
    there = [name for name in tracks if (folder / f"positions-{name}.json").is_file()]
    positions = {name: sha256(read_file(folder / f"positions-{name}.json")) for name in there}
    manifest = {"suite": LATEST if final else VERSION, "tracks": tracks, "positions": positions}
    write_json(file, {**manifest, "exact": write_exact_games(folder)})
    for submission in folder.glob("scores/*.json"):
        _keep_valid(submission, tracks)
    return file


def _keep_valid(file: Path, tracks: Mapping[str, str]) -> None:
    """Take the scores of other tracks' digests out of a submission; the file goes if none are left."""
    values = dict(read_json(file))
    kept = [
        score for score in values["scores"] if tracks.get(score["track"].partition("/")[0]) == score["track_digest"]
    ]
    if not kept:
        file.unlink()
    elif len(kept) < len(values["scores"]):
        write_text(file, submission_text({**values, "scores": kept}))


def register(files: Sequence[Path], suite: Suite, trained_here: bool = False) -> Path:
    """Write which runs of submissions were measured by the maintainers into ``measured.json`` of the suite, by which
    everybody's leaderboard knows them; its file.

    Submissions arrive as files, which say nothing that is believed. A maintainer measures their policies with ``uno
    benchmark submit``, and gives the file that this command wrote: the runs that it measured are written. If they were
    ``trained_here``, by this project's own commands, all runs are. Raises ValueError if a file is no submission.
    """
    before = read_register(suite)
    measured, code = dict(before.measured), dict(before.code)
    for submission in read_submissions(files, suite):
        name, runs = submission.card.name, submission.runs(suite)
        digests = {
            run: digest_of(scores)
            for run, scores in runs.items()
            if trained_here or run in submission.verified or status_of(name, run, scores, before) is not Status.CLAIMED
        }
        is_code = {
            run for run in digests if run in submission.code or before.code.get(name, {}).get(run) == digests[run]
        }
        measured[name] = {run: digest for run, digest in digests.items() if run not in is_code}
        code[name] = {run: digest for run, digest in digests.items() if run in is_code}
    kept = [{name: runs for name, runs in sorted(part.items()) if runs} for part in (measured, code)]
    write_json(suite.folder / REGISTER, asdict(Register(*kept)))
    return suite.folder / REGISTER


def submission_text(values: Mapping[str, Any]) -> str:
    """JSON of a submission with a line for each score."""
    lines = ",\n".join(json.dumps(score, allow_nan=False) for score in values["scores"])
    head = json.dumps({**values, "scores": []}, indent=1, ensure_ascii=False)
    return head.replace('"scores": []', f'"scores": [\n{lines}\n ]') + "\n"


def all_tracks(folder: Path = FOLDER) -> list[Track]:
    """The tracks as the presets and the zoo of today make them, without their scales."""
    return [*(_plain_track(name, folder) for name in PLAIN), _unseen_track(folder)]


def policy_of(track: str) -> Path:
    """The file of the zoo's policy for a track."""
    return shipped_file("any" if track == UNSEEN else track)


def policy_data(track: str, folder: Path = FOLDER) -> bytes:
    """The zoo's policy for a track. If the suite in a folder has the same one, it is the suite's file: a card that was
    measured anew changes no digest."""
    frozen, shipped = folder / "policies" / f"{track}.safetensors", policy_of(track)
    return read_file(frozen if frozen.is_file() and _is_same(frozen, shipped) else shipped)


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two files have the same network. Their cards, with training and strength, may differ."""
    (weights, card), (others, other_card) = load_policy(one), load_policy(other)
    bare, other_bare = (replace(each, trained_by={}, evaluation=[]) for each in (card, other_card))
    same = bare == other_bare and weights.keys() == others.keys()
    return same and all(np.array_equal(weights[name], others[name]) for name in weights)


def _scales(folder: Path) -> dict[str, dict[str, Any]]:
    """The tracks that are there already, by name."""
    return {file.stem: dict(read_json(file)) for file in folder.glob("tracks/*.json")}


def _plain_track(name: str, folder: Path) -> Track:
    preset, players, deals = PLAIN[name]
    rules = Rules.preset(preset, players=players, max_decisions=MOST_DECISIONS)
    training = [spelled_out(rules.replace(max_decisions=TRAINING[name]))] if name in TRAINING else []
    about = f"The preset {preset} for {players} players."
    return _track(name, about, {name: [spelled_out(rules)]}, deals, folder, training)


def _unseen_track(folder: Path) -> Track:
    lists = rule_sets()
    about = "Training on one list of rule sets; measured on it, and on new values, combinations and switches."
    measured = {f"{UNSEEN}/{name}": each for name, each in lists.items() if name != "training"}
    return _track(UNSEEN, about, measured, 50, folder, lists["training"])


def _track(
    name: str, about: str, tables: Mapping[str, list[dict[str, Any]]], deals: int, folder: Path, training: Any = ()
) -> Track:  # fmt: skip
    measured = [Rules.from_dict(values) for table in tables.values() for values in table]
    course, positions = first_course(measured, SEED)
    file = f"policies/{name}.safetensors"
    opponents = [Opponent(each, choices_digest(each, positions)) for each in SCRIPTED]
    opponents.append(Opponent(TOP, sha256(policy_data(name, folder)), file))
    return Track(
        name, about, {key: tuple(table) for key, table in tables.items()}, tuple(opponents), deals, SEED, BUDGETS,
        COUNTS, course, tuple(training), bool(training), folder=str(FOLDER),
    )  # fmt: skip


def _written(folder: Path, track: Track, before: Mapping[str, Any] | None) -> str:
    """Write a track's file with its scale; the SHA-256 of it."""
    track = replace(track, folder=str(folder))
    values = json.loads(json.dumps(_values(track)))
    if before is not None and all(before[name] == values[name] for name in MEASURED):
        scale = before["scale"]
    else:
        scale = _measured_scale(track)
    text = _text({**values, "scale": scale})
    write_text(folder / "tracks" / f"{track.name}.json", text)
    return sha256(text.encode())


def _measured_scale(track: Track) -> dict[str, Any]:
    scale: dict[str, Any] = {score: {} for score in track.tables}
    for name, spec in {BOTTOM: BOTTOM, TOP: track.opponent_specs()[TOP]}.items():
        for score in measure_policy(track, spec, Trained(name)):
            rates = scale[score.track].setdefault(name, {})
            rates[score.opponent] = float(np.round(score.win_rate, 6))
    return scale


def _values(track: Track) -> dict[str, Any]:
    left_out = ("scale", "suite", "digest", "folder")
    return {name: value for name, value in asdict(track).items() if name not in left_out}


def _text(values: Mapping[str, Any]) -> str:
    """JSON with a line for each rule set."""
    sets: list[str] = []

    def mark(table: Sequence[Any]) -> list[str]:
        first = len(sets)
        sets.extend(json.dumps(rules, ensure_ascii=False) for rules in table)
        return [f"@{number}@" for number in range(first, len(sets))]

    tables = {name: mark(table) for name, table in values["tables"].items()}
    marked = {**values, "tables": tables, "training": mark(values["training"])}
    text = json.dumps(marked, indent=1, ensure_ascii=False)
    return re.sub(r'"@(\d+)@"', lambda match: sets[int(match[1])], text) + "\n"


def differences() -> list[str]:
    """List the differences between the suite and the game and agents of today; a line each."""
    suite, wrong = read_suite(), []
    for name in suite.tracks:
        track = suite.track(name)
        measured = [rules for score in track.tables for rules in track.table_rules(score)]
        course, positions = first_course(measured, track.seed)
        if course != track.course:
            wrong.append(f"{name}: the first deals take another course")
        for each in track.opponents:
            if not each.file and choices_digest(each.name, positions) != each.sha256:
                wrong.append(f"{name}: {each.name} chooses otherwise")
    return wrong
