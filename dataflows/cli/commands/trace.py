"""`afp store`: looks after a store."""
import click
@click.group("store")
def command() -> None:
    """Check."""
