"""CUDA graphs without a GPU: what PyTorch does is written down, and done again on the same memory."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from uno_env.core.jit.places import Processor


class Tape(TorchDispatchMode):
    """Writes down the operations of PyTorch and the kernels that are called inside its ``with`` block.

    :meth:`replay` does them again, as a graph on a GPU would: every operation reads and writes the memory that it had
    when it was written down, and numbers of Python are those of that time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[Callable[[], Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        made = _tensors(result)
        given = {each.untyped_storage().data_ptr() for each in _tensors((args, kwargs))}
        new = [each.untyped_storage().data_ptr() not in given for each in made]
        is_view = made and not any(new) and not func._schema.is_mutable

        def again() -> None:
            for old, fresh, is_new in zip(made, _tensors(func(*args, **kwargs)), new, strict=True):
                if is_new:
                    old.copy_(fresh)

        if not is_view:
            self._lines.append(again)
        return result

    def launched(self, launch: Callable[[], None]) -> None:
        """Write down a kernel with its arrays."""
        self._lines.append(launch)

    @torch.inference_mode()
    def replay(self) -> None:
        """Do everything again."""
        for line in self._lines:
            line()


def _tensors(values: Any) -> list[Tensor]:
    return [each for each in tree_leaves(values) if isinstance(each, Tensor)]


def tape_graphs(monkeypatch: pytest.MonkeyPatch) -> list[Tape]:
    """Let :class:`train.algorithms.parts.graphs.Recorded` record on tapes; the list of those that there are."""
    tapes: list[Tape] = []
    running: list[Tape] = []
    bind = Processor.bind

    def bound(*arguments: Any, **more: Any) -> Callable[[], None]:
        launch = bind(*arguments, **more)

        def call() -> None:
            for tape in running:
                tape.launched(launch)
            launch()

        return call

    def record(work: Callable[[], None], generator: torch.Generator | None) -> Callable[[], None]:
        """A tape does the work while it records, and a graph does not: so the first call does nothing."""
        tape = Tape()
        running.append(tape)
        with tape:
            work()
        running.clear()
        tapes.append(tape)
        calls = iter([lambda: None])
        return lambda: next(calls, tape.replay)()

    monkeypatch.setattr(Processor, "bind", bound)
    monkeypatch.setattr("train.algorithms.parts.graphs.record", record)
    return tapes
