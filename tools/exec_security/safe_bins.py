"""Filters that may stand in a pipe: they read their input, no files, and run nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tools.exec_security.options import option_hits
from tools.exec_security.words import Word


@dataclass(frozen=True, slots=True)
class SafeBinProfile:
    """How many words may stand beside options, which options have a value, which are refused."""

    least: int = 0
    most: int = 0
    valued: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()


def _profile(most: int, valued: str, denied: str, least: int = 0) -> SafeBinProfile:
    return SafeBinProfile(least, most, frozenset(valued.split()), frozenset(denied.split()))


DEFAULT_BINS = ("cut", "uniq", "head", "tail", "tr", "wc")
PROFILES: Mapping[str, SafeBinProfile] = {
    "cut": _profile(
        0, "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter", ""
    ),
    "uniq": _profile(0, "-f -s -w --skip-fields --skip-chars --check-chars", ""),
    "head": _profile(0, "-n -c --lines --bytes", ""),
    "tail": _profile(0, "-n -c --lines --bytes", "-f -F --follow --retry --pid"),
    "tr": _profile(2, "", "", least=1),
    "wc": _profile(0, "", "--files0-from"),
    "jq": _profile(
        1, "--indent", "-f --from-file -L --library-path --slurpfile --rawfile --argfile --args "
        "--jsonargs --run-tests", least=1,
    ),
    "grep": _profile(
        1, "-m -A -B -C --max-count --context", "-e --regexp -f --file -r -R --recursive "
        "--dereference-recursive -d --directories --exclude-from --include -P", least=1,
    ),
    "sort": _profile(
        0, "-k -t --key --field-separator", "-o --output -T --temporary-directory "
        "--compress-program --files0-from --random-source -S --buffer-size --parallel --batch-size",
    ),
}  # fmt: skip


def safe_bin_passes(words: tuple[Word, ...], profile: SafeBinProfile) -> bool:
    """Whether the arguments leave the program a filter of its input."""
    if not all(word.literal for word in words):
        return False
    letters = "".join(name[1] for name in profile.denied if len(name) == 2)
    names = [name[2:] for name in profile.denied if name.startswith("--")]
    positional = 0
    at = 0
    while at < len(words):
        text = words[at].text
        if not text.startswith("-"):
            positional += 1
            if "/" in text and len(text) > 1:
                return False
        elif text in ("-", "--") or option_hits(text, letters, names):
            return False
        elif text in profile.valued:
            at += 1
        at += 1
    return profile.least <= positional <= profile.most
