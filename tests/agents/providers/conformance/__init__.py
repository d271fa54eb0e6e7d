"""Every behaviour on every wire format."""
