"""train/common/job.py: what is saved is not done again, and what is something else is refused."""

from pathlib import Path

import pytest

from tests.helpers.marks import thorough
from train.common.job import Interrupted, ResumableJob, read_job

PARTS = {"0.json": 0, "1.json": 1, "2.json": 2}
IDENTITY = {"seed": 1, "rules": {"players": 2, "draw": "one"}}


def double(part: int) -> int:
    return 2 * part


def never(part: int) -> int:
    raise AssertionError(f"part {part} is done again")


@pytest.mark.parametrize("workers", [1, *thorough(2)])
def test_what_is_saved_is_not_done_again(tmp_path: Path, workers: int) -> None:
    assert ResumableJob("count", IDENTITY, tmp_path / "count").run(PARTS, double, workers) == {0: 0, 1: 2, 2: 4}
    seen: list[tuple[int, int]] = []
    again = ResumableJob("count", IDENTITY, tmp_path / "count")
    assert again.run(PARTS, never, seen=lambda part, result: seen.append((part, result))) == {0: 0, 1: 2, 2: 4}
    assert seen == [(0, 0), (1, 2), (2, 4)]


def test_a_damaged_part_is_done_again(tmp_path: Path) -> None:
    study = ResumableJob("count", IDENTITY, tmp_path)
    study.run(PARTS, double)
    (tmp_path / "1.json").write_text("{")
    done: list[int] = []
    assert study.run(PARTS, lambda part: done.append(part) or double(part)) == {0: 0, 1: 2, 2: 4}
    assert done == [1]


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    def work(part: int) -> int:
        if part == 2:
            raise KeyboardInterrupt
        return double(part)

    with pytest.raises(Interrupted, match=r"^Interrupted; 2 of 3 parts are saved\. The same") as stop:
        ResumableJob("count", IDENTITY, tmp_path).run(PARTS, work)
    assert stop.value.results == {0: 0, 1: 2}
    assert (tmp_path / "1.json").exists()
    with pytest.raises(Interrupted, match="nothing is saved without --save FOLDER"):
        ResumableJob("count", IDENTITY).run(PARTS, work)


def test_a_study_may_know_enough_before_its_end(tmp_path: Path) -> None:
    assert ResumableJob("count", IDENTITY, tmp_path).run(PARTS, double, seen=lambda part, _: part == 1) == {0: 0, 1: 2}


def test_what_may_change_is_saved_as_it_is_now(tmp_path: Path) -> None:
    for deals in (10, 20):
        ResumableJob("count", IDENTITY, tmp_path, {"deals": deals})
        assert read_job(tmp_path, "count")["deals"] == deals


@pytest.mark.parametrize(
    ("identity", "sentence"),
    [
        ({**IDENTITY, "seed": 2}, "holds another count: it has seed=1 instead of 2; give the same arguments to go on"),
        ({**IDENTITY, "rules": {"players": 3, "draw": "one"}}, "its rules have players=2 instead of 3"),
        ({**IDENTITY, "code": "x"}, "the code of the game or the agents has changed since"),
    ],
)
def test_another_study_is_refused(tmp_path: Path, identity: dict[str, object], sentence: str) -> None:
    ResumableJob("count", IDENTITY, tmp_path)
    with pytest.raises(ValueError, match=sentence):
        ResumableJob("count", identity, tmp_path)


def test_what_is_no_study_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("years of work")
    with pytest.raises(ValueError, match="is a folder of something else"):
        ResumableJob("count", IDENTITY, tmp_path)
    with pytest.raises(ValueError, match="is a file of something else"):
        ResumableJob("count", IDENTITY, file)
    ResumableJob("count", IDENTITY, tmp_path / "count")
    with pytest.raises(ValueError, match="holds no tournament to go on with: it is the count of another command"):
        read_job(tmp_path / "count", "tournament")
    assert file.read_text() == "years of work"
