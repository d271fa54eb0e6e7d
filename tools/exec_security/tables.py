"""What is known of programs by name: which run others, which change rights, which are languages."""

from __future__ import annotations

import re

from tools.exec_security.name_set import name_set

SHELLS = name_set(
    """
    sh bash dash zsh ksh ksh93 mksh ash rbash yash fish csh tcsh pwsh powershell posh
    """
)
# Whoever these let act as somebody else, or in another world, is asked about each time.
PRIVILEGE = name_set(
    """
    sudo sudoedit doas su pkexec runuser run0 sg newgrp login chroot unshare nsenter setpriv
    capsh machinectl systemd-nspawn systemd-run gosu su-exec
    """
)
# Programs and builtins that run what they are told in a way that is not looked into.
CARRIERS = name_set(
    """
    eval source . builtin trap alias enable hash coproc bind complete compgen fc history
    parallel sem watch ssh scp sftp mosh rsh telnet script scriptreplay expect tmux screen
    byobu at batch crontab flock strace ltrace gdb lldb perf valgrind xvfb-run dbus-run-session
    start-stop-daemon daemonize entr unbuffer rlwrap socat nc ncat netcat docker podman nerdctl
    ctr kubectl npx pnpx bunx uvx pipx corepack taskset numactl setarch linux32 linux64 choom
    prlimit proot fakeroot fakechroot firejail bwrap ld.so run-parts run-one openvt logsave
    torsocks torify proxychains proxychains4 faketime direnv nix nix-shell nix-env conda mamba
    ansible salt pdsh dsh clush chronic ts cpulimit tsp hyperfine multitime ip m4 busctl
    dbus-send gdbus ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 noglob zmodload autoload sched
    emulate openclaw
    """
)
EDITORS = name_set(
    """
    vi vim nvim view vimdiff rvim ex ed red emacs emacsclient nano pico joe less more most
    lesspipe man info lynx w3m links elinks mutt mc ranger nnn
    """
)
# Builtins that change the shell for the commands behind them, or compute what they are given.
BUILTINS = name_set(
    """
    set shopt export declare typeset local readonly unset read mapfile readarray let getopts
    pushd popd dirs test [ printf kill jobs fg bg disown wait umask ulimit times shift return
    break continue logout suspend caller setopt unsetopt vared zle bindkey print integer float
    whence functions rehash limit unlimit exit help type : true false echo pwd cd time command
    exec
    """
)
# Languages; with a program on the command line or in their input they can do anything.
INTERPRETERS = name_set(
    """
    python pypy ipython node nodejs deno bun ts-node tsx perl ruby irb php lua luajit osascript
    awk gawk mawk nawk original-awk tclsh wish guile racket julia R Rscript groovy jshell scala
    kotlin elixir iex erl escript ghci runghc ocaml swift octave psql mysql mariadb sqlite
    sqlite3 mongosh redis-cli gnuplot dc bc java jjs
    """
)
APPLET_BINARIES = frozenset({"busybox", "toybox"})
_VERSION = re.compile(r"[-.]?\d[\d.]*(-dbg)?\Z")
# A few names end with a digit that is no version.
_WHOLE = frozenset({"linux32", "linux64", "proxychains4", "sqlite3", "ksh93", "run0"})
_KINDS = (
    ("shell", SHELLS),
    ("privilege", PRIVILEGE),
    ("carrier", CARRIERS),
    ("editor", EDITORS),
    ("interpreter", INTERPRETERS),
    ("applets", APPLET_BINARIES),
    ("find", frozenset({"find", "xargs"})),
    ("sed", frozenset({"sed", "gsed"})),
)


def plain_name(path: str) -> str:
    """The last part of a path without a version: python for /usr/bin/python3.11."""
    name = path.rsplit("/", 1)[-1]
    return name if name in _WHOLE else _VERSION.sub("", name) or name


def kind_of(path: str) -> str:
    """What kind of program the name means; "" for an ordinary one."""
    name = plain_name(path).removesuffix(".basic").removesuffix(".tiny")
    return next((kind for kind, names in _KINDS if name in names), "")
