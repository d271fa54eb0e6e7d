"""What each command does. An action answers with the text that the person reads."""
