"""Which runs of a submission were measured here, and which are claimed: :func:`status_of`.

A file cannot say this of itself. ``uno benchmark submit`` seals the scores that it measures with a key of the user, and
``measured.json`` in the suite's folder, which its maintainers write (``python -m tools.benchmark register``), lists the
runs that they measured.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from train.common.suite import Suite
from train.evaluation.scores import Score
from uno_env.common.files import read_file, read_json, replace_file
from uno_env.common.validation import convert

REGISTER = "measured.json"
"""In the folder of a suite."""
_KEY_BYTES = 32

Seal = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z", title="64 hexadecimal digits")]
_Runs = Mapping[str, Mapping[str, Seal]]


class Status(Enum):
    """Where the scores of a run are from."""

    MEASURED = "measured here"
    """By this project's own command, from a policy that is data, or an agent of this project."""
    CODE = "code, not isolated"
    """Measured here, too, but the policy is code: it ran beside the game, whose memory holds all hands."""
    CLAIMED = "claimed"
    """By its author."""


@dataclass(frozen=True)
class Proof:
    """What ``uno benchmark submit`` writes of a run that it measured."""

    policy: Annotated[str, Meta(max_length=200)]
    """SHA-256 of the policy's file; of an agent without one, its name."""
    code: bool
    """Whether the policy is code."""
    seal: Seal


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


def status_of(name: str, run: str, scores: Sequence[Score], proof: Proof | None, register: Register) -> Status:
    """The status of a run with its scores, by the proof that its submission has, if any, and by the register."""
    digest = digest_of(scores)
    if register.measured.get(name, {}).get(run) == digest:
        return Status.MEASURED
    if register.code.get(name, {}).get(run) == digest:
        return Status.CODE
    if proof is None or not is_sealed(sealed_values(run, scores, proof.policy, proof.code), proof.seal):
        return Status.CLAIMED
    return Status.CODE if proof.code else Status.MEASURED


def digest_of(scores: Sequence[Score]) -> str:
    """SHA-256 of the scores of a run, in any order."""
    return hashlib.sha256(_text(_plain(scores))).hexdigest()


def proof_of(run: str, scores: Sequence[Score], policy: str, code: bool) -> Proof:
    """The proof of a run that was just measured."""
    return Proof(policy, code, seal(sealed_values(run, scores, policy, code)))


def sealed_values(run: str, scores: Sequence[Score], policy: str, code: bool) -> dict[str, Any]:
    """What the seal of a proof is made from."""
    return {"run": run, "policy": policy, "code": code, "scores": _plain(scores)}


def seal(values: Any) -> str:
    """The seal of plain values: their HMAC-SHA256 by the user's key."""
    return hmac.new(_key(), _text(values), hashlib.sha256).hexdigest()


def is_sealed(values: Any, text: str) -> bool:
    """Whether a text is the seal of plain values."""
    return hmac.compare_digest(seal(values).encode(), text.encode())


def _plain(scores: Sequence[Score]) -> list[dict[str, Any]]:
    return [asdict(score) for score in sorted(scores, key=lambda score: (score.track, score.opponent))]


def _text(values: Any) -> bytes:
    return json.dumps(values, sort_keys=True).encode()


def key_file() -> Path:
    """Return the file of the key, which only the user can read. It is made at the first use."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "uno-env" / "seal.key"


@cache
def _key() -> bytes:
    try:
        file = key_file()
        if not file.is_file():
            replace_file(file, secrets.token_bytes(_KEY_BYTES), private=True)
        key = read_file(file, _KEY_BYTES)
        if len(key) == _KEY_BYTES:
            return key
    except (OSError, RuntimeError):  # no home that can be written: this process alone believes what it measures
        pass
    return secrets.token_bytes(_KEY_BYTES)
