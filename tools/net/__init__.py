"""The guard that every request of a tool to the network passes."""
