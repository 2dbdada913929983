"""uno_env/common/lock.py, and studies that two processes work on."""

import os
import signal
import time
from pathlib import Path

import pytest

from train.common.job import Interrupted, ResumableJob
from uno_env.common.files import read_json
from uno_env.common.lock import lock_folder


def test_the_second_is_told_in_one_sentence_and_the_lock_is_free_afterwards(tmp_path: Path) -> None:
    lock = lock_folder(tmp_path, "run")
    with pytest.raises(ValueError, match=r"^another process works on the run '.*': wait until it has ended, or name"):
        lock_folder(tmp_path, "run")
    lock.release()
    lock_folder(tmp_path, "run").release()


def test_a_lock_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / ".lock").mkdir()
    with pytest.raises(ValueError, match="cannot be written"):
        lock_folder(tmp_path, "run")


def test_sigterm_keeps_what_was_done_as_ctrl_c_does(tmp_path: Path) -> None:
    def work(part: int) -> int:
        if part == 2:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        return part

    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Interrupted, match="Interrupted; 1 of 2 parts are saved"):
        ResumableJob("sum", {"a": 1}, tmp_path).run({"one.json": 1, "two.json": 2}, work)
    assert signal.getsignal(signal.SIGTERM) is before
    assert read_json(tmp_path / "one.json") == 1
    lock_folder(tmp_path, "study").release()


def test_a_study_is_one_process_alone_and_clears_what_was_left_over(tmp_path: Path) -> None:
    def work(part: int) -> int:
        for attempt in (lambda: ResumableJob("sum", {"a": 1}, tmp_path), lambda: study.run({"x.json": 1}, int)):
            with pytest.raises(ValueError, match="another process works on the study"):
                attempt()
        return part

    study = ResumableJob("sum", {"a": 1}, tmp_path)
    (tmp_path / ".one.json.7.tmp").write_text("half")
    assert study.run({"one.json": 1, "two.json": 2}, work) == {1: 1, 2: 2}
    assert not list(tmp_path.rglob("*.tmp"))
    assert read_json(tmp_path / "two.json") == 2
    assert ResumableJob("sum", {"a": 1}, tmp_path).run({"one.json": 1}, work) == {1: 1}
