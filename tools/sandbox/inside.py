"""The programs that run inside a container around a command. Pure: imported where little is."""

from __future__ import annotations

from tools.sandbox.stream import START

_COMMAND = (
    START
    + r"""
cd -- "$1" 2>/dev/null || {
  printf 'workdir: %s is not there in the sandbox or is no folder.\n' "$1"; exit 1
}
case $3 in
  none) exec sh -lc "$2" </dev/null;;
  *) exec sh -lc "$2";;
esac
"""
)

# Asked to end first, killed a second later; then again, for what was started meanwhile.
_KILL = r"""
each() {
  for folder in /proc/[0-9]*; do
    case $(tr '\000' '\n' <"$folder/environ" 2>/dev/null) in
      *"OC_EXEC=$1"*) kill -s "$2" "${folder#/proc/}" 2>/dev/null && found=1;;
    esac
  done
}
found=
each "$1" TERM
[ "$found" ] || exit 0
sleep 1
for turn in 1 2 3 4 5; do
  found=
  each "$1" KILL
  [ "$found" ] || exit 0
done
"""


def command_argv(folder: str, command: str, kind: str) -> list[str]:
    """A command line in a login shell, in a folder. `kind`: none, pipe or pty, its input."""
    return ["sh", "-c", _COMMAND, "sh", folder, command, kind]


def kill_argv(mark: str) -> list[str]:
    """Ends every process whose environment has the mark."""
    return ["sh", "-c", _KILL, "sh", mark]
