"""Rules as the record that the compiled core reads: :func:`rules_record`."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from uno_env.core.record import FLAGS, NUMBERS, RULES, SWITCHES

if TYPE_CHECKING:
    from uno_env.rules.fields import Rules


@lru_cache(maxsize=256)
def rules_record(rules: "Rules", match: bool, reward_points: bool) -> np.record:
    """The rules as the compiled core reads them; read-only, since it is shared."""
    array = np.zeros(1, RULES)
    array["match"], array["reward_points"] = match, reward_points
    for name, values in (SWITCHES | FLAGS).items():
        array[name] = values.index(getattr(rules, name))
    for name in NUMBERS:
        array[name] = getattr(rules, name)
    array["deck"] = rules.deck_counts
    array["reflexes"][0, : rules.players] = rules.reflexes or 1
    array.flags.writeable = False
    record: np.record = array[0]
    return record
