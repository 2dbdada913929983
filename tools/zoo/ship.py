"""A run's policy is measured and becomes a file of the package: :func:`prepare` and :func:`add`."""

import dataclasses
import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from agents.policy.policy_file import POLICY_SUFFIX, PolicyCard, Weights, check_rules, load_policy, save_policy
from agents.scripted.agent import STRATEGIES
from agents.zoo import shipped as zoo
from agents.zoo.shipped import KIND, track_rules
from tools import ladder
from tools.ladder import REPORT_SEED
from tools.zoo.cards import model_card
from train.benchmarks.measuring import code_version
from train.common.job import ResumableJob
from train.common.options import Deals, Seed
from train.evaluation.crosstable import compare
from train.evaluation.estimate import Estimate
from train.evaluation.lineups import against
from train.evaluation.tournament import Plan, identify, is_slow, open_job, play
from train.evaluation.tournament_report import gather
from uno_env.common.files import read_json, read_text, write_text
from uno_env.rules import Rules

MAX_BYTES = 2_000_000
"""Size of a shipped file."""


@dataclass(frozen=True)
class ShipPlan:
    """Measure a run's policy against the agents of the ladder, and write its file and its model card. The same command
    resumes."""

    target: Annotated[Path, Meta(title="RUN")]
    """the folder of a run, or a saved policy"""
    name: str
    """the name: a preset, the number of players, and more if needed, such as duel-2p"""
    deals: Deals = 20_000
    """duplicate deals against each agent"""
    search_deals: Annotated[int, Meta(ge=0)] = 500
    """duplicate deals in duel against an agent that searches, a tenth of them elsewhere; 0: none"""
    seed: Seed = REPORT_SEED
    """seed of the deals and of the agents, not one on whose deals the policy was chosen"""


@dataclass(frozen=True)
class Candidate:
    """A policy that is to be shipped."""

    name: str
    file: Path
    """The file that ships, and that is measured: the final weights, with the run's card."""
    plan: Plan
    job: ResumableJob
    origin: Mapping[str, Any]
    """The card's notes on the commands, the machine and the code."""


def prepare(ship: ShipPlan) -> Candidate:
    """Check everything before hours of work.

    Raises:
        ValueError: there is no such policy, it is for other rules or too large, or the name says no rules.
    """
    rules = track_rules(ship.name)
    single = ship.target.is_file()
    source = ship.target if single else ship.target / f"policy{POLICY_SUFFIX}"
    weights, card = load_policy(source)
    check_rules(str(source), card, rules)
    folder = (Path("runs") if single else ship.target) / KIND
    file = folder / f"{ship.name}{POLICY_SUFFIX}"
    half = _write(file, weights, card, ship.name)
    plan = _plan(str(file), rules, ship)
    identity = hashlib.sha256(json.dumps(identify(plan), sort_keys=True).encode()).hexdigest()[:12]
    job = open_job(plan, folder / f"{ship.name}-{identity}")
    return Candidate(ship.name, file, plan, job, {**_origin(ship.target), **code_version(), "half": half})


def _write(file: Path, weights: Weights, card: PolicyCard, name: str) -> bool:
    """Write the weights as they will be shipped; whether they had to be rounded to float16 for their size."""
    bare = dataclasses.replace(card, trained_by=_public(card.trained_by), evaluation=[])
    for half in (False, True):
        save_policy(file, weights, bare, half)
        if file.stat().st_size <= MAX_BYTES * 0.95:  # the table of strength comes on top
            return half
    raise ValueError(f"the policy has {file.stat().st_size:,} bytes as float16, and zoo:{name} may have {MAX_BYTES:,}")


def _plan(file: str, rules: Rules, ship: ShipPlan) -> Plan:
    opponents = [*STRATEGIES, *(ladder.SEARCHING if ship.search_deals else ())]
    is_short = rules.players == 2 and rules != track_rules("classic-2p")
    few = max(2, round(ship.search_deals * (1.0 if is_short else 0.1)))
    lineups = tuple(against(0, index, rules.players) for index in range(1, len(opponents) + 1))
    numbers = tuple(few if is_slow(opponent) else ship.deals for opponent in opponents)
    return Plan((file, *opponents), rules, lineups, numbers, ship.seed, tables="against")


def add(candidate: Candidate, workers: int = 0, folder: Path | None = None) -> Path:
    """Measure a policy, or go on with that, and ship it; its file.

    Raises:
        Interrupted: after Ctrl-C.
    """
    plan = candidate.plan
    title = f"{KIND}:{candidate.name} against {len(plan.lineups)} agents"
    games = gather(plan, play(plan, workers, candidate.job, title))
    cells = {
        opponent: compare(games, 0, index, shared=plan.rules.players == 2)
        for index, opponent in enumerate(plan.agents[1:], start=1)
    }
    weights, card = load_policy(candidate.file)
    card = dataclasses.replace(
        card,
        trained_by={**card.trained_by, **candidate.origin},
        evaluation=[_line(plan, opponent, cell) for opponent, cell in cells.items() if cell is not None],
    )
    path = (folder or zoo.FOLDER) / f"{candidate.name}{POLICY_SUFFIX}"
    save_policy(path, weights, card, bool(candidate.origin["half"]))
    write_text(path.with_suffix(".md"), model_card(path))
    return path


def _line(plan: Plan, opponent: str, cell: Estimate) -> dict[str, Any]:
    return {
        "opponent": opponent,
        **{name: round(value, 5) for name, value in cell.to_dict("win_rate").items()},
        "par": 1 / plan.rules.players,
        "deals": cell.n,
        "games": cell.n * plan.rules.players,
        "seed": plan.seed,
    }


def _origin(run: Path) -> dict[str, Any]:
    """Read the commands and the machine from a run's folder, as far as it has them."""
    origin: dict[str, Any] = {}
    versions, commands = run / "versions.json", run / "command.txt"
    if versions.exists():
        saved = read_json(versions)
        origin |= {name: saved[name] for name in ("cores", "cpu") if name in saved}
    if commands.exists():
        origin["commands"] = [_command(line) for line in read_text(commands).splitlines() if line]
    return origin


def _command(line: str) -> str:
    """A command as anyone would type it: without the paths of the machine it ran on."""
    words = shlex.split(line)[2:]  # after the Python and the script
    return shlex.join(["uno", *(_without_path(word) for word in words)])


def _public(value: Any) -> Any:
    """Plain values without the paths of the machine they come from."""
    if isinstance(value, Mapping):
        return {name: _public(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_public(each) for each in value]
    return _without_path(value) if isinstance(value, str) else value


def _without_path(text: str) -> str:
    """A text in which absolute paths are cut down to their last part."""
    return re.sub(r"(?:(?<=[\s=:,'\"(\[])|^)(?:~|[A-Za-z]:)?[/\\](?:[^/\\\s,'\"?&]+[/\\])*", "", text)
