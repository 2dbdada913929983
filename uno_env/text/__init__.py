"""The game in words, for language models: what a seat may know as a prompt, and the move that an answer means.

:func:`rules_text` tells the rules once, :func:`prompt_for` a decision, and :func:`read_answer` finds the move in what
was written. :class:`TextEnv` plays a hand in this way.
"""

from uno_env.text.parser import Answer, read_answer
from uno_env.text.prompt import EVENTS, prompt, prompt_for
from uno_env.text.rules_text import rules_text
from uno_env.text.text_env import TextEnv, TextStep

__all__ = ["EVENTS", "Answer", "TextEnv", "TextStep", "prompt", "prompt_for", "read_answer", "rules_text"]
