"""Pages: reports for people, each one HTML file in which nothing runs and nothing is loaded from elsewhere.

Rule: product contract, section 8. A template extends `base.html` and gets plain data. Every text it shows is masked,
shown with its controls escaped, and escaped as HTML; the style sheet is the only one that the page allows.
"""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from dataflows.masking import masked
from dataflows.printable import printable_lines
from dataflows.version import CODE_VERSION

STYLE = "style.css"


def page(template: str, /, **content: Any) -> str:
    """The page that a template of this folder makes of plain data.

    Raises:
        TypeError: the template shows a value that is absent; what is not known has to be said in words.
    """
    return _environment().get_template(template).render(version=CODE_VERSION, **content)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = environment.get_template(STYLE).render()
    environment.globals["style_digest"] = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return environment


def _text(name: str) -> str:
    """A file of this folder."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def _shown(value: Any) -> Any:
    """What a template shows of a value, before it is escaped as HTML."""
    if value is None:
        raise TypeError("a page says in words what is not known; it shows no absent value")
    return printable_lines(masked(value)) if isinstance(value, str) and not isinstance(value, Markup) else value
