"""Saved policies: the round trip, and every kind of file that is refused with one sentence."""

import contextlib
import dataclasses
import json
import os
import stat
import struct
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest
from safetensors.numpy import save

import agents.policy.policy_file
from agents.policy.policy_file import PolicyCard, PolicyError, load_policy, save_policy, weight_shapes
from tests.helpers.positions import a_card, some_weights
from uno_env import Rules
from uno_env.common.validation import short_repr

DUEL = Rules.preset("duel")
SIZES = "choose a list of 1 to 64, each element a whole number from 1 to 65536"


def _write(
    path: Path, weights: dict[str, Any] | None = None, drop: tuple[str, ...] = (), raw: str | None = None, **card: Any
) -> Path:
    """A file as ``save_policy`` writes it, but without its checks."""
    good = a_card(DUEL)
    fields = {name: value for name, value in {**dataclasses.asdict(good), **card}.items() if name not in drop}
    text = json.dumps(fields) if raw is None else raw
    path.write_bytes(save(some_weights(good) if weights is None else weights, {"uno_policy": text}))
    return path


def _refusal(path: Path) -> str:
    """The one sentence with which a file is refused."""
    with pytest.raises(PolicyError) as refused:
        load_policy(path)
    message = str(refused.value)
    assert repr(str(path)) in message
    assert "\n" not in message
    assert len(message) < 800
    assert refused.value.__cause__ is None
    return message


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "policy.safetensors"
    card = a_card(DUEL, hidden=[8, 9, 10])
    weights = some_weights(card)
    save_policy(path, weights, card)
    loaded, same = load_policy(str(path))
    assert same == card
    assert list(loaded) == list(weight_shapes(card))
    for name, array in weights.items():
        assert loaded[name].dtype == np.float32
        assert (loaded[name] == array).all()


def test_a_deck_of_ones_own_comes_back(tmp_path: Path) -> None:
    rules = Rules.preset("duel", deck="r1 r2 g1 g2 w", hand_size=2, dealer="fixed")
    card = a_card(rules)
    save_policy(tmp_path / "p", some_weights(card), card)
    assert Rules.from_dict(load_policy(tmp_path / "p")[1].rules) == rules


def test_saving_replaces_the_file_whole_and_leaves_no_other(tmp_path: Path) -> None:
    path, card = tmp_path / "policy.safetensors", a_card(DUEL)
    for seed in (1, 2):
        save_policy(path, some_weights(card, seed), card)
    assert (load_policy(path)[0]["value.bias"] == some_weights(card, 2)["value.bias"]).all()
    assert os.listdir(tmp_path) == ["policy.safetensors"]


def test_saving_obeys_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        save_policy(tmp_path / "p", some_weights(a_card(DUEL)), a_card(DUEL))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "p").stat().st_mode) == 0o640


def test_the_order_of_memory_does_not_matter(tmp_path: Path) -> None:
    card = a_card(DUEL)
    weights = some_weights(card)
    save_policy(tmp_path / "p", {name: np.asfortranarray(array) for name, array in weights.items()}, card)
    loaded, _ = load_policy(tmp_path / "p")
    assert all((loaded[name] == array).all() for name, array in weights.items())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": [3, 2]}, "not in ascending order"),
        ({"columns": np.arange(3)}, "not JSON serializable"),
        ({"trained_by": {"loss": float("nan")}}, "JSON"),
        ({"hidden": [7, 16]}, "has shape"),
        ({"rules": {"players": 11}}, "rules cannot be played"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    weights = some_weights(a_card(DUEL))
    with pytest.raises(PolicyError, match=message):
        save_policy(tmp_path / "p", weights, dataclasses.replace(a_card(DUEL), **change))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_not_saved(tmp_path: Path, value: float) -> None:
    weights = some_weights(a_card(DUEL))
    weights["policy.bias"][3] = value
    with pytest.raises(PolicyError, match=r"policy\.bias holds values that are not finite"):
        save_policy(tmp_path / "p", weights, a_card(DUEL))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"abc",
        b"\x80\x04\x95pickle" * 9,
        struct.pack("<Q", 2**60) + b"{}",
        struct.pack("<Q", 2) + b"{}x",
        struct.pack("<Q", 2000) + b"[" * 2000,
        struct.pack("<Q", 60) + b'{"a":{"dtype":"F32","shape":[9999999],"data_offsets":[0,4]}}',
        b"PK\x03\x04" + b"\0" * 200,
    ],
)
def test_a_file_of_something_else_is_refused_in_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "policy.safetensors"
    path.write_bytes(data)
    assert "no safetensors file, or it is damaged" in _refusal(path)


def test_a_model_of_stable_baselines3_is_told_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with ZipFile(path, "w") as archive:
        archive.writestr("data", "{}" * 100)
    with pytest.raises(PolicyError, match="such as Stable-Baselines3 saves"):
        load_policy(path)


