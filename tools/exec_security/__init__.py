"""Whether a command may run: parsing, unwrapping, matching and the decision. Knows no Django."""
