"""The longer texts of the rehearsal model."""

from __future__ import annotations

from agents.providers.rehearsal.scripts import REHEARSALS

ADD_PROVIDER = (
    "To talk to a real model, set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` in the environment and "
    "start again, run Ollama on this machine, or add a provider in the admin at `/admin/`."
)

HELP = (
    "This is a **rehearsal**: no language model is set up yet, so a script answers. It shows what "
    "the product does around a model: streaming, tools, files, errors.\n\n"
    "It knows these requests:\n\n"
    + "\n".join(f"- {item.prompt}" for item in REHEARSALS)
    + f"\n\n{ADD_PROVIDER}"
)

MARKDOWN = """\
# Markdown sampler

Text can be **bold**, *italic*, ~~struck out~~ or `code`.

## Lists

1. First
2. Second
   - nested
   - nested again

- [x] done
- [ ] open

## A table

| Part     | Language   | Lines |
|----------|------------|------:|
| Server   | Python     |   120 |
| Page     | JavaScript |    45 |

## Code

```python
def greet(name: str) -> str:
    return f"Hello, {name}!"
```

> A quotation, with a [link](https://example.com/).

---

Other scripts: Grüße, 你好, שלום, 🙂
"""

_PARAGRAPH = (
    "This is paragraph {number} of {count}. It comes to you word by word, exactly as the answer "
    "of a language model would, so you can watch the text grow, scroll while it does, open a "
    "second tab that shows the same, or press Stop and see that what had arrived stays."
)
_PARAGRAPHS = 8

LONG_TEXT = "\n\n".join(
    _PARAGRAPH.format(number=number, count=_PARAGRAPHS) for number in range(1, _PARAGRAPHS + 1)
)
