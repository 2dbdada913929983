"""The players behind a page's figures: their digests, and sentences that say whether they are still the same."""

import hashlib
import re
from collections.abc import Iterable

import uno_env
from agents.policy.policy_file import load_policy
from agents.zoo.shipped import KIND, shipped, shipped_file
from train.evaluation.tournament import files_digest

_SHIPPED = re.compile(rf"\b{KIND}:([\w-]+)")


def player_digest(spec: str) -> str:
    """A digest of the player of a spec, 16 hexadecimal digits or a name; it changes when the player does.

    Of shipped policies that the spec names it is the SHA-256 of their weights: a card that is measured anew changes
    nothing. Of other files it is that of the files, and of agents without any the name and the version of the package.
    Raises ValueError if there is no such shipped policy.
    """
    names = _SHIPPED.findall(spec)
    if not names:
        return files_digest(spec) or f"{spec} of uno-env {uno_env.__version__}"
    digest = hashlib.sha256()
    for name in names:
        weights, _ = load_policy(shipped_file(name))
        for part in sorted(weights):
            digest.update(part.encode() + weights[part].tobytes())
    return digest.hexdigest()[:16]


def played_by(players: Iterable[tuple[str, str]]) -> str:
    """Lines that say which shipped policies have played, and which of them have been replaced since.

    Players are specs, each with the digest that it had, or an empty text where none was recorded.
    """
    return "\n".join(_line(spec, digest) for spec, digest in sorted(set(players)) if spec.startswith(f"{KIND}:"))


def _line(spec: str, digest: str) -> str:
    if not digest:
        return f"- Measured with a `{spec}` whose digest was not recorded: it may have been replaced since."
    name = spec.removeprefix(f"{KIND}:")
    if name in shipped() and player_digest(spec) == digest:
        return f"- Measured with `{spec}` of {digest}, which the package has now."
    return f"- Measured with `{spec}` of {digest}, which has been replaced since."
