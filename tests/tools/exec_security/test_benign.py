"""Commands of everyday work run by themselves, with a list that fits or with none."""

from __future__ import annotations

import pytest

from tests.tools.exec_security.conftest import Judge
from tests.tools.exec_security.test_attacks import ATTACKS, LOOKS
from tools.exec_security.analysis import ListRules, command_analyse
from tools.exec_security.patterns import Allowance, exact_pattern
from tools.exec_security.place import Place

LISTED = (
    "git status", "git log --oneline -5", "git diff HEAD~1 -- a.txt",
    "git add -A && git commit -m 'x'",
    "git push -u origin main", "git checkout -b new", "git log | head -5",
    "git log 2>&1 | tail -n 3",
    "git fetch --prune", "git clean -xfd", "git stash list", "git -C sub status",
    "TZ=Europe/Berlin git log", "git add .gitignore",
    "git clone https://x.example/a.git", "git clone git@x.example:a/b.git c",
    "git commit -m '" + "word " * 100 + "'",
    "TZ=America/Indiana/Knox git log",
    "git --no-pager log",
    "git commit -m 'a; rm -rf $(x) && `y`'", "env git status", "env LANG=C git log",
    "nice -n 5 git gc",
    "timeout 60 git fetch", "timeout -k 5 60s git fetch", "nohup git gc", "time git status",
    "sh -c 'git status && git log'", "bash -lc 'git status'", "/bin/sh -c 'git log | head'",
    "exec git status", "command git status", "stdbuf -oL git log", "LANG=C git log",
    "LC_ALL=C git log",
    "git status; git log", "git status\ngit log", "git status || true", "cd sub && git status",
    "find . -name '*.py' -exec rm {} \\;", "find . -type f -exec rm -f {} +", "ls | xargs rm",
    "find . -print0 | xargs -0 rm", "xargs -n 1 rm", "xargs -I{} rm {}",
    "curl -s https://x.example",
    "curl -sL https://x.example | tar xz", "tar czf x.tgz sub", "tar -xf x.tar", "make -j4 test",
    "python3 script.py", "python3 -u script.py --flag", "python3 -m pytest -q", "python3 --version",
    "node build.js", "npm test", "npm run build 2>&1", "sed -n 5,9p a.txt", "sed 's/a/b/g' a.txt",
    "rsync -a a/ b/", "zip -r x.zip sub", "rg -n pattern", "sort -u a.txt", "git status # see",
    "git log --format='%h %s'", "git show HEAD:a.txt >/dev/null", "git log \\\n  --oneline",
    "git log -- src/*.py", 'git add "src/$NAME"',
)  # fmt: skip


def test_it_works(judge: Judge) -> None:
    assert judge("git status").satisfied


@pytest.mark.parametrize("command", LISTED)
def test_with_a_list_that_fits(judge: Judge, command: str) -> None:
    analysis = judge(command)
    assert analysis.satisfied, analysis.reasons
    assert analysis.used


UNLISTED = (
    "ls", "ls -la", "ls -la sub", "ls a.txt sub", "pwd", "cat a.txt", "cat -n a.txt",
    "cat sub/../a.txt",
    "head -5 a.txt", "head -n 5 a.txt", "tail -n5 a.txt", "wc -l a.txt", "grep -rn x .",
    "grep -i x a.txt",
    "grep -A 2 x a.txt", "find . -name '*.txt' -type f", "find sub -maxdepth 1", "echo hello",
    "echo $HOME",
    "echo 'a b' \"c\" d", "echo -e 'a\\0b'", "true", "false", ":", "exit 3",
    "sleep 0.1; echo slept", "date",
    "date +%s", "cat a.txt | sort | uniq -c | head", "ls | wc -l", "ls | grep x",
    "cat a.txt | cut -d: -f1",
    "cat a.txt | tr a-z A-Z", "cd sub && ls", "cd sub; pwd", "ls 2>/dev/null", "ls >/dev/null 2>&1",
    "sh -c 'ls | wc -l'", "env ls", "cat ./a.txt", "ls 'a.txt'", "ls # all",
    "ls && cat a.txt; echo done", "diff a.txt sub/b.txt",
    "command -v git", "echo ü日本語", "grep 日本 a.txt", "ls missing", "cat missing.txt", "time ls",
)  # fmt: skip


@pytest.mark.parametrize("command", UNLISTED)
def test_looking_needs_no_list(judge: Judge, command: str) -> None:
    analysis = judge(command, allowed="")
    assert analysis.satisfied, analysis.reasons
    assert not analysis.used


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        ("git status", "git"),
        ("nice -n 5 env git status", "git"),
        ("sh -c 'git status'", "git"),
        ("bash -lc 'sh -c \"git status\"'", "git"),
        ("find . -exec rm {} \\;", "rm"),
        ("ls | xargs rm", "rm"),
        ("git log | make", "git make"),
    ],
)
def test_what_is_kept_is_the_program(judge: Judge, command: str, kept: str) -> None:
    """Never the shell, the wrapper, or what only starts it."""
    analysis = judge(command, allowed="")
    assert [path.rsplit("/", 1)[-1] for path in analysis.always] == kept.split()


@pytest.mark.parametrize(
    "command",
    [
        "git log > f", "python3 script.py", "sh script.sh", "sed s/a/b/ a.txt", "vim a.txt",
        "cat /etc/passwd",
        "git -c a.b=c log", "FOO=1 git log", "ls; cat /etc/hosts", "docker ps",
        "git status && python3 x.py",
    ],
)  # fmt: skip
def test_otherwise_the_exact_command_is_kept(judge: Judge, command: str, place: object) -> None:
    (entry,) = judge(command, allowed="").always
    assert entry.startswith("=command:")
    assert len(entry) == len("=command:") + 16


def test_inline_code_where_it_is_not_strict(judge: Judge) -> None:
    assert not judge("python3 -c 1").satisfied
    assert judge("python3 -c 1", strict=False).satisfied
    assert not judge("ruby -e 1", strict=False).satisfied


@pytest.mark.parametrize("part", range(4))
def test_who_allows_for_always_is_not_asked_again(judge: Judge, place: Place, part: int) -> None:
    """Whatever is kept is enough, and where nothing is kept an entry does not help."""
    for command in (*LISTED, *ATTACKS, *LOOKS)[part::4]:
        first = judge(command, allowed="")
        entries = tuple(Allowance(pattern, id=1) for pattern in first.always)
        if first.satisfied:
            continue
        kept = entries or (Allowance(exact_pattern(command)),)
        second = command_analyse(command, place=place, rules=ListRules(kept))
        assert second.satisfied == bool(entries), (command, first, second)
