"""Runs one command and outlives whoever started it.

    python -I -S runner.py <input> <seconds> <folder> <program> [argument …]

Its own working folder is where it writes: `state`, the output, and the socket `s` once it was let
go. Its environment is the command's. <input> is `none`, `pipe` or `pty`; <seconds> 0 is no limit.

Standard input is its tie to the starter: "K" ends the command, "D" lets it go (the command then
lives on without the starter), and an end without "D" (the starter died) ends the command, too.
Standard output tells the starter `started <pid>`, `failed <errno>`, `free`, `ended`.
It imports little, so that it is there in a few milliseconds.
"""

# pathlib and contextlib take longer to import than all the rest.
# ruff: noqa: PTH100, PTH104, PTH106, PTH108, PTH109, PTH118, PTH120, PTH123, PTH208, SIM105
from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tools.background.desk import Desk

# Seconds between asking a process group to end and killing it.
_GRACE_SECONDS = 2.0
# How long output may stay silent, and be awaited at all, once the program itself has ended.
_QUIET_SECONDS = 0.1
_DRAIN_SECONDS = 1.0
_READ_BYTES = 64 * 1024
# A full read means a flood of output; a pause bounds what it costs.
_FLOOD_PAUSE_SECONDS = 0.002
# Input that the command has not taken yet, and one request on the socket.
_MOST_PENDING = 1 << 20
_IN, _OUT = select.POLLIN | select.POLLHUP | select.POLLERR, select.POLLOUT

_DEFAULT_SIGNALS = (
    signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP,
)  # fmt: skip


