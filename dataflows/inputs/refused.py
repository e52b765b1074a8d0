"""Refused: the sentences said of sources and documents that cannot be read, each with its remedy."""

from afp_nodes.refusals import RefusedError
from afp_nodes.words import QuarantineCode

COPY_AGAIN = "copy the file again from where it was made"


def truncated(message: str) -> RefusedError:
    """Something that ends too early."""
    return RefusedError(QuarantineCode.TRUNCATED, message, COPY_AGAIN)


def damaged(message: str, remedy: str = COPY_AGAIN) -> RefusedError:
    """Something that is not what its name, or its beginning, promises."""
    return RefusedError(QuarantineCode.UNREADABLE, message, remedy)


def empty() -> RefusedError:
    """A text without a document."""
    return RefusedError(QuarantineCode.NOT_JSON, "is empty: it holds no document", "write it again, or remove it")


def too_large(limit_bytes: int, what: str = "the document") -> RefusedError:
    """A document that would need more memory than it may have."""
    message = f"{what} is larger than {limit_bytes:,} bytes, decompressed"
    return RefusedError(QuarantineCode.TOO_LARGE, message, "allow more with --max-document-mb, or record less in a run")


def unreadable(error: OSError) -> RefusedError:
    """What the file system, or the service behind a URL, does not give."""
    message = f"cannot be read: {error.strerror or error}"
    return RefusedError(QuarantineCode.UNREADABLE, message, _remedy(error))


def no_regular_file() -> RefusedError:
    """A pipe, a socket or a device, which is never opened: reading it might never end."""
    return damaged("is no regular file but a pipe, a socket or a device", "save what it gives as a file")


def name_is_no_text() -> RefusedError:
    """A name that no table can hold."""
    return damaged("has a name that is no valid UTF-8", "rename it")


def leads_nowhere(error: OSError) -> RefusedError:
    """A link to nothing, or in a circle."""
    return damaged(f"is a link that leads nowhere: {error.strerror}", "mend the link, or remove it")


def leads_outside() -> RefusedError:
    """A link that would lead out of what the command was given."""
    return damaged("is a link out of the folder, which is not followed", "give what it leads to as a further path")


def _remedy(error: OSError) -> str:
    match error:
        case PermissionError():
            return "allow the user who runs this to read it"
        case FileNotFoundError():
            return "it went away after the folder was listed: run again"
        case _:
            return "look after the file, the disk or the connection, then run again"
