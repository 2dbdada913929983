"""The switches of the game: their fields, presets, checks, and how they are read and handed to the compiled core."""

from uno_env.rules.fields import Rules, as_rules
from uno_env.rules.presets import PRESETS
from uno_env.rules.validation import RANGES, RulesError

__all__ = ["PRESETS", "RANGES", "Rules", "RulesError", "as_rules"]
