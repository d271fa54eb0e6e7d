"""What is special to this vendor."""