def test_a_file_that_is_cut_anywhere_is_refused(tmp_path: Path) -> None:
    path = _write(tmp_path / "policy.safetensors")
    whole = path.read_bytes()
    for length in [*range(0, 64, 7), *range(64, len(whole), len(whole) // 20), len(whole) - 1]:
        path.write_bytes(whole[:length])
        assert "damaged" in _refusal(path)


def test_any_byte_of_the_header_changed_is_refused_or_harmless(tmp_path: Path) -> None:
    path = _write(tmp_path / "policy.safetensors")
    whole = path.read_bytes()
    header = 8 + struct.unpack("<Q", whole[:8])[0]
    for place in range(0, header, 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x15]) + whole[place + 1 :])
        with contextlib.suppress(PolicyError):
            load_policy(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _write(tmp_path / "policy.safetensors")
    monkeypatch.setattr(agents.policy.policy_file, "MAX_BYTES", 1000)
    assert "bytes, and at most 1,000 are read" in _refusal(path)


def test_a_file_that_is_not_there_is_a_folder_or_has_no_card_is_refused(tmp_path: Path) -> None:
    assert "there is no such file" in _refusal(tmp_path / "none.safetensors")
    assert "it cannot be read (it is a folder)" in _refusal(tmp_path)
    for metadata in (None, {"format": "pt"}):
        (tmp_path / "p").write_bytes(save(some_weights(a_card(DUEL)), metadata))
        assert "its metadata lack 'uno_policy'" in _refusal(tmp_path / "p")


@pytest.mark.parametrize("name", [f"{each}_version" for each in ("format", "layout", "catalogue", "symmetry")])
@pytest.mark.parametrize("version", [0, 2, 4, 1.0, "1", None, True, [1], 10**40])
def test_a_file_of_another_version_says_which(tmp_path: Path, name: str, version: Any) -> None:
    message = _refusal(_write(tmp_path / "p", **{name: version}))
    assert f"its {name} is {short_repr(version, 40)}, and this program has " in message


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(PolicyCard)])
def test_a_missing_field(tmp_path: Path, name: str) -> None:
    if name in agents.policy.policy_file.OPTIONAL:
        assert not getattr(load_policy(_write(tmp_path / "p", drop=(name,)))[1], name)
        return
    message = _refusal(_write(tmp_path / "p", drop=(name,)))
    assert f"its card lacks {name!r}" in message or f"its {name} is None" in message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": []}, "columns=[] is not allowed: choose a list of 1 or more"),
        ({"columns": "abc"}, "columns='abc' is not allowed: choose a list of 1 or more"),
        ({"columns": [0, 10**6]}, "'columns' of its card go up to 1000000, and 'classic' has 950"),
        ({"columns": [-1, 0]}, "columns=[-1, 0] is not allowed: choose a list of 1 or more"),
        ({"columns": [0.5]}, "columns=[0.5] is not allowed: choose a list of 1 or more"),
        ({"columns": [True]}, "columns=[True] is not allowed: choose a list of 1 or more"),
        ({"columns": [2, 1]}, "'columns' of its card are not in ascending order"),
        ({"columns": [1, 1]}, "'columns' of its card are not in ascending order"),
        ({"actions": [0, 132]}, "'actions' of its card go up to 132, and 'classic' has 132"),
        ({"actions": [5, 4]}, "'actions' of its card are not in ascending order"),
        ({"hidden": []}, f"hidden=[] is not allowed: {SIZES}"),
        ({"hidden": [1] * 65}, f"1, 1... is not allowed: {SIZES}"),
        ({"hidden": 5}, "hidden=5 is not allowed: choose a list of 1 to 64"),
        ({"hidden": [0]}, f"hidden=[0] is not allowed: {SIZES}"),
        ({"hidden": [10**12]}, f"hidden=[1000000000000] is not allowed: {SIZES}"),
        ({"hidden": ["x" * 1000]}, f"xxx... is not allowed: {SIZES}"),
        ({"rules": []}, "rules=[] is not allowed: choose a mapping"),
        ({"trained_by": "me"}, "trained_by='me' is not allowed: choose a mapping"),
        ({"evaluation": {}}, "evaluation={} is not allowed: choose a list, each element a mapping"),
        ({"evaluation": [1]}, "evaluation=[1] is not allowed: choose a list, each element a mapping"),
        ({"rules": {"playerz": 2}}, "its rules cannot be played: unknown rule 'playerz'"),
        ({"rules": {"players": "2"}}, "its rules cannot be played: players='2'"),
        ({"rules": {"deck": {"r1": 10**30}}}, "its rules cannot be played"),
        ({"rules": {"deck": {"zz": 1}}}, "its rules cannot be played"),
        ({"rules": {"deck": [[1]] * 58}}, "its rules cannot be played"),
        ({"rules": {"dealer": ["random"]}}, "its rules cannot be played"),
        ({"rules": {"reflexes": {"a": 1}}}, "its rules cannot be played"),
        ({"rules": {"jump_in": "x" * 5000}}, "its rules cannot be played"),
        ({"more_players": "3"}, "more_players='3' is not allowed: choose a list, each element a whole number from 0"),
        ({"more_players": [3, 11]}, "more_players=[3, 11] is not allowed: choose a list, each element a whole number"),
        ({"more_players": [4, 3]}, "'more_players' of its card are not in ascending order"),
        ({"more_players": [1]}, "its rules cannot be played: players=1"),
        ({"random_rules": -1}, "random_rules=-1 is not allowed"),
        ({"code": "import os"}, "its card cannot be used: unknown key 'code': there are rules, columns, "),
        *(({"raw": text}, "its card is not a JSON object") for text in ("[]", "3", '"policy"', "null")),
        *(({"raw": text}, "its card is not JSON") for text in ("", "{", "[" * 100_000, '{"columns": NaN}')),
        ({"raw": '{"columns": ' + "9" * 9999 + "}"}, "its card is not JSON"),
        ({"hidden": [24, 17]}, "trunk.1.weight has shape [16, 24], and its card says [17, 24]"),
        ({"hidden": [24]}, "unknown weight 'trunk.1.bias'"),
        ({"hidden": [24, 16, 4]}, "lacks the weight 'trunk.2.weight'"),
        ({"columns": a_card(DUEL).columns[:-1]}, "trunk.0.weight has shape"),
        ({"actions": a_card(DUEL).actions[1:]}, "policy.weight has shape"),
    ],
)
def test_a_card_that_is_broken_or_of_other_weights_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    assert message in _refusal(_write(tmp_path / "p", **change))


