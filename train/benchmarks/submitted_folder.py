"""The folder of a submission, which anybody may have written: its card, and the names of its policies.

Nothing outside the folder is read: a link, an absolute path or ``..`` that leads out of it is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

import agents
from agents.options import split_options
from agents.policy.policy_file import policy_path
from agents.trust import DATA_KINDS, Risk, risk_of, verify_name
from train.benchmarks.checked_scores import MOST_DECISIONS
from train.runs.strict_yaml import parse_yaml
from uno_env.common.files import read_text
from uno_env.common.spelling import did_you_mean
from uno_env.common.validation import convert, short_repr

CARD = "submission.yaml"
_POLICY = "policy:"

_LINK = r"^(https?://[\w.~:/?#@!$&*+,;=%-]{1,500})?\Z"
"""Addresses that mean nothing else in Markdown."""
_Text = Annotated[str, Meta(min_length=1, max_length=2_000)]


@dataclass(frozen=True)
class Card:
    """``submission.yaml``: a description of the submission in words."""

    name: Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,39}\Z", title="lower case, digits, dot, dash")]
    """Its name on the leaderboard."""
    authors: _Text
    about: _Text
    """The algorithm, its network, its opponents in training, and its tuning."""
    link: Annotated[str, Meta(pattern=_LINK, title="an address that begins with https:// or http://")] = ""
    """Address of the code."""
    algorithm: str = ""
    """Its name in ``scores.jsonl``, if others are there too."""
    decisions: Annotated[int, Meta(ge=0, le=MOST_DECISIONS)] = 0
    """Decisions of all seats that each policy was trained for, where no scores say it."""
    choices: Annotated[int, Meta(ge=0, le=MOST_DECISIONS)] = 0
    """Decisions of these that it learned from; 0: unknown."""
    policies: Mapping[str, tuple[str, ...]] | None = None
    """By track a policy for each seed: a file or a run's folder, or ``module:Class``. Without it those of the runs
    that ``scores.jsonl`` tells of."""


def read_card(folder: Path) -> Card:
    """The card of a folder. Raises ValueError if there is none, or one of its values is not allowed."""
    path = inside(folder, CARD)
    if not path.is_file():
        raise ValueError(f"{str(folder)!r} holds no {CARD}: write one with name, authors and about")
    try:
        return convert(parse_yaml(read_text(path)), Card)
    except ValueError as error:
        raise ValueError(f"{str(path)!r} is no card: {error}") from None


def inside(folder: Path, name: str) -> Path:
    """The path of a name in a folder. Raises ValueError if it leads out of the folder, or no file can have it."""
    path = folder / name
    outside = Path(name).is_absolute() or ".." in Path(name).parts
    try:
        target = path.resolve()
    except ValueError:  # NUL, or half of a surrogate pair
        raise ValueError(f"{short_repr(name)} is not allowed: no file can have this name") from None
    if outside or not target.is_relative_to(folder.resolve()):
        raise ValueError(
            f"{short_repr(name)} leads out of {str(folder)!r}: a submission names files of its own folder alone"
        )
    return path


def spec_of(folder: Path, policy: str, trust_code: bool = False) -> str:
    """The spec for :func:`agents.load` of a policy as a card names it: its files are those of the folder.

    ``trust_code`` says whether it may be code. Raises ValueError if it is and may not, calls an address, sees all
    hands, or names a file that is not in the folder.
    """
    verify_name(policy, "policy ", (Risk.CODE,) if trust_code else ())
    body, options = split_options(policy)
    kind, colon, _ = body.partition(":")
    if risk_of(body) is Risk.CODE:
        source, _, name = body.rpartition(":")
        body = f"{inside(folder, source)}:{name}" if source.endswith(".py") else body
    elif (kind == "policy" and colon) or not (kind in DATA_KINDS or body in agents.names()):
        body = str(_file(folder, body.removeprefix(_POLICY), policy))
    told = "&".join(f"{option}={_option(folder, value)}" for option, value in options.items())
    return f"{body}?{told}" if told else body


def _file(folder: Path, name: str, policy: str) -> Path:
    """The file of a policy, or the folder of a run, in the folder. Raises ValueError if it is not there."""
    path = inside(folder, name)
    if not policy_path(path).is_file():
        meant = did_you_mean(policy, agents.names())
        raise ValueError(f"{policy!r} is no usable policy: there is no such file in {str(folder)!r}{meant}")
    if path.is_dir():
        inside(folder, str(policy_path(path).relative_to(folder)))
    return path


def _option(folder: Path, value: str) -> str:
    """The value of an option; a file that it names is one of the folder. Raises ValueError if it is another one."""
    name = value.removeprefix(_POLICY)
    if policy_path(folder / name).is_file() or "/" in name or "\\" in name or policy_path(name).is_file():
        return str(_file(folder, name, value))
    return value
