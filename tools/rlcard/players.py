"""RLCard's trained players by name: ``tools/rlcard/players.py:DMC?file=FILE`` and ``:NFSP?file=FILE``.

``python -m tools.rlcard train`` writes the files. ``uno evaluate``, ``uno benchmark run --policies`` and whatever else
takes an agent takes these names, by the rules ``rlcard``.
"""

from agents.rlcard.bridge import RLCardAgent, verify_rlcard_rules
from tools.rlcard.dmc_player import DMC_FILE, DMCPlayer
from tools.rlcard.nfsp_player import NFSP_FILE, NFSPPlayer
from uno_env.rules import Rules


class DMC(RLCardAgent):
    """RLCard's deep Monte Carlo.

    Args:
        file: what ``python -m tools.rlcard train`` wrote.
        seed: see :class:`agents.Agent`.
        rules: that it is to play by, if known.

    Raises:
        ValueError: the file holds no such network, or the rules are not those of RLCard.
    """

    def __init__(self, file: str, seed: int = 0, rules: Rules | None = None) -> None:
        verify_rlcard_rules("DMC", rules)
        super().__init__(DMCPlayer(DMC_FILE.load(file)), "DMC", seed)


class NFSP(RLCardAgent):
    """RLCard's neural fictitious self-play; see :class:`DMC` for the arguments."""

    def __init__(self, file: str, seed: int = 0, rules: Rules | None = None) -> None:
        verify_rlcard_rules("NFSP", rules)
        super().__init__(NFSPPlayer(NFSP_FILE.load(file)), "NFSP", seed)


FILES = {"dmc": DMC_FILE, "nfsp": NFSP_FILE}
"""The kind of file for each value of ``python -m tools.rlcard train --algorithm``."""


def spec_of(algorithm: str, file: str) -> str:
    """The spec with which :func:`agents.load` loads a file of ``dmc`` or ``nfsp``."""
    return f"tools/rlcard/players.py:{algorithm.upper()}?file={file}"
