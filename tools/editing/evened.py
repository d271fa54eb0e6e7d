"""Text with its small differences evened out, that still knows where each character came from.

Models write straight quotes where a file has curly ones, a space where it has a no-break space,
and leave out blanks at line ends. A match in the evened text is mapped back, so that everything
around it in the file stays byte for byte as it was.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import combining, normalize

_SAME = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
        **dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000", " "),
        **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
    }
)


@dataclass(frozen=True, slots=True)
class Evened:
    """`text[i]` stands for the original's characters from `starts[i]` to `ends[i]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def find_all(self, wanted: str, most: int) -> list[tuple[int, int]]:
        """Where `wanted` (evened too) stands in the original, at most `most` places.

        A place that begins or ends inside an original character is none.
        """
        found: list[tuple[int, int]] = []
        at = self.text.find(wanted)
        while at >= 0 and len(found) < most:
            end = at + len(wanted)
            if self._between(at) and self._between(end):
                found.append((self.starts[at], self.ends[end - 1]))
            at = self.text.find(wanted, at + 1)
        return found

    def _between(self, at: int) -> bool:
        return at in (0, len(self.text)) or self.starts[at] != self.starts[at - 1]


def even_line_ends(text: str) -> Evened:
    """`text` with every CRLF as one newline."""
    return _evened(text, _unchanged)


def even_all(text: str) -> Evened:
    """`text` with CRLF, compatibility forms (NFKC), quotes, dashes and spaces evened out and the
    blanks at line ends left out."""
    return _evened(text, _alike)


# The characters that a line becomes, each with where its original begins and ends in the line.
_Line = tuple[str, Sequence[int], Sequence[int]]
_Rule = Callable[[str], _Line]


def _evened(text: str, rule: _Rule) -> Evened:
    pieces: list[str] = []
    starts, ends = array("L"), array("L")
    offset = 0
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        last = number == len(lines)
        body = line if last else line.removesuffix("\r")
        evened, from_, to = rule(body)
        pieces.append(evened)
        starts.extend(offset + at for at in from_)
        ends.extend(offset + at for at in to)
        if not last:
            pieces.append("\n")
            starts.append(offset + len(body))
            ends.append(offset + len(line) + 1)
        offset += len(line) + 1
    return Evened("".join(pieces), starts, ends)


def _unchanged(line: str) -> _Line:
    return line, range(len(line)), range(1, len(line) + 1)


def _alike(line: str) -> _Line:
    if line.isascii():
        return _unchanged(line.rstrip())
    evened, starts, ends = "", [], []
    for start, end in _segments(line):
        piece = normalize("NFKC", line[start:end]).translate(_SAME)
        evened += piece
        starts += [start] * len(piece)
        ends += [end] * len(piece)
    kept = len(evened.rstrip())
    return evened[:kept], starts[:kept], ends[:kept]


def _segments(line: str) -> Iterator[tuple[int, int]]:
    """Runs of a character and the marks that NFKC may join with it."""
    start = 0
    for at in range(1, len(line)):
        if not combining(line[at]) and not "\u1160" <= line[at] <= "\u11ff":
            yield start, at
            start = at
    yield start, len(line)
