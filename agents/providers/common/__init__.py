"""What every wire format needs: the transcript made fit, the stream read, the answer assembled."""
