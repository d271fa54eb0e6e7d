"""Memory and processor time of a gateway's processes, as the operating system counts them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.platform.gateway import Gateway

_CHILDREN = ("web", "worker", "redis")
_KILOBYTES_PER_MEGABYTE = 1024


def pss_parse(rollup: str) -> float:
    """Megabytes of the `Pss:` line of a smaps_rollup file; 0 when it has none."""
    for line in rollup.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / _KILOBYTES_PER_MEGABYTE
    return 0.0


def memory_by_process(gateway: Gateway) -> dict[str, float]:
    """Proportional set size in megabytes of each process, and their "sum"."""
    found = dict.fromkeys(("supervisor", *_CHILDREN, "other"), 0.0)
    for name, pid in _family(gateway):
        try:
            found[name] += pss_parse(Path(f"/proc/{pid}/smaps_rollup").read_text())
        except OSError:
            continue
    sizes = {name: round(size, 1) for name, size in found.items() if size}
    return {**sizes, "sum": round(sum(found.values()), 1)}


def cpu_by_process(gateway: Gateway) -> dict[str, float]:
    """Seconds of processor time that each process has used since it began."""
    found: dict[str, float] = {}
    for name, pid in _family(gateway):
        try:
            times = psutil.Process(pid).cpu_times()
        except psutil.Error:
            continue
        found[name] = found.get(name, 0.0) + times.user + times.system
    return found


def _family(gateway: Gateway) -> list[tuple[str, int]]:
    assert gateway.process is not None
    names = {gateway.pid_of(name): name for name in _CHILDREN}
    root = psutil.Process(gateway.process.pid)
    below = [(names.get(child.pid, "other"), child.pid) for child in root.children(recursive=True)]
    return [("supervisor", root.pid), *below]


@dataclass
class CpuMeter:
    """Processor time between its making and `per_turn`."""

    gateway: Gateway

    def __post_init__(self) -> None:
        self._before = cpu_by_process(self.gateway)

    def per_turn(self, turns: int) -> dict[str, float]:
        """Milliseconds a turn by process."""
        now = cpu_by_process(self.gateway)
        spent = {name: now[name] - self._before.get(name, 0.0) for name in now}
        return {name: round(seconds * 1000 / turns, 2) for name, seconds in spent.items()}


class Neighbours:
    """How many cores programs outside of this process tree use: the noise of a shared machine."""

    def __init__(self) -> None:
        self._start = self._read()

    def _read(self) -> tuple[float, float, float]:
        times = psutil.cpu_times()
        busy = sum(times[:8]) - times.idle - getattr(times, "iowait", 0.0)
        return time.monotonic(), busy, _own_seconds()

    def cores(self) -> float:
        """Cores in use by others, on average since this object was made."""
        wall, busy, ours = (b - a for a, b in zip(self._start, self._read(), strict=True))
        return round(max(0.0, busy - ours) / max(wall, 0.001), 2)


def _own_seconds() -> float:
    """What this process and everything below it has used, ended processes included."""
    total = 0.0
    own = psutil.Process()
    for process in [own, *own.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total