def test_missing_and_unknown_weights(tmp_path: Path) -> None:
    weights = some_weights(a_card(DUEL))
    missing = {name: array for name, array in weights.items() if name != "value.bias"}
    assert "it lacks the weight 'value.bias'" in _refusal(_write(tmp_path / "p", missing))
    more = {**weights, "x" * 500: np.zeros(1, np.float32)}
    assert "it has an unknown weight 'xxx" in _refusal(_write(tmp_path / "p", more))


@pytest.mark.parametrize("dtype", [np.float64, np.int32, np.uint8, np.bool_])
def test_weights_of_another_type(tmp_path: Path, dtype: Any) -> None:
    weights: dict[str, Any] = some_weights(a_card(DUEL))
    weights["policy.bias"] = weights["policy.bias"].astype(dtype)
    assert "policy.bias is of type" in _refusal(_write(tmp_path / "p", weights))


def test_weights_of_a_type_that_numpy_lacks(tmp_path: Path) -> None:
    path = _write(tmp_path / "p")
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"F32"', b'"I32"').replace(b'"I32"', b'"F32"', 3))
    assert "is of type I32, not F32 or F16" in _refusal(path)


def test_a_file_of_half_the_size_gives_rounded_weights(tmp_path: Path) -> None:
    card = a_card(DUEL)
    weights = some_weights(card)
    save_policy(tmp_path / "whole", weights, card)
    save_policy(tmp_path / "half", weights, card, half=True)
    loaded, again = load_policy(tmp_path / "half")
    assert again == card
    for name, array in weights.items():
        assert loaded[name].dtype == np.float32
        assert (loaded[name] == array.astype(np.float16)).all()
    assert (tmp_path / "half").stat().st_size < 0.7 * (tmp_path / "whole").stat().st_size
    weights["policy.bias"][0] = 1e5
    with pytest.raises(PolicyError, match=r"policy.bias holds values beyond float16"):
        save_policy(tmp_path / "half", weights, card, half=True)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite(tmp_path: Path, value: float) -> None:
    weights = some_weights(a_card(DUEL))
    weights["trunk.0.weight"][3, 4] = value
    assert "trunk.0.weight holds values that are not finite" in _refusal(_write(tmp_path / "p", weights))


def test_an_unreadable_file(tmp_path: Path) -> None:
    path = _write(tmp_path / "p")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    _refusal(path)


def test_a_policy_of_random_rules_is_for_all_rules(tmp_path: Path) -> None:
    for number in (0, 40):
        card = a_card(DUEL, random_rules=number)
        save_policy(tmp_path / "p", some_weights(card), card)
        assert load_policy(tmp_path / "p")[1] == card
        assert (b"random_rules" in (tmp_path / "p").read_bytes()) == bool(number)
        if number:
            agents.load(tmp_path / "p", rules="house")
        else:
            with pytest.raises(PolicyError, match="was trained for other rules"):
                agents.load(tmp_path / "p", rules="house")


def test_other_numbers_of_players_are_kept_and_left_out_where_there_are_none(tmp_path: Path) -> None:
    for players in ([], [3, 4]):
        card = a_card(DUEL, more_players=players)
        save_policy(tmp_path / "p", some_weights(card), card)
        assert load_policy(tmp_path / "p")[1] == card
        assert (b"more_players" in (tmp_path / "p").read_bytes()) == bool(players)
