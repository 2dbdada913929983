"""The runs of a submission that were measured here, and those that are claimed: :func:`status_of`.

A file cannot say this of itself, and nobody can say it of his own machine. ``measured.json`` in the suite's folder
lists the runs that the maintainers measured with this project's commands (``python -m tools.benchmark register`` writes
it). All others are claims.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Annotated

from msgspec import Meta

from train.common.suite import Suite
from train.evaluation.scores import Score
from uno_env.common.files import read_json
from uno_env.common.validation import convert

REGISTER = "measured.json"
"""In the folder of a suite."""

_Runs = Mapping[str, Mapping[str, Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z", title="64 hexadecimal digits")]]]


class Status(Enum):
    """The source of the scores of a run."""

    MEASURED = "measured here"
    """By this project's own command, from a policy that is data, or an agent of this project."""
    CODE = "code, not isolated"
    """Measured here, too, but the policy is code: it ran beside the game, whose memory holds all hands."""
    CLAIMED = "claimed"
    """By its author."""


@dataclass(frozen=True)
class Register:
    """``measured.json``: by submission and run, the SHA-256 of its scores."""

    measured: _Runs = field(default_factory=dict)
    code: _Runs = field(default_factory=dict)
    """Those of policies that are code."""


def read_register(suite: Suite) -> Register:
    """The register of a suite. Raises ValueError if its file is none."""
    file = suite.folder / REGISTER
    try:
        return convert(read_json(file), Register) if file.is_file() else Register()
    except ValueError as error:
        raise ValueError(f"{str(file)!r} is no register of the suite: {error}") from None


def status_of(name: str, run: str, scores: Sequence[Score], register: Register) -> Status:
    """The status of a submission's run with its scores."""
    digest = digest_of(scores)
    if register.measured.get(name, {}).get(run) == digest:
        return Status.MEASURED
    return Status.CODE if register.code.get(name, {}).get(run) == digest else Status.CLAIMED


def digest_of(scores: Sequence[Score]) -> str:
    """SHA-256 of the scores of a run, in any order."""
    plain = [asdict(score) for score in sorted(scores, key=lambda score: (score.track, score.opponent))]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
