"""Options with which ordinary programs run other programs, or write where they are told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tools.exec_security.words import Word


@dataclass(frozen=True, slots=True)
class Risky:
    """`letters` of short options, `names` of long ones, and whole words such as subcommands.

    `bundle`: the first word is letters even without a dash. `inside`: texts that no word may hold.
    """

    letters: str = ""
    names: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    bundle: bool = False
    inside: tuple[str, ...] = ()


RISKY: Mapping[str, Risky] = {
    "tar": Risky(
        "FI",
        ("to-command", "checkpoint-action", "use-compress-program", "rsh-command", "info-script",
         "new-volume-script", "rmt-command", "absolute-names"),
        bundle=True,
    ),
    "bsdtar": Risky("", ("use-compress-program",), bundle=True),
    "cpio": Risky("F", ("rsh-command", "file")),
    "rsync": Risky("e", ("rsh", "rsync-path", "remote-option", "daemon", "log-file", "write-batch",
                         "files-from", "config")),
    "sort": Risky("oT", ("output", "compress-program", "files0-from", "temporary-directory")),
    "zip": Risky("T", ("unzip-command", "test")),
    "7z": Risky("o"),
    "curl": Risky(
        "oOKTJDc",
        ("output", "remote-name", "remote-name-all", "remote-header-name", "config", "upload-file",
         "output-dir", "dump-header", "cookie-jar", "trace", "trace-ascii", "stderr", "libcurl",
         "netrc", "netrc-file", "etag-save", "hsts", "alt-svc", "unix-socket", "engine"),
        inside=("@", "file:"),
    ),
    "wget": Risky(
        "OioaePx",
        ("output-document", "input-file", "output-file", "append-output", "execute", "use-askpass",
         "post-file", "body-file", "directory-prefix", "config", "save-cookies", "load-cookies",
         "warc-file", "rejected-log"),
    ),
    "rg": Risky("z", ("pre", "hostname-bin", "search-zip")),
    "ag": Risky("", ("pager",)),
    "ack": Risky("", ("pager", "ackrc")),
    "fd": Risky("xX", ("exec", "exec-batch")),
    "fdfind": Risky("xX", ("exec", "exec-batch")),
    "make": Risky("", ("eval",), inside=("SHELL=", "MAKEFLAGS=", "$(", "!=")),
    "gcc": Risky("B", ("wrapper", "specs"), inside=("-wrapper", "-fplugin", "-specs", "@")),
    "cc": Risky("B", ("wrapper", "specs"), inside=("-wrapper", "-fplugin", "-specs", "@")),
    "clang": Risky("B", (), inside=("-fplugin", "-load", "--config", "@")),
    "split": Risky("", ("filter",)),
    "shuf": Risky("o", ("output",)),
    "tree": Risky("o", ("output",)),
    "patch": Risky("eo", ("ed", "output")),
    "ssh-keygen": Risky("D"),
    "nmap": Risky("", ("script", "interactive", "datadir", "servicedb")),
    "tcpdump": Risky("zw", ("postrotate-command",)),
    "npm": Risky("", ("script-shell", "node-options"), frozenset({"exec", "x", "explore", "init",
                                                                  "create", "set", "config"})),
    "pnpm": Risky("", ("script-shell",), frozenset({"exec", "dlx", "create"})),
    "yarn": Risky("", (), frozenset({"exec", "dlx", "create"})),
    "cargo": Risky("", ("config",)),
    "go": Risky("", ("exec", "toolexec", "vettool"), frozenset({"generate", "env"}),
                inside=("-exec", "-toolexec", "-vettool")),
    "pip": Risky("", ("build-option", "global-option", "config-settings")),
    "gh": Risky("", (), frozenset({"alias", "extension", "ext", "codespace", "config"})),
    "journalctl": Risky("", ("cursor-file", "flush", "rotate")),
    "date": Risky("sf", ("set", "file")),
    "uniq": Risky(),
    "nice": Risky(),
    "dpkg": Risky("", ("pre-invoke", "post-invoke", "root", "admindir")),
    "apt": Risky("o", ("option", "config-file")),
    "apt-get": Risky("oc", ("option", "config-file")),
    "jq": Risky("L", ("library-path",)),
    "grep": Risky("f", ("file",)),
    "ctest": Risky("", ("build-and-test",)),
    "cmake": Risky("EP", ("build",)),
}  # fmt: skip


def risky_option(name: str, words: Sequence[Word]) -> str:
    """What about the arguments of the program `name` needs a person; "" for nothing."""
    table = RISKY.get(name)
    if table is None:
        return ""
    for index, word in enumerate(words):
        if not word.literal and word.may_be_option:
            return f"{word.raw} may turn into an option of {name}"
        text = word.text
        if option_hits(text, table.letters, table.names):
            return f"{name} {text}"
        if table.bundle and index == 0 and any(letter in text for letter in table.letters):
            return f"{name} {text}"
        if text in table.words or any(part in text for part in table.inside):
            return f"{name} {text}"
    return ""


def option_hits(text: str, letters: str, names: Sequence[str]) -> bool:
    """Whether `text` is one of the options: a letter in a cluster, or a long name, perhaps cut."""
    if text.startswith("--"):
        given = text[2:].partition("=")[0]
        return bool(given) and any(name.startswith(given) for name in names)
    if not text.startswith("-") or text == "-":
        return False
    # Some programs take long options behind a single dash.
    given = text[1:].partition("=")[0]
    return any(letter in given for letter in letters) or given in names
