"""How Chromium is started: what it must not do by itself is switched off."""

from __future__ import annotations

import os
from typing import Any

from tools.browser.availability import executable_find
from tools.browser.settings import BrowserDocument

# Nobody listens at the discard port: whatever does not belong to a context goes nowhere.
NOWHERE = "http://127.0.0.1:9"
ARGUMENTS = (
    # No look-up of a name, apart from the proxy, which does it for us.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    # WebRTC sends packets of its own past every proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-pings",
    "--disable-features=DnsOverHttps,AsyncDns,WebRtcHideLocalIpsWithMdns,DirectSockets",
    "--disable-dev-shm-usage",
)
# Taken from pages as far as a script can; the switches above are what counts.
WITHOUT_WEBRTC = """
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel",
                    "WebTransport"]) {
  delete globalThis[name];
}
"""
# What a browser needs of its environment; secrets of the gateway are none of its business.
_ENVIRONMENT = (
    "PATH", "HOME", "LANG", "LANGUAGE", "LC_ALL", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
    "XAUTHORITY", "XDG_RUNTIME_DIR", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "LD_LIBRARY_PATH",
)  # fmt: skip


def launch_options(settings: BrowserDocument) -> dict[str, Any]:
    """The arguments of Playwright's `launch`."""
    return {
        "executable_path": executable_find(settings),
        "headless": settings.headless,
        "chromium_sandbox": not settings.no_sandbox,
        "args": list(ARGUMENTS),
        "proxy": {"server": NOWHERE},
        "env": {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        # The worker has its own ways to end.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
    }


def launch_key(settings: BrowserDocument) -> tuple[object, ...]:
    """What makes a running browser another one when it changes."""
    return settings.executable_path, settings.headless, settings.no_sandbox
