"""Personal data: what is found, what is not, and that hostile text takes no time."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpuskit.errors import ConfigurationError
from corpuskit.text import mask, personal_data


def kinds(text, **options):
    return [(one.kind, one.text) for one in personal_data(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to jane.doe+x@mail.example.org.", [("email", "jane.doe+x@mail.example.org")]),
        ("<a@b.co>, c@d.museum", [("email", "a@b.co"), ("email", "c@d.museum")]),
        ("@user, a@b, a@@b.co, x@y.z1", []),
        ("IBAN DE89 3704 0044 0532 0130 00 BIC", [("iban", "DE89 3704 0044 0532 0130 00")]),
        ("GB82WEST12345698765432", [("iban", "GB82WEST12345698765432")]),
        ("DE88 3704 0044 0532 0130 00", []),
        ("from 8.8.8.8, 127.0.0.1, 10.1.2.3, 1.2.3.4.5 and 999.1.1.1", [("ip", "8.8.8.8")]),
        ("at 2001:4860:4860::8888 at 12:30:45", [("ip", "2001:4860:4860::8888")]),
        ("Call +49 30 123456 or +33 1 42 68 53 00!", [("phone", "+49 30 123456"), ("phone", "+33 1 42 68 53 00")]),
        ("the years 1990-1995, 3.14159, 1 000 000", []),
    ],
)
def test_personal_data_is_found(text, expected):
    assert kinds(text) == expected


def test_national_numbers_need_their_country():
    assert kinds("Tel. 01 42 68 53 00") == []
    assert kinds("Tel. 01 42 68 53 00", region="FR") == [("phone", "01 42 68 53 00")]


def test_numbers_of_a_long_text_are_found_to_the_end():
    text = "Call +49 30 123456 now. " * 8_000
    assert len(personal_data(text, ["phone"])) == 8_000


def test_spans_lead_to_the_text_and_masks_take_their_place():
    text = "A: a@b.co, B: 8.8.8.8"
    assert [(one.start, one.end) for one in personal_data(text)] == [(3, 9), (14, 21)]
    assert mask(text) == "A: <email>, B: <ip>"
    assert mask(text, ["ip"], replacements={"ip": "0.0.0.0"}) == "A: a@b.co, B: 0.0.0.0"
    with pytest.raises(ConfigurationError, match="email"):
        mask(text, ["name"])


@given(st.text(alphabet="a@b.co +49301234DE8 :8", max_size=60))
def test_spans_are_in_order_and_apart(text):
    spans = [(one.start, one.end) for one in personal_data(text)]
    assert spans == sorted(spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    masked = mask(text, replacements=dict.fromkeys(("email", "phone", "ip", "iban"), ""))
    assert len(masked) == len(text) - sum(end - start for start, end in spans)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    [
        "a" * 300_000 + "@",
        "a." * 150_000,
        "@a." * 100_000,
        "1." * 150_000,
        ":" * 300_000,
        "DE89 " * 60_000,
        "AB12" * 75_000,
        "+49 " * 5_000,
    ],
)
def test_hostile_text_takes_no_time(text):
    assert isinstance(mask(text), str)
