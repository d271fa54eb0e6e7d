"""Files go from pages into the workspace and back, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.core.errors import ToolError
from tests.browser.agent_browser import AgentBrowser, agent_browser

pytestmark = pytest.mark.browser

UPLOAD = """<form method=post action=/upload enctype=multipart/form-data>
<input type=file name=a aria-label=File><input type=file name=b id=b hidden>
<button type=button onclick="b.click()">Choose</button><button>Send</button></form>"""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentBrowser]:
    """One browser for all these tests."""
    with agent_browser(tmp_path_factory.mktemp("outside") / "ws") as browser:
        browser.context.workspace.mkdir()
        yield browser


@pytest.fixture
def browser(running: AgentBrowser) -> AgentBrowser:
    """The same with nothing open."""
    running.settings()
    running("stop")
    running.pages.pages = {"/form": UPLOAD, "/get": "<a href=/file download>Get it</a>"}
    return running


@pytest.fixture
def workspace(browser: AgentBrowser) -> Path:
    """The agent's folder."""
    return browser.context.workspace


def test_it_works(browser: AgentBrowser, workspace: Path) -> None:
    (workspace / "a.txt").write_text("hello")
    browser("open", url=browser.pages.url("/form"))
    browser("upload", paths=["a.txt"], inputRef=browser.ref('"File"'))
    browser("upload", paths=["a.txt"], ref=browser.ref('"Choose"'))
    browser.act("click", ref=browser.ref('"Send"'))
    browser.act("wait", text="got")
    assert "got ['a.txt', 'a.txt']" in browser("snapshot")


@pytest.mark.parametrize(
    "path", ["../secret", "/etc/passwd", "link", "gone", "", "/proc/self/environ"]
)
def test_only_files_of_the_workspace(browser: AgentBrowser, workspace: Path, path: str) -> None:
    (workspace.parent / "secret").write_text("s")
    link = workspace / "link"
    if not link.is_symlink():
        link.symlink_to("/etc/passwd")
    browser("open", url=browser.pages.url("/form"))
    with pytest.raises(ToolError, match="path"):
        browser("upload", paths=[path], inputRef=browser.ref('"File"'))


def test_downloads(browser: AgentBrowser, workspace: Path) -> None:
    """The name is the page's, the folder is ours."""
    browser("open", url=browser.pages.url("/get"))
    said = browser.act("click", ref=browser.ref("link"))
    for _look in range(200):
        if "File: downloaded" in said:
            break
        said = browser.act("wait", timeMs=50)
    assert "File: downloaded downloads/" in said
    (found,) = workspace.parent.rglob("*.csv")
    assert found.parent == workspace / "downloads"
    assert found.read_text() == "a,b\n1,2\n"


def test_an_address_that_is_a_file(browser: AgentBrowser) -> None:
    said = browser("open", url=browser.pages.url("/file"))
    for _look in range(200):
        if "File: downloaded" in said:
            break
        said = browser.act("wait", timeMs=50)
    assert "File: downloaded downloads/" in said


def test_pages_as_pdf(browser: AgentBrowser, workspace: Path) -> None:
    browser("open", url=browser.pages.url("/form"))
    result = browser.result(action="pdf")
    path = workspace / result.details["path"]
    assert path.read_bytes().startswith(b"%PDF-")
    assert path.parent.name == "downloads"
