"""What of a conversation fits into a model's window: estimates, cuts, summaries, pruning."""
