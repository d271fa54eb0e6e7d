"""The context of a turn: what is sent of a conversation, and what is summarised."""
