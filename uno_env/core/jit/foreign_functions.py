"""Python functions that XLA calls by its foreign function interface: :func:`foreign_function`.

The structures are those of ``xla/ffi/api/c_api.h``, version 0.3, up to the last field that is used here. XLA's buffers
are read and written in place. JAX itself is not imported.
"""

import _thread
import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numba
import numpy as np

from uno_env.core.arrays import Array

API_VERSION = (0, 3)
DTYPES = {2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16, 8: np.uint32, 9: np.uint64}
"""Whole numbers by XLA's number of a type."""
FINE = 1
"""What a call answers that went well; an error's address otherwise."""
INVALID_ARGUMENT, CANCELLED = 3, 1


class _Head(ctypes.Structure):
    _fields_: ClassVar[Sequence[Any]] = (("struct_size", ctypes.c_size_t), ("extension_start", ctypes.c_void_p))


class Buffer(_Head):
    """An argument or a result of XLA's."""

    _fields_ = (("dtype", ctypes.c_int), ("data", ctypes.c_void_p), ("rank", ctypes.c_int64), ("dims", ctypes.c_void_p))

    def numbers(self, count: int) -> Array:
        """The ``count`` whole numbers of a buffer, as a view."""
        dtype: np.dtype[Any] = np.dtype(DTYPES[self.dtype])
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(self.data)
        return np.frombuffer(memoryview(memory), dtype)

    def write(self, array: Array) -> None:
        """Copy an array of the buffer's type and shape, in C order, into the buffer."""
        ctypes.memmove(self.data, array.ctypes.data, array.nbytes)


class _Buffers(_Head):
    _fields_ = (
        ("size", ctypes.c_int64),
        ("types", ctypes.c_void_p),
        ("buffers", ctypes.POINTER(ctypes.POINTER(Buffer))),
    )

    def listed(self) -> list[Buffer]:
        return [self.buffers[index].contents for index in range(self.size)]


class _Version(_Head):
    _fields_ = (("major", ctypes.c_int), ("minor", ctypes.c_int))


class _Metadata(ctypes.Structure):
    _fields_ = (("struct_size", ctypes.c_size_t), ("api_version", _Version), ("traits", ctypes.c_uint32))


class _MetadataExtension(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("type", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("metadata", ctypes.POINTER(_Metadata)),
    )


class _NewError(_Head):
    _fields_ = (("message", ctypes.c_char_p), ("code", ctypes.c_int))


_CREATE_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_NewError))


class _Api(_Head):
    _fields_ = (("api_version", _Version), ("internal_api", ctypes.c_void_p), ("create_error", _CREATE_ERROR))


class _CallFrame(ctypes.Structure):
    _fields_ = (
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.POINTER(_MetadataExtension)),
        ("api", ctypes.POINTER(_Api)),
        ("context", ctypes.c_void_p),
        ("stage", ctypes.c_int),
        ("arguments", _Buffers),
        ("results", _Buffers),
    )

    def error(self, message: str, code: int) -> int:
        """The address of a new error, which XLA frees."""
        text = message.encode()
        new = _NewError(ctypes.sizeof(_NewError), None, text, code)
        return int(self.api.contents.create_error(ctypes.byref(new)))


Work = Callable[[Sequence[Buffer], Sequence[Buffer]], None]
_CALL = ctypes.CFUNCTYPE(None, ctypes.c_ssize_t, ctypes.c_ssize_t)


def foreign_function(work: Work) -> Any:
    """A C function for XLA that calls ``work`` with the buffers of the arguments and of the results.

    An exception becomes XLA's error, with the same sentence. Ctrl-C does too, and is raised anew in the main thread.
    Keep the C function as long as XLA may call it.
    """

    def answer(frame: int, address: int) -> None:
        ctypes.c_ssize_t.from_address(address).value = _answer(work, _CallFrame.from_address(frame))

    def was_cut_off(frame: int, address: int) -> None:
        error = _CallFrame.from_address(frame).error("the call was interrupted", CANCELLED)
        ctypes.c_ssize_t.from_address(address).value = error

    return _compiled(_CALL(answer), _CALL(was_cut_off))


def _answer(work: Work, frame: _CallFrame) -> int:
    if frame.extension_start:  # XLA asks for the version
        version = frame.extension_start.contents.metadata.contents.api_version
        version.major, version.minor = API_VERSION
        return FINE
    try:
        work(frame.arguments.listed(), frame.results.listed())
    except Exception as error:
        return frame.error(str(error), INVALID_ARGUMENT)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):  # a little later: XLA may have called in the main thread
            threading.Timer(0.01, _thread.interrupt_main).start()
        return frame.error(f"the call was interrupted ({type(error).__name__})", CANCELLED)
    return FINE


def _compiled(answer: Any, was_cut_off: Any) -> Any:
    """The C function that asks the two: an interrupt before a function's first line leaves its answer unwritten.

    XLA would take that for success, and the results, which nobody has written, for what the function gave.
    """

    @numba.cfunc("intp(intp)")  # type: ignore[untyped-decorator, unused-ignore]
    def call(frame):
        answered = np.zeros(1, np.intp)
        answer(frame, answered.ctypes.data)
        while answered[0] == 0:
            was_cut_off(frame, answered.ctypes.data)
        return 0 if answered[0] == FINE else answered[0]

    function = call.ctypes
    function.kept = call, answer, was_cut_off
    return function
