"""The scripts of the file bridge: POSIX sh and the usual small programs, nothing else.

A path is walked step by step with `cd -P`, and after every step the folder must still be below one
of the roots. The shell then stands in that folder, so exchanging a link behind it changes nothing.
They run with the rights of the sandbox's user, so what they may not do, the kernel refuses.

Arguments of each: the roots, one a line as `rw:/folder` or `ro:/folder`, deepest first; the root to
start from; the rest of the path; and what the script says. The answer begins with fields that end
in NUL: `ok` and facts, or `no`, a word and a text.
"""

from __future__ import annotations

from tools.sandbox.stream import START

_COMMON = (
    START
    + r"""
set -f; unset CDPATH; LC_ALL=C; export LC_ALL
nl='
'
blank=$IFS
roots=$1 make=
fail() { printf 'no\000%s\000%s\000' "$1" "${2-}"; exit 0; }
inside() {
  IFS=$nl
  for root in $roots; do
    case $PWD/ in "${root#*:}"/*) access=${root%%:*}; IFS=$blank; return;; esac
  done
  fail outside
}
enter() {
  if [ ! -e "./$1" ] && [ ! -L "./$1" ]; then
    [ "$make" ] || fail missing "$1"
    [ "$access" = rw ] || fail readonly
    why=$(mkdir "./$1" 2>&1) || [ -d "./$1" ] || fail failed "$why"
  fi
  [ -e "./$1" ] || fail broken "$1"
  [ -d "./$1" ] || fail notfolder "$1"
  cd -P "./$1" 2>/dev/null || fail denied
  inside
}
walk() {
  rest=$1
  while :; do
    case $rest in
      */*) step=${rest%%/*}; rest=${rest#*/}
        case $step in ''|.) ;; *) enter "$step";; esac;;
      *) break;;
    esac
  done
  name=$rest
  case $name in ..) enter ..; name=.;; ''|.) name=.;; esac
}
resolve() {
  links=0
  while [ -L "./$name" ]; do
    links=$((links + 1)); [ "$links" -le 40 ] || fail loop
    aim=$(readlink "./$name"; printf x); aim=${aim%??}
    case $aim in
      /*) up=${aim%/*}; name=${aim##*/}
        cd -P "${up:-/}" 2>/dev/null || fail broken
        inside
        case $name in ..) enter ..; name=.;; ''|.) name=.;; esac;;
      *) walk "$aim";;
    esac
  done
}
facts() { set -- $(ls -lnid "./$name" 2>/dev/null); bits=${2-} bytes=${6-}; }
sum() {
  sha256sum <"./$name" 2>/dev/null || cksum <"./$name" 2>/dev/null || ls -lnid "./$name"
}
names() {
  set +f
  for one in ./* ./.[!.]* ./..?*; do
    [ -e "$one" ] || [ -L "$one" ] || continue
    if [ -d "$one" ] && [ ! -L "$one" ]; then printf '%s/\000' "${one#./}"
    else printf '%s\000' "${one#./}"; fi
  done
  set -f
}
cd -P "$2" 2>/dev/null || fail broken
inside
"""
)

# [sum]: its checksum is wanted. Answers folder, name, mode, bytes, checksum; then the content.
READ = (
    _COMMON
    + r"""
walk "$3"; resolve
if [ -d "./$name" ]; then
  cd -P "./$name" 2>/dev/null || fail denied
  printf 'no\000folder\000\000'; names; exit 0
fi
if [ ! -e "./$name" ]; then printf 'no\000missing\000%s\000' "$name"; names; exit 0; fi
[ -f "./$name" ] || fail special
[ -r "./$name" ] || fail denied
facts
if [ "$4" ]; then check=$(sum); else check=; fi
printf 'ok\000%s\000%s\000%s\000%s\000%s\000' "$PWD" "$name" "$bits" "$bytes" "$check"
exec cat <"./$name"
"""
)

# Answers folder, name, kind (file, folder, special, absent), mode, checksum.
LOOK = (
    _COMMON
    + r"""
walk "$3"; resolve
kind=absent check=; facts
if [ -d "./$name" ]; then kind=folder
elif [ -f "./$name" ]; then kind=file; check=$(sum)
elif [ -e "./$name" ]; then kind=special; fi
printf 'ok\000%s\000%s\000%s\000%s\000%s\000' "$PWD" "$name" "$kind" "$bits" "$check"
"""
)

# EXPECTED: a checksum, `absent`, or empty for anything; BYTES: the length of the input; TEMPORARY:
# a free name; MODE: of a new file, or empty. Answers folder, name, and `new` or `old`.
WRITE = (
    _COMMON
    + r"""
expected=$4 length=$5 temporary=$6 mode=$7
make=1
walk "$3"; resolve
[ "$name" = . ] && fail folder
[ "$access" = rw ] || fail readonly
same() {
  case $expected in
    '') ;;
    absent) [ ! -e "./$name" ] || fail changed;;
    *) [ -f "./$name" ] && [ "$(sum)" = "$expected" ] || fail changed;;
  esac
}
state=new
if [ -e "./$name" ]; then
  [ -d "./$name" ] && fail folder
  [ -f "./$name" ] || fail special
  facts
  kept=${bits#?}; kept=${kept%"${kept#?????????}"}
  case $kept in *w*) ;; *) fail locked;; esac
  owner=${kept%??????} others=${kept#??????} group=${kept#???}; group=${group%???}
  mode=$(printf 'u=%s,g=%s,o=%s' "$owner" "$group" "$others" | tr 'st' 'xx' | tr -d 'ST-')
  state=old
fi
same
why=$( { set -C; cat >"./$temporary"; } 2>&1 ) || { rm -f "./$temporary"; fail failed "$why"; }
[ "$(wc -c <"./$temporary")" -eq "$length" ] || { rm -f "./$temporary"; fail cut; }
[ -z "$mode" ] || chmod "$mode" "./$temporary" 2>/dev/null
if [ "$expected" ] && { [ "$expected" = absent ] && [ -e "./$name" ] ||
  [ "$expected" != absent ] && [ "$(sum 2>/dev/null)" != "$expected" ]; }; then
  rm -f "./$temporary"; fail changed
fi
why=$(mv -f "./$temporary" "./$name" 2>&1) || { rm -f "./$temporary"; fail failed "$why"; }
printf 'ok\000%s\000%s\000%s\000' "$PWD" "$name" "$state"
"""
)

# EXPECTED as above. Removes a file.
REMOVE = (
    _COMMON
    + r"""
expected=$4
walk "$3"; resolve
[ "$access" = rw ] || fail readonly
[ -e "./$name" ] || fail missing "$name"
[ -d "./$name" ] && fail folder
[ -z "$expected" ] || [ "$(sum)" = "$expected" ] || fail changed
why=$(rm -f "./$name" 2>&1) || fail failed "$why"
printf 'ok\000'
"""
)
