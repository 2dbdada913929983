"""Plain values from YAML, and nothing else that YAML can say: :func:`parse_yaml`."""

import re
from collections.abc import Hashable
from typing import Any

import yaml

MOST_CHARACTERS = 100_000
"""A config has some hundred; YAML is read slowly."""

_FLOAT, _TIME = "tag:yaml.org,2002:float", "tag:yaml.org,2002:timestamp"


class _Loader(yaml.SafeLoader):
    """YAML without tags, anchors, dates and keys that stand twice; ``1e6`` is a number too, and ``2.0`` whole."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _TIME]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def compose_node(self, parent: Any, index: Any) -> Any:
        """The next node. Raises yaml.YAMLError if it has a tag or an anchor, which can make a huge value."""
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise yaml.MarkedYAMLError(problem="anchors and aliases are not read", problem_mark=event.start_mark)
        if getattr(event, "tag", None) is not None:
            raise yaml.MarkedYAMLError(problem=f"the tag {event.tag!r} is not read", problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        """The values by key. Raises yaml.YAMLError if a key stands there twice."""
        seen: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} stands twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _read_number(loader: _Loader, node: yaml.ScalarNode) -> float:
    number = loader.construct_yaml_float(node)
    return int(number) if number.is_integer() else number


_Loader.add_constructor(_FLOAT, _read_number)
_Loader.add_implicit_resolver(_FLOAT, re.compile(r"[-+]?\d[\d_]*(\.[\d_]*)?[eE][-+]?\d+$"), list("-+0123456789"))


def parse_yaml(text: str) -> Any:
    """The plain value of a YAML text. Raises ValueError if it is no YAML, too long, or says more than values."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text):,} characters, and at most {MOST_CHARACTERS:,} are read")
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" in line {mark.line + 1}" if mark else ""
        raise ValueError(f"{error.problem or error.context}{where}") from None
    except (yaml.YAMLError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(" ".join(str(error).split()) or type(error).__name__) from None
