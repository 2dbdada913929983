"""Figures of benchmarks that are saved in the repository, and the tables of the pages that are made from them.

``python -m tools.docs.saved_figures FILE`` saves the figures of a file that ``tools.ladder``
or ``uno benchmark chat`` wrote with ``--json`` in ``tools/docs/figures``; ``python -m
tools.environment_speed --json tools/docs/figures/env_speed.json`` writes its own.

``python -m tools.docs.saved_figures FILE FILE --name options``
puts together what ``uno benchmark run`` wrote: the scores are published in ``docs/benchmarks/scores``, and how they
were made is saved beside the other figures. ``python -m tools.docs.tables`` writes the tables.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.policy.policy_file import load_policy
from agents.zoo.shipped import KIND, shipped, shipped_file, track_rules
from tools import ROOT, environment_speed, ladder
from tools.benchmark.freeze import SCRIPTED
from tools.zoo.cards import training
from train.benchmarks import chat_report
from train.benchmarks.algorithms import budget
from train.benchmarks.comparison import compare, tables
from train.common.suite import BOTTOM, TOP, read_suite
from train.common.table import MarkdownTable
from train.evaluation.estimate import Estimate
from train.evaluation.played_by import played_by
from train.evaluation.scores import Score, add_score, read_scores, scores_of, write_scores
from uno_env.common.files import write_json
from uno_table.hands import own_hands

FOLDER = Path(__file__).parent / "figures"
LADDER, SPEED = "ladder.json", "env_speed.json"
EXPLOITABILITY, CHAT = "exploitability.json", "chat.json"
SCORES = ROOT / "docs" / "benchmarks" / "scores"
STUDY = ROOT / "docs" / "study"
STUDIES = tuple(sorted(file.stem for file in STUDY.glob("*.jsonl")))
COMPARISONS = ("symmetry", "options", "rlcard")
"""Comparisons by minutes that are published: with and without symmetry, PPO by its options, and with RLCard's."""


def save_comparison(files: Sequence[Path], name: str, folder: Path = FOLDER, scores: Path = SCORES) -> None:
    """Put together what ``uno benchmark run`` wrote, and save it as a published comparison.

    Raises:
        ValueError: a file holds no benchmark of algorithms, or two hold different scores of the same run.
    """
    made: list[dict[str, Any]] = []
    found: dict[tuple[Any, ...], Score] = {}
    for file in files:
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            measured = values["algorithms"]
            names = "minutes", "decisions", "deals", "commit", "date", "machine"
            made.append({"command": values["command"], **{name: measured[name] for name in names}})
            each = scores_of(measured)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{str(file)!r} holds no benchmark of algorithms: {error!r}") from None
        for score in each:
            add_score(found, score)
    for track, deals in _final_deals(
        score for score in found.values() if not (score.track_digest and score.is_end)
    ).items():
        if len(deals) > 1:
            raise ValueError(
                f"{track} was measured on {' and '.join(f'{n:,}' for n in deals)} deals: measure all on as many"
            )
    write_scores(scores / f"{name}.jsonl", found.values())
    write_json(folder / f"{name}.json", {"made": made})


def _final_deals(scores: Iterable[Score]) -> dict[str, list[int]]:
    """The numbers of deals behind the final scores on each track."""
    final = [score for score in scores if score.final]
    return {track: sorted({score.deals for score in final if score.track == track})
            for track in {score.track: None for score in final}}  # fmt: skip


