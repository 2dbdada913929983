"""The sentences of the table, as phrases that a browser can say in another language: :data:`TABLE_SENTENCES`.

Those with which it refuses something are raised: :func:`refusal`.
"""

from pathlib import Path
from typing import Any

from uno_env.common.phrases import Catalogue

TABLE_SENTENCES = Catalogue(Path(__file__).with_name("sentences.json"))
"""The English of all of them; sentences on the game are those of :mod:`uno_env.render.sentences`."""


class RefusedError(ValueError):
    """Somebody at the table did what is not allowed. The message is one sentence, and the table stays as it was."""


def refusal(key: str, /, **arguments: Any) -> RefusedError:
    """The error whose message is the sentence ``refused.KEY``."""
    return RefusedError(TABLE_SENTENCES.phrase(f"refused.{key}", **arguments))
