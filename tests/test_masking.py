"""Masking: secrets go, words that only look alike stay."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dataflows.masking import MASK, masked, masked_data

PEM = "-----BEGIN RSA PRIVATE KEY-----\nRkFLRQ==\n-----END RSA PRIVATE KEY-----"
SECRETS = (
    "sk-test-FAKEFAKEFAKEFAKEFAKEFAKE",
    "sk-ant-api03-fakefakefake1fakefake",
    "sk_live_FAKE0FAKE0FAKE",
    "ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE",
    "github_pat_FAKE_FAKEFAKEFAKEFAKE",
    "glpat-FAKEFAKEFAKEFAKEFAKE",
    "xoxb-123456789012-FAKEFAKE",
    "AKIAFAKEFAKEFAKEFAKE",
    "AIzaFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE1",
    "hf_FAKEfakeFAKEfakeFAKEfakeFAKE",
    "eyJhbGciOiJub25lIn0.eyJmYWtlIjp0cnVlfQ.c2lnbmF0dXJl",
    "GOCSPX-FAKEfakeFAKEfakeFAKEfake",
    "whsec_FAKEfakeFAKEfakeFAKEfake",
    "shpat_" + "fa4e" * 8,
    "dop_v1_" + "fa4e" * 16,
    "hvs.FAKEfakeFAKEfakeFAKEfake",
    "gsk_FAKEfakeFAKEfakeFAKEfakeFAKE",
    "xai-FAKEfakeFAKEfakeFAKEfakeFAKE",
    "dapi" + "fa4e" * 8,
    "SK" + "fa4e" * 8,
    "xapp-1-FAKEFAKEFAKEFAKEFAKE",
)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("text", ["{}", "say {} now", '{{"result":"{}"}}', "a\\n{}\\nb", "key={};", "({})"])
def test_a_token_of_a_known_form_is_masked_wherever_it_stands(text: str, secret: str) -> None:
    assert secret not in masked(text.format(secret))
    assert secret[-8:] not in masked(text.format(secret))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer sk-test-FAKEFAKEFAKEFAKE", f"Authorization: Bearer {MASK}"),
        ("authorization: basic dXNlcjpwYXNzd29yZA==", f"authorization: basic {MASK}"),
        ("GET https://api.test/v1?key=AIzaFAKE0FAKE0&page=2", f"GET https://api.test/v1?key={MASK}&page=2"),
        ("https://a.test/?X-Amz-Signature=0a1b2c3d4e5f", f"https://a.test/?X-Amz-Signature={MASK}"),
        ("postgres://app:hunter2@db.test/main", f"postgres://app:{MASK}@db.test/main"),
        (f"before {PEM} after", f"before {MASK} after"),
        (json.dumps({"pem": PEM}), json.dumps({"pem": MASK})),
        ("-----BEGIN PRIVATE KEY-----\nRkFLRQ", MASK),
        ('{"apiKey":"abcd1234efgh"}', f'{{"apiKey":"{MASK}"}}'),
        ('{\\"client_secret\\":\\"abcd1234efgh\\"}', f'{{\\"client_secret\\":\\"{MASK}\\"}}'),
        ("export OPENAI_API_KEY=abcd1234efgh", f"export OPENAI_API_KEY={MASK}"),
        ("password: Hunter2Hunter2", f"password: {MASK}"),
        ("AccountName=x;AccountKey=FAKE+fake/FAKE==;Suffix=y", f"AccountName=x;AccountKey={MASK};Suffix=y"),
        ('{"dbPassword":"Hunter2Hunter2"}', f'{{"dbPassword":"{MASK}"}}'),
        ('{"sessionToken":"abcd1234efgh"}', f'{{"sessionToken":"{MASK}"}}'),
        ("https://a.test/#access_token=abcd1234", f"https://a.test/#access_token={MASK}"),
        ("https://a.test/?auth=abcd1234&x=1", f"https://a.test/?auth={MASK}&x=1"),
        (
            "?next=https%3A%2F%2Fa.test%3Ftoken%3Dabcd1234%26x%3D1",
            f"?next=https%3A%2F%2Fa.test%3Ftoken%3D{MASK}%26x%3D1",
        ),
        ("https://hooks.slack.com/services/T0/B0/FAKE", f"https://hooks.slack.com/services/{MASK}"),
        ("Cookie: sid=abcd1234; theme=dark\nHost: a.test", f"Cookie: {MASK}\nHost: a.test"),
        ('{"set-cookie":"sid=abcd1234; Path=/","x":1}', f'{{"set-cookie":"{MASK}","x":1}}'),
    ],
)
def test_a_secret_is_known_by_what_stands_around_it(text: str, shown: str) -> None:
    assert masked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "task-sk-force asked for $OPENAI_KEY; password policy: 12 characters",
        "the bearer of bad news",
        "Bearer responsibilities",
        "sk-learn-compatible-estimators",
        "a risk-averse, desk-bound person",
        "https://shop.test/?key=customer_name&monkey=Banana12345&sort=key",
        "https://api.test:8080/v1",
        "password: required",
        '{"maxTokens":4096,"token":"Hello","tokens":["a","b"]}',
        "-----BEGIN NOTES-----",
        "basic understanding",
        "secret: none",
        "keyboard=QWERTY2000layout",
        '{"sortKey":"Customer1234","nextPageToken":"none","cacheKey":"User12345"}',
        "the cookie policy: see page 12",
        "cookies: 12 chocolate cookies",
        "SKELETON-KEY-2000 and SKU1234567890",
        "passport=AB1234567 and compass=North2000",
        "https://discord.com/channels/1234567890",
        "a secretary: Ms. Smith2000",
    ],
)
def test_words_that_only_look_alike_stay(text: str) -> None:
    assert masked(text) == text


def test_every_text_of_plain_data_is_masked_and_nothing_else_changes() -> None:
    data = {"a": [SECRETS[0], 1, None, True], "b": {"c": f"x {SECRETS[3]}"}}
    assert masked_data(data) == {"a": [MASK, 1, None, True], "b": {"c": f"x {MASK}"}}


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80))
def test_masking_twice_is_masking_once(text: str) -> None:
    assert masked(masked(text)) == masked(text)


@settings(deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,.!?", max_size=120))
def test_text_without_digits_and_capitals_stays(text: str) -> None:
    assert masked(text) == text