def elo_by_track(figures: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """The ladder as `uno me` knows it: whole Elo points of each agent on each track."""
    return {
        name: {agent["name"]: round(agent["elo"][0]) for agent in track["agents"]}
        for name, track in figures["tracks"].items()
    }


def save(file: Path, folder: Path = FOLDER, elo: Path = own_hands.LADDER) -> None:
    """Save the figures of what a benchmark of agents or chats wrote; those of the ladder in ``elo``, too.

    Raises:
        ValueError: the file holds neither.
    """
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
        command = {"command": values["command"]}
        if "ladder" in values:
            figures = ladder.figures(values["ladder"])
            write_json(folder / LADDER, {**command, **figures})
            write_json(elo, elo_by_track(figures))
            return
        reports = {**_read(folder / CHAT), values["chat_report"]["agent"]: {**command, **values["chat_report"]}}
        chat_report.summary(list(reports.values()))
        write_json(folder / CHAT, reports)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{str(file)!r} holds no ladder and no report on a chat: {error!r}") from None


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else {}


def ladder_tables() -> str:
    """The tables of the saved ladder, with what they were made by."""
    saved = _read(FOLDER / LADDER)
    played = played_by(players_of_figures()[LADDER])
    return f"{_made_by(saved)}, seed {saved['seed']}.\n\n{ladder.tables(saved)}" + (f"\n\n{played}" if played else "")


def comparison_tables(name: str, folder: Path = FOLDER, scores: Path = SCORES) -> str:
    """The tables of a published comparison of algorithms, with what it was made by."""
    made = _read(folder / f"{name}.json")["made"]
    lines = [
        f"- {_made_by(each)}, {_threads(each['machine']['threads'])}, {each['deals']:,} duplicate deals against each "
        "opponent"
        for each in made
    ]
    compared = compare(read_scores([scores / f"{name}.jsonl"]))
    kept = f"{budget(made[0], compared)} each, "
    shown = [table.markdown() for table in tables(compared, kept, made[0]["decisions"])]
    return "\n\n".join(["\n".join(lines), *shown])


def _threads(number: int) -> str:
    return "one thread" if number == 1 else f"{number} threads"


def players_of_study(name: str) -> str:
    """Tell which shipped policies played for a page of the study, and whether they have been replaced since."""
    return played_by(players_of_figures()[f"{name}.jsonl"])


def players_of_figures() -> dict[str, set[tuple[str, str]]]:
    """The shipped policies behind each file of saved figures: specs, each with its digest, empty if not recorded."""
    tracks = _read(FOLDER / LADDER)["tracks"].values()
    ladder_players = {(row["name"], row.get("digest", "")) for track in tracks for row in track["agents"]}
    players = {LADDER: ladder_players}
    for name in STUDIES:
        players[f"{name}.jsonl"] = named = set()
        for row in map(json.loads, (STUDY / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
            named |= {
                (row[label], row.get(f"{label}_digest", "")) for label in ("spec", "opponent_spec") if label in row
            }
    return {file: {(spec, digest) for spec, digest in named if KIND in spec} for file, named in players.items()}


def exploitability_table() -> str:
    """The saved exploitabilities: of agents, and of the solver as it went on."""
    saved = _read(FOLDER / EXPLOITABILITY)
    rows = [[f"`{each['agent']}`", f"{each['exploitability']:.3f}"] for each in saved["exploitabilities"]]
    rows += [[f"CFR, {iterations} iterations", f"{value:.6f}"] for iterations, value in saved["solution"]["curve"]]
    size = f"{saved['nodes']:,} nodes and {saved['information_states']:,} information states"
    made_by = f"Code of commit {saved['commit']} ({saved['date']}); the tree has {size}."
    return f"{made_by}\n\n{MarkdownTable('', ('who', 'exploitability'), rows).markdown()}"


def chat_table() -> str:
    """The saved reports of our own agents through the text door."""
    reports = list(_read(FOLDER / CHAT).values())
    lines = "\n".join(f"- {_made_by(each)}" for each in reports)
    return f"{chat_report.summary(reports).markdown()}\n\n{lines}"


def _made_by(figures: Mapping[str, Any]) -> str:
    return f"`{figures['command']}`, code of commit {figures['commit']} ({figures['date']})"


def speed_table() -> str:
    """The saved speeds of the environments."""
    measured = _read(FOLDER / SPEED)["speed"]
    table, start, memory = environment_speed.table(measured), measured["start"], measured["memory"]
    table = MarkdownTable("", table.headings[:-1], [row[:-1] for row in table.rows])
    return (
        f"{table.markdown()}\n\n"
        f"Import and first step: {start['cold']:.1f} s at first, {start['warm']:.2f} s once compiled. Memory: "
        f"{memory['all']:,.0f} bytes a game in a batch of {memory['games']:,}, {memory['record']:,} of them its state, "
        "the rest what is seen of it."
    )


def overview() -> str:
    """A table of all shipped policies, from their cards, with win rates of each against some opponents."""
    rows = []
    for name in shipped():
        card = load_policy(shipped_file(name))[1]
        rates = {line["opponent"]: Estimate.from_dict(line, "win_rate").text() for line in card.evaluation}
        par = f"{1 / track_rules(name).players:.0%}"
        cells = [rates.get(opponent, "") for opponent in SCRIPTED]
        rows.append([f"`{KIND}:{name}`", par, *cells, training(card.trained_by)])
    headings = ["policy", "par", *(f"v `{opponent}`" for opponent in SCRIPTED), "trained for"]
    return MarkdownTable("", headings, rows).markdown()


def tracks_table() -> str:
    """The tracks of the suite."""
    suite, rows = read_suite(), []
    for name in suite.tracks:
        track = suite.track(name)
        for score, ends in track.scale.items():
            rates = [f"{100 * sum(rates.values()) / len(rates):.1f}" for rates in ends.values()]
            sets = str(len(track.tables[score]))
            rows.append([f"`{score}`", sets, f"{track.deals:,}", *rates, f"`{track.digest[:12]}`"])
    headings = ["score", "rule sets", "deals for each", f"`{BOTTOM}`", f"`{TOP}`", "SHA-256 of the track"]
    table = MarkdownTable("", headings, rows).markdown()
    return f"Suite {suite.version}. The two ends of the scale are mean win rates in per cent.\n\n{table}"


def main(arguments: Sequence[str]) -> None:
    """Save what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs.saved_figures")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--name", choices=COMPARISONS, help="the files are of uno benchmark run: save them as")
    named = parser.parse_args(arguments)
    try:
        if named.name:
            save_comparison(named.files, named.name)
        else:
            for file in named.files:
                save(file)
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
