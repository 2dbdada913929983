"""Long work in parts that are saved as they are done: :class:`ResumableJob`."""

import contextlib
import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from train.common.processes import Mapper, map_unordered, sigterm_interrupts
from uno_env.common import files
from uno_env.common.lock import lock_folder

IDENTITY = "study.json"
"""The file that says what a folder holds; its name is older than the class's."""

_Part = TypeVar("_Part", bound=Hashable)
_Result = TypeVar("_Result")

_CHANGES = {
    "code": "the code of the game or the agents has changed since",
    "files": "the file of a policy or an agent has changed since",
}


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a job: the message says what is saved and how to go on; ``results`` are those by part."""

    def __init__(self, sentence: str, results: Mapping[Any, Any]) -> None:
        super().__init__(sentence)
        self.results = dict(results)


class ResumableJob:
    """Work in parts, and the folder that holds those that are done, if there is one.

    ``study.json`` holds the *identity* of the job: plain values that all its results depend on. Each part is a file,
    written whole or not at all. A job of the same ``kind`` and identity continues with the missing parts;
    ``changeable`` values are saved too, and may be others the next time. ``go_on`` says how to resume after Ctrl-C.
    Raises ValueError if the folder holds another job, or something else, or another process works on it.
    """

    def __init__(
        self,
        kind: str,
        identity: Mapping[str, Any],
        folder: Path | None = None,
        changeable: Mapping[str, Any] | None = None,
        go_on: str = "The same command goes on.",
    ) -> None:
        self.folder, self._go_on = folder, go_on
        if folder is None:
            return
        values = json.loads(json.dumps({"study": kind, **identity}))
        if (folder / IDENTITY).exists():
            with self._locked():
                saved = read_job(folder, kind)
            changed = [_change(name, saved.get(name), value) for name, value in values.items()
                       if saved.get(name) != value]  # fmt: skip
            if changed:
                raise ValueError(
                    f"{str(folder)!r} holds another {kind}: {changed[0]}; give the same arguments to go on, or another "
                    "folder"
                )
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            what = "folder" if folder.is_dir() else "file"
            raise ValueError(f"{str(folder)!r} is a {what} of something else: name a new folder")
        files.write_json(folder / IDENTITY, {**values, **(changeable or {})})

    def run(
        self,
        parts: Mapping[str, _Part],
        work: Callable[[_Part], _Result],
        workers: int | Mapper = 1,
        seen: Callable[[_Part, _Result], object] | None = None,
        pack: Callable[[_Result], bytes] = lambda result: json.dumps(result, indent=2).encode(),
        unpack: Callable[[_Part, bytes], _Result] = lambda part, data: files.parse_json(data),
        warm_up: Callable[[], object] = lambda: None,
    ) -> dict[_Part, _Result]:
        """The results of all parts: those that are saved are read, the others are worked out and saved.

        Args:
            parts: each part by the name of its file, in the order in which they are begun.
            work: works out a part.
            workers: processes that share the parts, or a mapper over other machines; with 1 the work is done in this
                process, in the order of the parts.
            seen: called with each part and its result; the job ends if it returns True.
            pack: a result as the content of a file.
            unpack: the result of a part from its file; a ValueError says that the file is damaged, and the part is
                worked out again.
            warm_up: called once before the work, if there is any.

        Raises:
            Interrupted: after Ctrl-C or SIGTERM.
            ValueError: another process works on the job.
        """
        results: dict[_Part, _Result] = {}
        with self._locked(), sigterm_interrupts():
            if self.folder is not None:
                files.remove_temporary_files(self.folder)
            saved = self._saved(parts, unpack)
            missing = {part: name for name, part in parts.items() if part not in saved}
            try:
                if missing:
                    warm_up()
                for part, result in _in_turn(parts.values(), saved, work, workers):
                    if part in missing and self.folder is not None:
                        files.replace_file(self.folder / missing[part], pack(result))
                    results[part] = result
                    if seen is not None and seen(part, result) is True:
                        break
            except (KeyboardInterrupt, SystemExit):
                raise Interrupted(self._how_to_go_on(len(results), len(parts)), results) from None
        return results

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the job for a ``with`` block. Raises ValueError if somebody else works on it."""
        lock = None if self.folder is None else lock_folder(self.folder, "study")
        try:
            yield
        finally:
            if lock is not None:
                lock.release()

    def _saved(self, parts: Mapping[str, _Part], unpack: Callable[[_Part, bytes], _Result]) -> dict[_Part, _Result]:
        saved: dict[_Part, _Result] = {}
        for name, part in parts.items():
            try:
                if self.folder is not None:
                    saved[part] = unpack(part, files.read_file(self.folder / name))
            except (OSError, ValueError):
                continue
        return saved

    def _how_to_go_on(self, done: int, parts: int) -> str:
        if self.folder is None:
            return "Interrupted; nothing is saved without --save FOLDER."
        return f"Interrupted; {done} of {parts} parts are saved. {self._go_on}"


def read_job(folder: Path, kind: str) -> dict[str, Any]:
    """The identity of the job in a folder, with what may change. Raises ValueError if it holds no such job."""
    try:
        saved = files.read_json(folder / IDENTITY)
        if saved["study"] != kind:
            raise ValueError(f"it is the {saved['study']} of another command")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{str(folder)!r} holds no {kind} to go on with: {files.reason_of(error)}") from None
    return dict(saved)


def _in_turn(
    parts: Any, saved: Mapping[_Part, _Result], work: Callable[[_Part], _Result], workers: int | Mapper
) -> Iterator[tuple[_Part, _Result]]:
    """In the order of the parts, or with several workers those that are saved first."""
    if not callable(workers) and workers <= 1:
        for part in parts:
            yield part, saved[part] if part in saved else work(part)
        return
    yield from saved.items()
    yield from map_unordered(work, [part for part in parts if part not in saved], workers)


def _change(name: str, before: Any, value: Any) -> str:
    if name in _CHANGES:
        return _CHANGES[name]
    if isinstance(before, dict) and isinstance(value, dict):
        return f"its {name} have {_differences(before, value)}"
    return f"it has {_differences({name: before}, {name: value})}"


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = [name for name in now if before.get(name) != now[name]]
    return ", ".join(f"{name}={before.get(name)!r} instead of {now[name]!r}" for name in names)
