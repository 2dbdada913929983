"""The protocol of a table's sockets: :class:`TableSocket`."""

import logging
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from uno_table.web.allowance import Allowance

SLICE = 4_096
"""Bytes that are read before others get their turn to be answered."""
CLOSING_SECONDS = 2.0
"""In which the other side has to answer that the socket is closed."""
TOO_MANY, NO_TEXT = 1008, 1007
"""Codes with which a socket is closed."""

_log = logging.getLogger(__name__)


class TableSocket(WebSocketsSansIOProtocol):
    """A socket whose frames that are no messages count, too: who sends too many of them is closed.

    Those are pings, pongs, parts of messages, and whatever comes after the socket was closed. No browser sends them in
    numbers, and the server would answer nobody else while it reads them. Messages are counted by the table
    (:mod:`uno_table.web.session`), which reads them no faster than allowed.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.close_timeout = CLOSING_SECONDS
        self._allowance = Allowance()

    def data_received(self, data: bytes) -> None:
        """Read what has come, a slice at a time, until the socket is closed."""
        for start in range(0, len(data), SLICE):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + SLICE])

    def handle_ping(self) -> None:
        """Answer a ping."""
        if self._is_allowed():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take the answer to a ping."""
        if self._is_allowed():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Take a further part of a message."""
        if self._is_allowed():
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Hand a message on. A text that is not UTF-8 closes the socket."""
        if self.close_sent:
            self._is_allowed()
        elif self.curr_msg_data_type == "text" and not _is_text(b"".join(self.frames)):
            _log.warning("a socket sent a text that is not UTF-8, and was closed")
            self._close(NO_TEXT, "a text that is not UTF-8")
            return
        super().send_receive_event_to_app()

    def _is_allowed(self) -> bool:
        """Count a frame. Close the socket if there were too many."""
        if self.transport.is_closing():
            return False
        is_allowed = self._allowance.take(self.loop.time()) == 0
        if not is_allowed:
            self._close(TOO_MANY, "too many frames that are no messages")
        return is_allowed

    def _close(self, code: int, reason: str) -> None:
        self.frames = []
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if not self.close_sent:
            self.conn.send_close(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        self.transport.close()


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
