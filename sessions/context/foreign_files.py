"""Files of others and of the web: what is read of them counts as content from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from agents.core.messages import Text
from agents.core.tools import ToolContext, ToolResult
from agents.core.untrusted import wrapped
from agents.database import run_db
from sessions.models import Artifact

# Attached files are copied to this folder of the workspace, as <end of the id>-<name>.
INBOX = "inbox"
ID_END = 8
SOURCE = "attachment"
# Where the browser puts what pages give it.
DOWNLOADS = "downloads"


async def foreign_marked(result: ToolResult, context: ToolContext) -> ToolResult:
    """`result` of reading a file, marked when somebody else than the sender attached that file,
    or when a page gave it to the browser.

    Asks the database only for files of the inbox. Copies under other names cannot be told.
    """
    path = PurePosixPath(str(result.details.get("path", "")))
    if result.is_error:
        return result
    if path.parts[:-1] == (DOWNLOADS,):
        return _marked(result, "download")
    if path.parent.name != INBOX:
        return result
    senders = await run_db(_senders, path.name)
    if not senders or context.principal.id in senders:
        return result
    return _marked(result, SOURCE)


def _marked(result: ToolResult, source: str) -> ToolResult:
    content = tuple(
        Text(wrapped(block.text, source=source)) if isinstance(block, Text) else block
        for block in result.content
    )
    marks = {"untrusted": True, "source": source, "wrapped": True}
    return replace(result, content=content, details={**result.details, "externalContent": marks})


def _senders(name: str) -> Sequence[str]:
    """Who attached the file that lies in an inbox under `name`; nobody for other files."""
    end, dash, plain = name[:ID_END], name[ID_END : ID_END + 1], name[ID_END + 1 :]
    if dash != "-":
        return ()
    found = Artifact.objects.filter(id__endswith=end, name=plain)
    return [str(person) for person in found.order_by().values_list("person_id", flat=True)]
