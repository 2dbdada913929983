"""Records as Python reads them."""

import copy
import pickle

import numpy as np
import pytest

from uno_env.core.record import GAME, records_of
from uno_env.core.record_type import Fields, record_type
from uno_env.editions import EDITIONS

FIELDS: Fields = [
    ("number", np.int16, ()),
    ("row", np.int8, (3,)),
    ("inner", record_type([("deep", np.int8, ())]), (2,)),
]


def test_fields_are_attributes_that_read_and_write_the_arrays_memory() -> None:
    array = np.zeros(2, record_type(FIELDS))
    record = array[1]
    record.number, record.row[2], record.inner[1].deep = 300, 4, 5
    assert (record.number, record.row.tolist(), record.inner[1].deep) == (300, [0, 0, 4], 5)
    assert array["number"].tolist() == [0, 300]
    assert array[1].inner[1].deep == 5


def test_records_are_copied_and_pickled() -> None:
    record = np.zeros(1, record_type(FIELDS))[0]
    record.number = 7
    for twin in (record.copy(), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
        assert (twin.number, twin.inner[1].deep) == (7, 0)
    twin = record.copy()
    twin.number = 8
    assert record.number == 7


def test_a_record_has_no_fields_of_others() -> None:
    assert "side" in GAME.names
    with pytest.raises(ValueError, match="no field of name number"):
        _ = np.zeros(1, GAME)[0].number


@pytest.mark.parametrize("name", ["size", "shape", "T", "max"])
def test_no_field_hides_an_attribute_of_numpys(name: str) -> None:
    with pytest.raises(ValueError, match=f"no field may be called '{name}': NumPy's scalars have an attribute"):
        record_type([(name, np.int8, ())])


@pytest.mark.parametrize("edition", sorted(EDITIONS))
def test_all_fields_of_an_edition_are_attributes(edition: str) -> None:
    types = records_of(EDITIONS[edition])
    for kind in types:
        record = np.zeros(1, kind)[0]
        for name in kind.names:
            assert np.array_equal(getattr(record, name), record[name])
