"""Masking: secrets that a recording holds are not shown to the people who read about it.

Two kinds are found: texts that are secret by their own shape (a PEM block, a token with a known prefix, the word
after `Bearer`) and texts that are secret by their name (a parameter of a URL, a member, a variable). Words that only
look alike stay: a name alone is no secret, and neither is a text without a digit or a capital letter.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

MASK = "[masked]"

_START = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrtbf])|(?<=\\u[0-9a-fA-F]{4}))"
"""Where a token may start: not inside a word, but after an escape of JSON text."""

_MIXED = r"(?=[A-Za-z_./+=~-]*[A-Z0-9])"
"""A digit or a capital stands in what follows: secrets are drawn from an alphabet, words are not."""

_TOKENS = (
    r"sk-" + _MIXED + r"[A-Za-z0-9_-]{16,}",
    r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}",
    r"gh[pousr]_[A-Za-z0-9]{20,}",
    r"github_pat_[A-Za-z0-9_]{20,}",
    r"glpat-[A-Za-z0-9_-]{16,}",
    r"xox[abeprs]-[A-Za-z0-9-]{10,}",
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    r"AIza[A-Za-z0-9_-]{30,}",
    r"ya29\.[A-Za-z0-9_-]{16,}",
    r"hf_" + _MIXED + r"[A-Za-z0-9]{20,}",
    r"npm_" + _MIXED + r"[A-Za-z0-9]{30,}",
    r"pypi-" + _MIXED + r"[A-Za-z0-9_-]{40,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"whsec_[A-Za-z0-9+/=]{20,}",
    r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,}",
    r"do[opr]_v1_[a-f0-9]{40,}",
    r"hv[sbr]\.[A-Za-z0-9_-]{20,}",
    r"sq0[a-z]{3}-[A-Za-z0-9_-]{20,}",
    r"(?:gsk|r8|glsa|sntrys|figd|lin_api)_" + _MIXED + r"[A-Za-z0-9_-]{24,}",
    r"(?:xai|tvly|pplx|nvapi)-" + _MIXED + r"[A-Za-z0-9_-]{24,}",
    r"dapi[a-f0-9]{32}",
    r"key-[a-f0-9]{32}",
    r"SK[a-f0-9]{32}",
    r"NRAK-[A-Z0-9]{20,}",
    r"PMAK-[a-f0-9]{20,}-[a-f0-9]{20,}",
    r"ATATT3[A-Za-z0-9_=-]{30,}",
    r"xapp-[0-9]-[A-Za-z0-9-]{20,}",
)
"""Tokens of well-known services, by their prefixes."""

_TELLING_NAME = (
    r"(?:[A-Za-z0-9]{1,40}[_.-]){0,6}"
    r"(?:api[_-]?key|key|token|secret|secret[_-]?key|access[_-]?key|private[_-]?key|access[_-]?token|auth[_-]?token"
    r"|refresh[_-]?token|client[_-]?secret|password|passwd|pwd|passphrase|sig|signature|credential)"
)
"""Names whose value is a secret; earlier words of the name do not matter (`OPENAI_API_KEY`, `X-Amz-Signature`)."""

_TELLING_PARAMETER = r"(?:" + _TELLING_NAME + r"|auth|jwt|otp|pass|sid|session[_-]?(?:id|key))"
"""The same for parameters of a URL, where short names are in use."""

_TELLING_CAMEL = (
    r"(?:Password|Passphrase|Secret|Credential"
    r"|(?:[Aa]ccess|[Aa]ccount|[Ee]ncryption|[Mm]aster|[Pp]rivate|[Ss]hared|[Ss]igning|Api|Secret)Key"
    r"|(?:[Aa]ccess|[Aa]uth|[Bb]earer|[Bb]ot|[Ii]d|[Rr]efresh|[Ss]ession)Token)"
)
"""How names of this kind end that are written in one word."""

_QUOTE = r"\\*[\"']"

_SECRETS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(
            r"-----BEGIN ([A-Z0-9 ]{0,40}(?:KEY|KEY BLOCK|CERTIFICATE))-----.*?(?:-----END \1-----|\Z)", re.DOTALL
        ),
        MASK,
    ),
    (
        re.compile(
            r"(?i:\b(bearer|basic))(\s+)(?:(?:[A-Za-z0-9._~+/=-]|\\/){20,}"
            r"|" + _MIXED + r"(?:[A-Za-z0-9._~+/=-]|\\/){12,})"
        ),
        rf"\1\2{MASK}",
    ),
    (re.compile(_START + "(?:" + "|".join(_TOKENS) + ")"), MASK),
    (
        re.compile(r"([?&;#]" + _TELLING_PARAMETER + r"=)" + _MIXED + r"[^\s&;#\"'<>\\]{6,}", re.IGNORECASE),
        lambda found: _unless_a_word(found, 1),
    ),
    (
        re.compile(
            r"((?:%3F|%26|%23)" + _TELLING_PARAMETER + r"%3D)" + _MIXED + r"(?:(?!%26|%23)[^\s&;#\"'<>\\]){6,}",
            re.IGNORECASE,
        ),
        lambda found: _unless_a_word(found, 1),
    ),
    (
        re.compile(
            r"(https://(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks"
            r"|[a-z0-9.-]+\.webhook\.office\.com)/)[^\s\"'<>\\]+"
        ),
        rf"\1{MASK}",
    ),
    (
        re.compile(
            r"(?i:((?<![A-Za-z0-9])(?:set-)?cookie(?:"
            + _QUOTE
            + r")?\s*:\s*(?:"
            + _QUOTE
            + r")?))[^\s=;,\"'\\]+=[^\"'\\\r\n]+"
        ),
        rf"\1{MASK}",
    ),
    (re.compile(r"([a-z][a-z0-9+.-]{0,20}://[^\s/:@\"'<>\\]*:)[^\s/@\"'<>\\]+(?=@)", re.IGNORECASE), rf"\1{MASK}"),
    (
        re.compile(
            r"(" + _START + _TELLING_NAME + r"(?:" + _QUOTE + r")?\s*[:=]\s*(?:" + _QUOTE + r")?)"
            r"[^\s\"'\\,;&?(){}\[\]<>$]{8,}",
            re.IGNORECASE,
        ),
        lambda found: _unless_a_word(found, 1),
    ),
    (
        re.compile(
            r"(" + _TELLING_CAMEL + r"(?:" + _QUOTE + r")?\s*[:=]\s*(?:" + _QUOTE + r")?)"
            r"[^\s\"'\\,;&?(){}\[\]<>$]{8,}"
        ),
        lambda found: _unless_a_word(found, 1),
    ),
)


def masked(text: str) -> str:
    """`text` with every secret in it replaced by `[masked]`; works on JSON text as on plain text."""
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    return text


def masked_data(value: Any) -> Any:
    """Plain data with every text in it masked."""
    match value:
        case str():
            return masked(value)
        case Mapping():
            return {name: masked_data(member) for name, member in value.items()}
        case list() | tuple():
            return [masked_data(item) for item in value]
        case _:
            return value


def _unless_a_word(found: re.Match[str], name: int) -> str:
    """The match with its value masked, or as it is when the value has neither digit nor capital."""
    value = found[0][len(found[name]) :]
    return found[name] + MASK if re.search(r"[A-Z0-9]", value) and MASK not in value else found[0]
