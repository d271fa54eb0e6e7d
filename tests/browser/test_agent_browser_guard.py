"""Pages cannot reach what is inside the network, by whatever means they try."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from agents.core.errors import ToolError
from tests.browser.agent_browser import AgentBrowser, agent_browser
from tests.tools.net.conftest import INSIDE, PUBLIC

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentBrowser]:
    """One browser for all these tests."""
    with agent_browser(tmp_path_factory.mktemp("ws")) as browser:
        yield browser


@pytest.fixture
def browser(running: AgentBrowser) -> AgentBrowser:
    """The same with nothing open and no memory."""
    running.settings()
    running("stop")
    running.pages.hits.clear()
    running.pages.pages.clear()
    running.names.answers = {
        "site.example": [[PUBLIC]],
        "inside.example": [[INSIDE]],
        "both.example": [[PUBLIC, INSIDE]],
    }
    return running


def test_it_works(browser: AgentBrowser) -> None:
    browser.settings(ssrfPolicy={"allowedHostnames": [f"{PUBLIC}/32", "site.example"]})
    assert "hello" in browser("open", url=browser.pages.url("/a#b", "site.example")) + browser(
        "snapshot"
    )
    assert browser.pages.hits[0] == (PUBLIC, "/a")


ADDRESSES = (
    "http://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://[::1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f.1:PORT/",
    "http://127.1:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://0.0.0.0:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00::1]/",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://100.100.100.200/",
    "http://metadata.google.internal/",
    "http://inside.example:PORT/",
    "http://both.example:PORT/",
    "http://a@127.0.0.2:PORT/",
    "http://127.0.0.2:PORT@127.0.0.1:PORT/",
    "http://127.0.0.2\\@127.0.0.1:PORT/",
    "file:///etc/passwd",
    "view-source:http://127.0.0.2:PORT/",
    "chrome://settings",
    "data:text/html,<h1>x</h1>",
    "javascript:alert(1)",
    "about:version",
    "ftp://127.0.0.2/",
    "gopher://127.0.0.1/",
    "ws://127.0.0.2:PORT/",
    "blob:http://127.0.0.2/x",
    "devtools://x",
)


def test_addresses_that_are_refused(browser: AgentBrowser) -> None:
    for url in ADDRESSES:
        for action in ("open", "navigate"):
            with pytest.raises(ToolError, match=r"Denied|url:"):
                browser(action, url=url.replace("PORT", str(browser.pages.port)))
    assert len(ADDRESSES) >= 30
    assert browser.pages.hits == []


def test_redirects_are_checked(browser: AgentBrowser) -> None:
    for target in (
        browser.pages.url("/x", INSIDE),
        "http://169.254.169.254/",
        "file:///etc/passwd",
    ):
        try:
            said = browser("open", url=browser.pages.url(f"/redirect?to={target}"))
            assert "status 403" in said
        except ToolError:
            pass
    assert browser.pages.inside == []


TRIES = {
    "image": "<img src='http://127.0.0.1:PORT/img' onerror='done()' onload='done()'>",
    "frame": "<iframe src='http://127.0.0.1:PORT/frame' onload='done()'></iframe>",
    "style": "<link rel=stylesheet href='http://127.0.0.1:PORT/css' onerror='done()'>",
    "script": "<script src='http://localhost:PORT/s.js' onerror='done()'></script>",
    "name": "<img src='http://inside.example:PORT/img' onerror='done()'>",
    "both": "<img src='http://both.example:PORT/img' onerror='done()'>",
    "fetch": "<script>fetch('http://127.0.0.1:PORT/f', {mode: 'no-cors'}).finally(done)</script>",
    "sixth": "<script>fetch('http://[::ffff:127.0.0.1]:PORT/', {mode:'no-cors'}).finally(done)"
    "</script>",
    "secure": "<script>fetch('https://127.0.0.1:PORT/', {mode: 'no-cors'}).finally(done)</script>",
    "redirect": "<img src='/redirect?to=http://127.0.0.1:PORT/r' onerror='done()'>",
    "socket": "<script>new WebSocket('ws://127.0.0.1:PORT/ws').onclose = done</script>",
    "secure socket": "<script>new WebSocket('wss://127.0.0.1:PORT/ws').onclose = done</script>",
    "events": "<script>new EventSource('http://127.0.0.1:PORT/e').onerror = done</script>",
    "beacon": "<script>navigator.sendBeacon('http://127.0.0.1:PORT/b', 'x'); done()</script>",
    "worker": "<script>const w = new Worker(URL.createObjectURL(new Blob([`"
    "fetch('http://127.0.0.1:PORT/w', {mode: 'no-cors'}).finally(() => postMessage(1))`])));"
    "w.onmessage = done</script>",
    "prefetch": "<link rel=preconnect href='http://127.0.0.1:PORT'>"
    "<link rel=dns-prefetch href='http://inside.example'>"
    "<link rel=prefetch href='http://127.0.0.1:PORT/p'><script>done()</script>",
    "form": "<form id=g target=f action='http://127.0.0.1:PORT/form'></form>"
    "<iframe name=f onload='done()'></iframe><script>g.submit()</script>",
}
READY = "<script>window.ready = new Promise(r => { window.done = () => r('over'); });</script>"


@pytest.mark.parametrize("name", TRIES)
def test_pages_reach_nothing_inside(browser: AgentBrowser, name: str) -> None:
    browser.pages.pages["/try"] = READY + TRIES[name]
    browser("open", url=browser.pages.url("/try"))
    assert "over" in browser.act("evaluate", fn="() => window.ready")
    assert browser.pages.inside == []
    assert (PUBLIC, "/try") in browser.pages.hits


def test_what_was_refused_is_told(browser: AgentBrowser) -> None:
    browser.pages.pages["/try"] = READY + TRIES["image"]
    said = browser("open", url=browser.pages.url("/try"))
    assert "Not reached: Denied by the rule 'public addresses only': '127.0.0.1'" in said
    assert "browser.ssrfPolicy.allowedHostnames" in said


def test_the_same_tries_work_where_they_are_allowed(browser: AgentBrowser) -> None:
    """What shows that the tests above would fail without the guard."""
    browser.settings(ssrfPolicy={"allowPrivateNetwork": True})
    for name in ("image", "frame", "fetch", "socket", "worker", "redirect"):
        browser.pages.pages["/try"] = READY + TRIES[name].replace("onclose", "onopen")
        browser("open", url=browser.pages.url("/try"))
        assert "over" in browser.act("evaluate", fn="() => window.ready")
    assert {"/img", "/frame", "/f", "/ws", "/w", "/r"} <= set(browser.pages.inside)


def test_service_workers_are_held_by_the_same_rules(browser: AgentBrowser) -> None:
    """Only pages of this machine have one without TLS, so the rules are narrowed afterwards."""
    browser.settings(ssrfPolicy={"allowPrivateNetwork": True})
    browser.pages.pages["/sw.js"] = (
        "self.onactivate = e => e.waitUntil(clients.claim());"
        "self.onmessage = e => fetch('http://127.0.0.1:PORT/sw', {mode: 'no-cors'})"
        ".then(() => e.source.postMessage('reached'), () => e.source.postMessage('refused'));"
    )
    browser.pages.pages["/page"] = "<script>navigator.serviceWorker.register('/sw.js')</script>"
    browser("open", url=browser.pages.url("/page"))
    ask = (
        "async () => { const r = await navigator.serviceWorker.ready;"
        "return await new Promise(d => { navigator.serviceWorker.onmessage = e => d(e.data);"
        "r.active.postMessage(1); }); }"
    )
    assert "reached" in browser.act("evaluate", fn=ask)
    assert browser.pages.inside == ["/sw"]
    browser.settings()
    assert "Not reached: Denied" in browser.act("evaluate", fn=ask)
    assert browser.pages.inside == ["/sw"]


def test_no_packets_past_the_proxy(browser: AgentBrowser) -> None:
    """WebRTC is gone from pages, and what a page digs out sends nothing by itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind((INSIDE, 0))
        listener.setblocking(False)
        port = listener.getsockname()[1]
        browser.pages.pages["/rtc"] = "<iframe srcdoc='x'></iframe>"
        browser("open", url=browser.pages.url("/rtc"))
        found = browser.act(
            "evaluate",
            fn="() => [typeof RTCPeerConnection, typeof WebTransport,"
            " typeof frames[0].RTCPeerConnection]",
        )
        assert '["undefined", "undefined", "undefined"]' in found
        browser.act("wait", timeMs=200)
        with pytest.raises(BlockingIOError):
            listener.recv(1)
        assert port


