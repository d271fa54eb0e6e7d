"""PDFs for tests: with text, scanned, encrypted, without pages."""

from __future__ import annotations

import base64
import io
import textwrap
import zlib

from PIL import Image

# One blank page, encrypted with the password "secret" (RC4, 40 bits); packed with zlib.
_ENCRYPTED = """
eNqNUstu1EAQvM9XzGWPZJ49D8naA0lWQoCycgIXlMM8l0UrO5qdlRJ+kgN/AD/C2ECwWA6MbGlUXVXdrvZqe7V5wS4EWn37
/uUrYpji0X9CXYfItozxFFLBXUoxKStAiTVar1Ea4sThC+7d00PCZOt26YjI5XgaKmaIvN7HI/6AZSP2+H4hFWfSS1fdYdyh
nx548u4XAvnPXoj06TieSmiKVml08jbFvXs5Pra29ILOr+bTcz9Zl9QG+9sbFt7vp7F7zBF5k4Zd/YglbTosuZVWaW5bYbM/
1BYKua1uiK5ERG5aQuBM5MpoH22kIWcrldcuAGRg1LAYMo2MKQAZpM/BUwdJSpWVTU4a1yZ/hzvFhdOZhxA5T8nGECzwKEEF
UJJxzyFqUNTwqBRQyjQ3lDEulANrhIfldh5Lyohihejzwa29AJzxM8bat8+V4Q8G9gxjzJxjSp9hfKmtxe0Pqcyx3u4/pzYK
6cexYjHnT14NecTs1/2q7auj1DgjNRUqet/yg0CTzxCSldG0s/4fStvz9RDK00PF8HvRx+pKnQORuv3pq+ubDfoBJ8XCnw==
"""


def written(*pages: str) -> bytes:
    """A PDF with these texts, one for each page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        objects += _page(page, 5 + 2 * number)
    return _file(objects)


def _page(text: str, content: int) -> list[str]:
    lines = " ".join(f"({line}) Tj T*" for line in textwrap.wrap(text, 80))
    stream = f"BT /F1 10 Tf 12 TL 20 270 Td {lines} ET"
    return [
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 300] "
        f"/Resources << /Font << /F1 3 0 R >> >> /Contents {content} 0 R >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
    ]


def _file(objects: list[str]) -> bytes:
    body = bytearray(b"%PDF-1.4\n")
    places = []
    for number, text in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    start = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    body += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    body += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\n".encode()
    return bytes(body + f"startxref\n{start}\n%%EOF\n".encode())


def scanned(pages: int = 1, size: tuple[int, int] = (300, 400)) -> bytes:
    """A PDF of pictures without any text."""
    first, *others = [Image.new("RGB", size, (200, 40 * number, 0)) for number in range(pages)]
    buffer = io.BytesIO()
    first.save(buffer, "PDF", save_all=True, append_images=others)
    return buffer.getvalue()


def encrypted() -> bytes:
    """A PDF that nobody can read without its password."""
    return zlib.decompress(base64.b64decode("".join(_ENCRYPTED.split())))


def without_pages() -> bytes:
    """A PDF that says that it has no pages."""
    return _file(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"])
