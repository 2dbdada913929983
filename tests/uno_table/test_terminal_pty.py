"""`uno play` in a real terminal of 60 columns and 20 lines: its screen, from the bytes that it is sent."""

import os
import re
import select
import signal
import struct
import subprocess
import sys
import time

import pytest

COLUMNS, LINES = 60, 20
SEQUENCE = re.compile(
    r"\x1b\[(\d+);(\d+)H|\x1b\[[?>=]?[\d;:]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^\[\]]|[\r\n]|[^\x1b]"
)

pty = pytest.importorskip("pty")


def shown(text: str) -> list[str]:
    """The lines of the other screen, on which tables are drawn, after all that was sent: cursor and characters."""
    text = text.rpartition("\x1b[?1049h")[2]
    screen, line, column = [[" "] * COLUMNS for _ in range(LINES)], 0, 0
    for found in SEQUENCE.finditer(text):
        if found[1]:
            line, column = int(found[1]) - 1, int(found[2]) - 1
        elif found[0] == "\n":
            line += 1
        elif found[0] == "\r":
            column = 0
        elif found[0][0] != "\x1b" and line < LINES and column < COLUMNS:
            screen[line][column] = found[0]
            column += 1
    return ["".join(each) for each in screen]


def cards(lines: list[str]) -> int:
    """How many cards have all four corners on the screen."""
    tops = [re.findall(r"[╭┏╔][─━═]{6}[╮┓╗]", line) for line in lines]
    bottoms = [re.findall(r"[╰┗╚][─━═]{6}[╯┛╝]", line) for line in lines]
    return min(max(map(len, tops)), max(map(len, bottoms)))


def read_until(terminal: int, ready, seconds: float = 600.0) -> list[str]:
    """What is shown once it is ready, and nothing more is sent; else when the program has ended, or after so long."""
    sent, limit = b"", time.monotonic() + seconds
    while time.monotonic() < limit:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                sent += os.read(terminal, 65536)
            except OSError:
                break
        elif ready(lines := shown(sent.decode(errors="replace"))):
            return lines
    return shown(sent.decode(errors="replace"))


def command_line() -> list[str]:
    code = "from train.cli.main import main; import sys; sys.exit(main())"
    return [sys.executable, "-c", code, "play", "greedy", "--rules", "duel", "--seed", "1", "--forget"]


def environment() -> dict[str, str]:
    """COLUMNS and LINES, where somebody exports them, would hide the terminal's own size."""
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    return {**inherited, "TERM": "xterm-256color", "NUMBA_DISABLE_JIT": "1"}


def set_size(terminal: int) -> None:
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))


@pytest.mark.thorough
def test_every_card_of_a_deal_and_the_table_are_on_the_screen(tmp_path):
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(tmp_path)
        os.execve(sys.executable, command_line(), environment())
    try:
        set_size(terminal)
        lines = read_until(terminal, lambda lines: cards(lines) >= 7 and "Top card" in " ".join(lines))
        assert cards(lines) == 7, "\n".join(lines)
        assert "Top card" in " ".join(lines)
        os.write(terminal, b"q")
        read_until(terminal, lambda lines: False, 1.0)
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)


@pytest.mark.thorough
def test_a_table_whose_terminal_is_gone_ends_though_no_hangup_is_sent(tmp_path):
    terminal, ours = pty.openpty()  # not the controlling terminal of the process, which so is sent no hangup
    set_size(terminal)
    process = subprocess.Popen(
        command_line(), stdin=ours, stdout=ours, stderr=ours, cwd=tmp_path, env=environment(), start_new_session=True
    )
    os.close(ours)
    try:
        lines = read_until(terminal, lambda lines: cards(lines) >= 7)
        assert cards(lines) == 7, "\n".join([*lines, f"status of the program: {process.poll()}"])
        os.close(terminal)
        assert process.wait(600) == 128 + signal.SIGHUP
    finally:
        process.kill()
        process.wait()