def test_switches_hold_without_the_script(
    browser: AgentBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """WebRTC itself sends nothing either, were a page to find a way to it."""
    monkeypatch.setattr("tools.browser.session.WITHOUT_WEBRTC", ";")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind((INSIDE, 0))
        listener.setblocking(False)
        stun = f"stun:{INSIDE}:{listener.getsockname()[1]}"
        browser("open", url=browser.pages.url("/"))
        found = browser.act(
            "evaluate",
            fn="async () => {"
            f" const c = new RTCPeerConnection({{iceServers: [{{urls: '{stun}'}}]}});"
            " const found = []; c.createDataChannel('x');"
            " c.onicecandidate = e => e.candidate && found.push(e.candidate.candidate);"
            " await c.setLocalDescription(await c.createOffer());"
            " for (let i = 0; i < 200 && c.iceGatheringState !== 'complete'; i++)"
            " await new Promise(r => setTimeout(r, 50));"
            " return [c.iceGatheringState, found.filter(f => / udp /i.test(f))]; }",
        )
        assert '["complete", []]' in found
        with pytest.raises(BlockingIOError):
            listener.recv(1)


def test_a_page_cannot_lead_the_tab_out_of_the_web(browser: AgentBrowser) -> None:
    browser("open", url=browser.pages.url("/"))
    for target in ("file:///etc/passwd", "chrome://version", "data:text/html,x"):
        browser.act("evaluate", fn=f"() => {{ location.href = '{target}'; }}")
        said = browser("tabs")
        assert target.split(":")[0] + ":" not in said.replace("http://", "")


def test_the_proxy_is_the_only_way(browser: AgentBrowser) -> None:
    """Without its proxy a context reaches nothing at all."""
    browser("open", url=browser.pages.url("/"))
    session = browser.engine.session_find(browser.context.session_key)
    assert session is not None
    browser.run(session.proxy.close())
    count = len(browser.pages.hits)
    with pytest.raises(ToolError, match="could not be opened"):
        browser("navigate", url=browser.pages.url("/again"))
    assert len(browser.pages.hits) == count
    asyncio.run_coroutine_threadsafe(browser.engine.close(), browser.loop).result(60)