class Runner:
    """One command from its start to its end."""

    def __init__(self, kind: str, seconds: float, folder: str, argv: Sequence[str]) -> None:
        self._kind, self._seconds, self._folder, self._argv = kind, seconds, folder, list(argv)
        self._poll = select.poll()
        self._pid = 0
        self._code: int | None = None
        self._by = "itself"
        self._started = time.time()
        self._ended = 0.0
        self._deadline = 0.0
        self._kill_at = 0.0
        self._exited_at = 0.0
        self._last_output = 0.0
        self._free = False
        self._left_running = False
        self._output = -1
        self._input = -1
        self._pending = b""
        self._closing_input = False
        self._desk: Desk | None = None

    def run(self) -> int:
        """Runs the command to its end. Returns the runner's own exit code."""
        from tools.background.segments import SegmentWriter

        self._home = os.getcwd()
        self._umask = os.umask(0o077)
        self._writer = SegmentWriter(".")
        wake = self._watch_children()
        problem = self._spawn()
        if problem:
            self._tell(f"failed {problem}")
            return 1
        try:
            self._write_state()
            self._tell(f"started {self._pid}")
            for descriptor in (0, wake, self._output):
                self._poll.register(descriptor, _IN)
            while not self._over():
                self._step(wake)
            self._finish()
        finally:
            # Whatever went wrong here, nothing is left without anybody who looks after it.
            if self._code is None:
                self._signal(signal.SIGKILL)
        return 0

    # -- the start

    def _watch_children(self) -> int:
        wake, notify = os.pipe()
        os.set_blocking(notify, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(notify, warn_on_full_buffer=False)
        return wake

    def _spawn(self) -> int:
        """Starts the command; returns an errno when it could not be."""
        given = self._descriptors()
        told, tell = os.pipe()
        try:
            self._pid = os.fork()
        except OSError as error:
            return error.errno or 1
        if self._pid == 0:
            self._become(given, tell)
        os.close(tell)
        for descriptor in set(given):
            os.close(descriptor)
        problem = os.read(told, 16)
        os.close(told)
        if problem:
            os.waitpid(self._pid, 0)
            return int(problem)
        if self._seconds:
            self._deadline = time.monotonic() + self._seconds
        return 0

    def _descriptors(self) -> tuple[int, int]:
        """What the command gets as input and as output; keeps the other ends."""
        if self._kind == "pty":
            import fcntl
            import termios

            self._output, given = os.openpty()
            # 24 lines of 80 characters, as four short numbers.
            fcntl.ioctl(given, termios.TIOCSWINSZ, bytes((24, 0, 80, 0, 0, 0, 0, 0)))
            self._input = self._output
            os.set_blocking(self._output, False)
            return given, given
        self._output, out = os.pipe()
        if self._kind == "pipe":
            given, self._input = os.pipe()
            os.set_blocking(self._input, False)
        else:
            given = os.open(os.devnull, os.O_RDONLY)
        return given, out

    def _become(self, given: tuple[int, int], tell: int) -> None:
        """Turns the forked process into the command. Does not return."""
        try:
            os.setsid()
            if self._kind == "pty":
                import fcntl
                import termios

                fcntl.ioctl(given[0], termios.TIOCSCTTY, 0)
            for target, source in ((0, given[0]), (1, given[1]), (2, given[1])):
                os.dup2(source, target)
            os.chdir(self._folder)
            os.umask(self._umask)
            # A gateway that was started in the background ignores what a terminal sends.
            for number in _DEFAULT_SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            os.execv(self._argv[0], self._argv)  # noqa: S606 - it is the command
        except OSError as error:
            os.write(tell, str(error.errno).encode())
        finally:
            os._exit(127)

    # -- while it runs

    def _step(self, wake: int) -> None:
        for descriptor, events in self._poll.poll(self._patience()):
            if descriptor == 0:
                self._hear()
            elif descriptor == wake:
                os.read(wake, 4096)
            elif descriptor in (self._output, self._input):
                self._move(descriptor, events)
            elif self._desk is not None:
                self._desk.handle(descriptor)
        self._reap()
        self._check_times()

    def _patience(self) -> int | None:
        """Milliseconds until something must be looked at without an event."""
        if self._kill_at or self._exited_at:
            return 20
        if not self._deadline:
            return None
        # A poll cannot wait for longer than an int holds.
        left = (self._deadline - time.monotonic()) * 1000
        return max(0, min(int(left) + 1, 3_600_000))

    def _move(self, descriptor: int, events: int) -> None:
        if descriptor == self._output and events & _IN:
            self._read()
        if descriptor == self._input and self._input >= 0 and events & (_OUT | select.POLLERR):
            self._feed()

    def _read(self) -> None:
        try:
            data = os.read(self._output, _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""  # how the end of a terminal shows itself
        if not data:
            self._close_output()
            return
        self._last_output = time.monotonic()
        try:
            self._writer.write(data)
        except OSError:
            pass  # a full disk, or a folder that was removed: the command must not hang for it
        if len(data) == _READ_BYTES:
            time.sleep(_FLOOD_PAUSE_SECONDS)

    def _close_output(self) -> None:
        if self._output < 0:
            return
        self._poll.unregister(self._output)
        os.close(self._output)
        if self._input == self._output:
            self._input = -1
        self._output = -1

    def _hear(self) -> None:
        said = os.read(0, 1)
        if said == b"D":
            self._let_go()
        elif said == b"K":
            self._stop("kill")
        else:
            self._poll.unregister(0)
            if not self._free:
                self._stop("parent")

    def _reap(self) -> None:
        if self._code is not None:
            return
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if pid:
            self._code = os.waitstatus_to_exitcode(status)
            self._ended = time.time()
            self._exited_at = time.monotonic()

    def _check_times(self) -> None:
        now = time.monotonic()
        if self._deadline and now >= self._deadline and self._code is None:
            self._deadline = 0.0
            self._stop("timeout")
        if self._kill_at and now >= self._kill_at:
            self._kill_at = 0.0
            self._signal(signal.SIGKILL)

    def _stop(self, by: str) -> None:
        if self._code is None and self._by == "itself":
            self._by = by
            self._kill_at = time.monotonic() + _GRACE_SECONDS
            self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> bool:
        try:
            os.killpg(self._pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    def _over(self) -> bool:
        if self._code is None:
            return False
        if self._kill_at and self._signal(0):
            return False
        if self._output < 0:
            return True
        now = time.monotonic()
        quiet = now - max(self._last_output, self._exited_at) > _QUIET_SECONDS
        self._left_running = quiet or now - self._exited_at > _DRAIN_SECONDS
        return self._left_running

    def _finish(self) -> None:
        self._writer.close()
        if self._by != "itself":
            self._signal(signal.SIGKILL)
        try:
            self._write_state()
        except OSError:
            pass  # the folder was removed: nobody wants to know
        if self._desk is not None:
            self._desk.close()
        self._tell("ended")
        if self._by == "parent":
            self._vanish()

    def _vanish(self) -> None:
        """Removes the folder: whoever waited for the command is gone."""
        try:
            for name in os.listdir(self._home):
                os.unlink(os.path.join(self._home, name))
            os.rmdir(self._home)
        except OSError:
            pass

    # -- talking to others

    def _let_go(self) -> None:
        # Only now: what it needs takes as long to import as everything before.
        from tools.background.desk import Desk

        self._desk = Desk(self._poll, self._answer, most_bytes=_MOST_PENDING + 1)
        self._free = True
        self._write_state()
        self._tell("free")

    def _answer(self, request: bytes) -> str:
        """What comes of a request: W and bytes to write, E to end the input, K to kill."""
        kind, data = request[:1], request[1:]
        if kind == b"K":
            self._stop("kill")
            return "ok"
        if self._input < 0 or self._closing_input or self._code is not None:
            return "closed"
        if kind == b"E":
            if self._kind == "pty":
                data = b"\x04"
            else:
                self._closing_input = True
        elif kind != b"W":
            return "unknown"
        if len(self._pending) + len(data) > _MOST_PENDING:
            return "full"
        self._pending += data
        self._feed()
        return "ok"

    def _feed(self) -> None:
        try:
            if self._pending:
                self._pending = self._pending[os.write(self._input, self._pending) :]
        except BlockingIOError:
            pass
        except OSError:
            self._pending, self._closing_input = b"", True
        self._want_to_write(bool(self._pending))
        if self._closing_input and not self._pending and self._input != self._output:
            os.close(self._input)
            self._input = -1

    def _want_to_write(self, wanted: bool) -> None:
        if self._input == self._output:
            self._poll.modify(self._output, _IN | _OUT if wanted else _IN)
        elif wanted:
            self._poll.register(self._input, _OUT)
        else:
            try:
                self._poll.unregister(self._input)
            except KeyError:
                pass

    def _tell(self, line: str) -> None:
        try:
            os.write(1, line.encode() + b"\n")
        except OSError:
            pass

    def _write_state(self) -> None:
        code = "null" if self._code is None else str(self._code)
        text = (
            f'{{"runner": {os.getpid()}, "runnerTicks": {_ticks(os.getpid())}, '
            f'"pid": {self._pid}, "ticks": {_ticks(self._pid)}, '
            f'"started": {self._started:.3f}, "ended": {self._ended:.3f}, "code": {code}, '
            f'"by": "{self._by}", "free": {str(self._free).lower()}, '
            f'"leftRunning": {str(self._left_running).lower()}}}'
        )
        with open("state.new", "w", encoding="ascii") as file:
            file.write(text)
        os.rename("state.new", "state")


def _ticks(pid: int) -> int:
    """When the process started, in the kernel's clock; tells a later one with the same number."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rsplit(b")", 1)[1].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def main() -> int:
    """Reads the command line. The parts of this package are found beside this file."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    sys.path.insert(0, root)
    kind, seconds, folder, *argv = sys.argv[1:]
    return Runner(kind, float(seconds), folder, argv).run()


if __name__ == "__main__":
    sys.exit(main())
