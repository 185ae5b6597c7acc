"""Bytes to text: what says the charset, in which order, and what nobody says."""

from __future__ import annotations

import sys
import time

import pytest
from cribble_process import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.text.charset import decode

sys.path.insert(0, str(ROOT / "bench"))
import charset

TURKISH = "Güneşli bir günde şehirde yürüyüş yaptık. "
RUSSIAN = "Сегодня хорошая погода, и мы пошли гулять в парк у реки. "


@pytest.mark.parametrize(
    ("body", "header", "text"),
    [
        (b"\xef\xbb\xbfna\xc3\xafve", "latin-1", "naïve"),
        ("naïve".encode("utf-16"), "", "naïve"),
        ("naïve".encode("cp1252"), "ISO-8859-1", "naïve"),
        (b"\x93quoted\x94", "latin1", "\u201cquoted\u201d"),
        (TURKISH.encode("cp1254"), "iso-8859-9", TURKISH),
        ("日本".encode("cp932"), "shift_jis", "日本"),
        ("中文".encode("gb18030"), "gb2312", "中文"),
        (b'<meta charset="windows-1251">' + RUSSIAN.encode("cp1251"), "", '<meta charset="windows-1251">' + RUSSIAN),
        (b'<meta charset="utf-16">na\xc3\xafve', "", '<meta charset="utf-16">naïve'),
        ("naïve café".encode(), "iso-8859-1", "naïve café"),
        ("naïve".encode("utf-16-le") * 20, "", "naïve" * 20),
        (b"plain", "", "plain"),
        (b"", "", ""),
        (b"caf\xe9", "utf-8", "caf\ufffd"),
        ((RUSSIAN * 4).encode("cp1251"), "", RUSSIAN * 4),
        ((RUSSIAN * 4).encode("koi8-r"), "", RUSSIAN * 4),
        (
            "Un café déjà très chaud, à côté de l'élève. ".encode("cp1252") * 3,
            "",
            "Un café déjà très chaud, à côté de l'élève. " * 3,
        ),
        (b"+ADw-script+AD4-", "utf-7", "+ADw-script+AD4-"),
        (b"word", "no-such-charset", "word"),
    ],
)
def test_a_browser_would_read_the_same(body, header, text):
    assert decode(body, header)[0] == text


def test_a_meta_in_a_comment_or_beyond_the_first_kilobyte_does_not_count():
    for body in (b"<!-- <meta charset=windows-1251> --> na\xc3\xafve", b" " * 1100 + b"<meta charset=windows-1251> na\xc3\xafve"):
        assert "naïve" in decode(body)[0]


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80), st.text(max_size=12))
def test_any_bytes_under_any_label_become_text(body, label):
    text, name = decode(body, label)
    assert isinstance(text, str)
    assert name


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60))
def test_utf8_is_recognised_without_a_label(text):
    assert decode(text.encode())[0] == text.removeprefix("\ufeff")


@pytest.mark.parametrize("unit", [b"<script", b"<style>", b"<", b"<!--", b"<meta charset", b"</script "])
def test_detection_costs_time_in_proportion_to_the_page(unit: bytes) -> None:
    body = unit * (400_000 // len(unit)) + b"\xe9\xe8 na\xefve"
    began = time.process_time()
    decode(body)
    assert time.process_time() - began < 2


@pytest.mark.skipif(not (charset.SHARED / "bench" / "charset").is_dir(), reason="no charset files beside the project")
def test_nearly_all_recorded_files_are_read_as_what_they_are() -> None:
    counted, wrong = charset.read(charset.SHARED)
    assert counted > 400
    assert len(wrong) <= 0.03 * counted, wrong
