"""From the bytes of one document to the facts of its run, as frames."""
