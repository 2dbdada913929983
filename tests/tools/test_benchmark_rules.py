"""tools/benchmark/balanced_rules.py: each value as often as any other, drawn by code of its own."""

from dataclasses import fields

from tools.benchmark.balanced_rules import VALUES, balanced_rules
from uno_env import Rules


def test_rules_to_report_on_have_each_value_as_often_as_any_other() -> None:
    drawn = balanced_rules(3, 120)
    assert drawn == balanced_rules(3, 120) != balanced_rules(4, 120)
    for field, values in VALUES.items():
        if field not in ("hand_size", "slow_seat"):
            counts = [sum(getattr(rules, field) == value for rules in drawn) for value in values]
            assert max(counts) - min(counts) <= 1, field
    assert {rules.hand_size for rules in drawn} == set(range(1, 13))
    assert set(VALUES) | {"backs", "dialect", "dealer_seat", "edition", "max_decisions", "mercy", "reflexes"} == {
        field.name for field in fields(Rules)
    } | {"slow_seat"}
