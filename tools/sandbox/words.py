"""What an agent is told of the sandbox it works in. Pure."""

from __future__ import annotations

from tools.sandbox.choice import SandboxPlan
from tools.sandbox.mounts import AGENT, SKILLS, WORKSPACE

_BEGIN = (
    "Your tools work inside of a container, not on the machine of the gateway. Commands and files "
    f"are those of the container: its workspace is {WORKSPACE}, and relative paths begin there."
)
_ACCESS = {
    "none": "That folder belongs to the sandbox alone; the workspace of the agent named above is "
    "not in it.",
    "ro": f"That folder belongs to the sandbox alone; the workspace of the agent named above is at "
    f"{AGENT}, to be read only.",
    "rw": "It is the workspace of the agent named above: what you change there, you change for "
    "all its sessions.",
}


def sandbox_words(plan: SandboxPlan) -> str:
    """The sentences of the prompt's section. The same settings give the same bytes."""
    docker = plan.config.docker
    network = "There is no network." if docker.network == "none" else "There is a network."
    root = "Elsewhere nothing can be written" if docker.read_only_root else ""
    temporary = ", ".join(text.partition(":")[0] for text in docker.tmpfs)
    if root and temporary:
        root += f", except in {temporary}, whose content does not last"
    parts = [
        _BEGIN,
        _ACCESS[plan.config.workspace_access],
        f"{WORKSPACE}/{SKILLS}, if it is there, can only be read.",
        f"{root}." if root else "",
        network,
        "Programs that are missing cannot be installed unless the administrator allowed it.",
    ]
    return " ".join(part for part in parts if part)
