"""Whether the tools of media can be used as things are configured, and what to set if not."""

from __future__ import annotations

from agents.media.registry import IMAGE_MAKERS, VIDEO_MAKERS
from agents.selectors import agent_defaults
from tools.media.choice import makers_problem, seeing_problem
from tools.media.speech_choice import speech_problem


def image_problem() -> str:
    """Why there is no `image`, "" when there is one."""
    return seeing_problem()


def image_generate_problem() -> str:
    """Why there is no `image_generate`, "" when there is one."""
    configured = agent_defaults().image_generation_model
    key = "agents.defaults.imageGenerationModel"
    return makers_problem(IMAGE_MAKERS, configured, setting=key)


def video_generate_problem() -> str:
    """Why there is no `video_generate`, "" when there is one."""
    configured = agent_defaults().video_generation_model
    key = "agents.defaults.videoGenerationModel"
    return makers_problem(VIDEO_MAKERS, configured, setting=key)


def tts_problem() -> str:
    """Why there is no `tts`, "" when there is one."""
    return speech_problem()
