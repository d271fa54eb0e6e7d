"""Services that make pictures, speech and videos: pure contracts, one folder for each vendor."""
