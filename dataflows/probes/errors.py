"""What keeps probes from being planned or run, with what to do about it."""


class ProbeError(Exception):
    """Nothing could be planned or run."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(f"{message} {remedy}")
