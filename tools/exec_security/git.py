"""git: which of its commands do what their name says and run nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tools.exec_security.name_set import name_set
from tools.exec_security.options import option_hits
from tools.exec_security.place import Place, is_there
from tools.exec_security.words import Word

_COMMANDS = name_set(
    """
    add am apply archive blame branch cat-file check-ignore checkout cherry-pick clean clone
    commit describe diff diff-index diff-tree fetch for-each-ref fsck gc grep hash-object init
    log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull push range-diff
    rebase reflog remote reset restore rev-list rev-parse revert rm shortlog show show-ref
    stash status switch symbolic-ref tag update-index verify-commit whatchanged worktree
    write-tree version
    """
)
_PLAIN = name_set(
    """
    --no-pager --version --help --no-optional-locks --literal-pathspecs --no-replace-objects
    """
)
_NAMES = (
    "upload-pack", "receive-pack", "exec", "config", "template", "open-files-in-pager",
    "ext-diff", "textconv", "output", "remote", "config-env", "exec-path", "edit", "interactive",
    "separate-git-dir", "strategy",
)  # fmt: skip
_LETTERS: Mapping[str, str] = {
    "clone": "cu", "ls-remote": "u", "grep": "O", "rebase": "xis", "init": "", "merge": "s",
    "pull": "s", "cherry-pick": "e", "archive": "o",
}  # fmt: skip
# Also as the value of an option.
_TRANSPORT = re.compile(r"(?:--[a-z-]+=)?[A-Za-z0-9+.-]+::")


def git_risk(words: Sequence[Word]) -> str:
    """What about the arguments of git needs a person; "" for nothing."""
    for word in words:
        if not word.literal and word.may_be_option:
            return f"{word.raw} may turn into an option of git"
        if _TRANSPORT.match(word.text):
            return f"git with the address {word.text}"
    at = 0
    while at < len(words) and words[at].text.startswith("-"):
        if words[at].text == "-C":
            at += 2
        elif words[at].text in _PLAIN:
            at += 1
        else:
            return f"git {words[at].text}"
    if at >= len(words):
        return ""
    name = words[at].text
    if name not in _COMMANDS or not words[at].literal:
        return f"git {name}"
    for word in words[at + 1 :]:
        if word.text == "--":
            break
        if option_hits(word.text, _LETTERS.get(name, ""), _names(name)):
            return f"git {name} {word.text}"
    return ""


def git_disguise(words: Sequence[Word], place: Place) -> str:
    """What of git's own files a command would work in, or a folder of the workspace that git takes
    for a repository though it is not called .git; "" for none.

    The settings of a repository say what git runs. In such a folder they are plain files.
    """
    for word in words:
        if _OWN.search(word.text):
            return word.text
    for began in place.folders:
        folder = began
        for index, word in enumerate(words[:-1]):
            if word.text == "-C":
                folder = folder / words[index + 1].text
        named = [folder / word.text for word in words if word.literal and word.text]
        for one in (*_upwards(folder), *named):
            if place.holds(one) and all(is_there(one / name) for name in _REPOSITORY):
                return str(one)
        if _OWN.search(str(folder)):
            return str(folder)
    return ""


# The folder .git or something in it, not an address that ends with .git.
_OWN = re.compile(r"(?:^|[/=])\.git(?:/|$)", re.IGNORECASE)
# What makes a folder a repository to git.
_REPOSITORY = ("HEAD", "objects", "refs")


def _upwards(folder: Path) -> Iterator[Path]:
    """The folders in which git looks for a repository, up to the one that has its .git."""
    try:
        real = folder.resolve()
    except (OSError, RuntimeError):
        return
    for one in (real, *real.parents):
        if is_there(one / ".git"):
            return
        yield one


def _names(name: str) -> tuple[str, ...]:
    # A push deletes or sets remote branches by options that are no programs.
    return tuple(long for long in _NAMES if not (name == "add" and long == "edit"))
