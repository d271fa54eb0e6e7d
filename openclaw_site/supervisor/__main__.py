"""`python -m openclaw_site.supervisor`: starts the whole gateway on this machine."""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - the message is for whoever has an older one
    sys.exit("OpenClaw needs Python 3.11 or newer; this is " + sys.version.split()[0])

from openclaw_site.supervisor.start import main

if __name__ == "__main__":
    sys.exit(main())
