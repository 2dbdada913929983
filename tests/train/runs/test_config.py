"""train/runs/config.py: what a config may hold, and what is said of one that may not."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from msgspec import Meta

from tools.training_speed import load_config
from train.runs.config import NonNegativeFloat, PositiveInt, config_values, make_config, read_yaml, save_config


@dataclass(frozen=True)
class Sample:
    count: Annotated[int, Meta(ge=1, le=10)] = 3
    rate: NonNegativeFloat = 0.5
    name: str = "x"
    colour: Literal["red", "blue"] = "red"
    fast: bool = True
    limit: Annotated[int, Meta(ge=2)] | None = None
    sizes: tuple[PositiveInt, ...] = (4, 4)
    names: tuple[str, ...] = ("a",)
    rules: str | Mapping[str, Any] = "duel"


def write(path, text):
    file = path / "sample.yaml"
    file.write_text(text)
    return file


def test_every_type_is_read(tmp_path):
    text = """
    count: 7
    rate: 1e-3
    name: y
    colour: blue
    fast: false
    limit: 4
    sizes: [8, 1e3]
    names: [b, c]
    rules: {preset: classic, players: 3}
    """
    expected = Sample(7, 0.001, "y", "blue", False, 4, (8, 1000), ("b", "c"), {"preset": "classic", "players": 3})
    assert load_config(write(tmp_path, text), Sample) == expected


def test_an_empty_file_is_all_defaults(tmp_path):
    assert load_config(write(tmp_path, ""), Sample) == Sample()


def test_overrides_win_and_are_read_as_yaml(tmp_path):
    file = write(tmp_path, "count: 7\nname: y")
    overrides = {"count": "2", "sizes": "[5]", "limit": "null", "fast": "no", "names": "[]", "rate": "2_0"}
    assert load_config(file, Sample, overrides) == Sample(2, 20.0, "y", "red", False, None, (5,), ())


def test_overrides_may_be_values_of_python(tmp_path):
    """As a sweep gives them: Optuna Python's, others NumPy's."""
    file = write(tmp_path, "")
    for overrides in (
        {"count": 2, "sizes": (5, 6), "limit": None, "fast": False, "names": ["b"], "rate": 2.5, "rules": {"a": 1}},
        {"count": 2.0, "sizes": np.array([5, 6]), "limit": "null", "fast": np.False_, "names": ["b"],
         "rate": np.float32(2.5), "rules": {"a": np.int64(1)}},
    ):  # fmt: skip
        made = load_config(file, Sample, overrides)
        assert made == Sample(2, 2.5, "x", "red", False, None, (5, 6), ("b",), {"a": 1})
        assert type(made.count) is int
    assert load_config(file, Sample, {"name": Path("a/b")}).name == "a/b"


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"rate": 1j}, "rate=1j is not allowed"),
        ({"rate": b"1"}, "rate=b'1' is not allowed"),
        ({"sizes": [object]}, "sizes=<class 'object'> is not allowed"),
        ({"rate": float("nan")}, "rate=nan is not allowed: choose a number, 0 or more"),
        ({"count": 2.5}, "count=2.5 is not allowed: choose a whole number"),
        ({"count": True}, "count=True is not allowed"),
        ({3: 4}, "the key 3 is not allowed"),
    ],
)
def test_values_of_python_that_no_config_holds_are_refused(tmp_path, overrides, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        load_config(write(tmp_path, ""), Sample, overrides)


def test_dashes_in_overrides_stand_for_underscores(tmp_path):
    @dataclass(frozen=True)
    class Long:
        long_name: int = 0

    assert load_config(write(tmp_path, ""), Long, {"long-name": "4"}) == Long(4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cuont: 3", r"unknown key 'cuont' \(did you mean 'count'\?\): there are count, rate, .*rules$"),
        ("count: 0", r"count=0 is not allowed: choose a whole number from 1 to 10$"),
        ("count: 11", r"count=11 is not allowed: choose a whole number from 1 to 10$"),
        ("count: 1.5", r"count=1.5 is not allowed: choose a whole number"),
        ("count: true", r"count=True is not allowed"),
        ("count: [1]", r"count=\[1\] is not allowed"),
        ("count: null", r"count=None is not allowed"),
        ("rate: -1", r"rate=-1 is not allowed: choose a number, 0 or more$"),
        ("rate: .nan", r"rate=nan is not allowed"),
        ("rate: fast", r"rate='fast' is not allowed"),
        ("name: 3", r"name=3 is not allowed: choose a text$"),
        ("colour: green", r"colour='green' is not allowed: choose one of 'red', 'blue'$"),
        ("fast: 1", r"fast=1 is not allowed: choose true or false$"),
        ("limit: 1", r"limit=1 is not allowed: choose a whole number, 2 or more or null$"),
        ("sizes: 4", r"sizes=4 is not allowed: choose a list, each element a whole number, 1 or more$"),
        ("sizes: [4, 0]", r"sizes=\[4, 0\] is not allowed"),
        ("names: [a, 3]", r"names=\['a', 3\] is not allowed: choose a list, each element a text$"),
        ("rules: 3", r"rules=3 is not allowed: choose a text or a mapping$"),
        ("[1, 2]", r"is not a mapping from names to values$"),
        ("3: 4", r"is not a mapping from names to values$"),
        ("count: [", r"is not YAML"),
        ("count: !!python/object:os.system 3", r"is not YAML"),
    ],
)
def test_one_sentence_names_file_key_value_and_what_is_allowed(tmp_path, text, message):
    file = write(tmp_path, text)
    with pytest.raises(ValueError, match=message) as caught:
        load_config(file, Sample)
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "missing.yaml", tmp_path):
        with pytest.raises(ValueError, match=f"{path}: this config cannot be read"):
            load_config(path, Sample)


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00count")
    with pytest.raises(ValueError, match="is not YAML"):
        load_config(tmp_path / "binary.yaml", Sample)


def test_saving_and_loading_are_inverse(tmp_path):
    config = make_config(Sample, {"count": 9, "sizes": [1, 2, 3], "rules": {"players": 4}})
    save_config(config, tmp_path / "saved.yaml")
    assert load_config(tmp_path / "saved.yaml", Sample) == config
    assert make_config(Sample, config_values(config)) == config
    assert list(read_yaml(tmp_path / "saved.yaml")) == list(config_values(config))
