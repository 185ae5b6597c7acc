"""The Unicode policy: what is orthography stays, what is a channel goes."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.html.report import threats
from stages.text.unicode import clean, scan

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases" / "hidden_text" / "unicode.jsonl"

HARMLESS = {
    "Persian": "می\u200cخواهم کتاب\u200cها را بخوانم",
    "Persian year": "۱۴۰۳ ه\u200d. ش",
    "Hindi": "क्\u200dष और क्\u200cष",
    "Malayalam": "അവന്\u200d പാല്\u200d",
    "Sinhala": "ශ්\u200dරී ලංකා",
    "Bengali": "র\u200d্যাব",
    "Thai": "ภาษาไทยที่น้ำ",
    "Hebrew": "שָׁלוֹם עֲלֵיכֶם",
    "Hebrew with a mark": "טלפון: \u200e+972-3-555-0100",
    "balanced isolate in Arabic": "قال \u2066John Smith\u2069 نعم",
    "family": "👨\u200d👩\u200d👧 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f",
    "keycap": "1\ufe0f\u20e3 and #\ufe0f\u20e3",
    "flag of Scotland": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "ideographic variant": "葛\U000e0100城市",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ\u180b ᠬᠠᠨ\u180eᠠ",
    "jamo": "\u1100\u1160\u11a8 자모",
    "braille": "⠓⠑⠇⠇⠕\u2800⠺⠕⠗⠇⠙",
    "accents": "e\u0301 Việt Nam naïve",
    "Tibetan": "བོད་སྐད་ཡིག",
    "Gujarati": "ક્\u200dષ",
    "Telugu": "సాఫ్ట్\u200cవేర్",
    "Kannada": "ಸಾಫ್ಟ್\u200cವೇರ್ ರ್\u200dಯಾ",
    "Tamil": "க்\u200cஷ தமிழ்",
    "Nepali": "गर्\u200dयो",
    "Marathi": "दुसऱ्\u200dया",
    "Kurdish": "ئێمە\u200cش دەچین",
    "Khmer": "ភាសាខ្មែរ ស្រ្តី",
    "Lao": "ພາສາລາວ",
    "Burmese": "မြန်မာဘာသာ",
    "Tibetan stacks": "ཧཱུྃ བཀྲ་ཤིས",
    "Hebrew with accents": "בְּרֵאשִׁ֖ית בָּרָ֣א אֱלֹהִ֑ים",
    "Greek with its signs": "α\u0313\u0301\u0345 Ἐν ἀρχῇ",
    "Old Slavonic": "Гдⷭ҇ь сло́во",
    "Yoruba": "ẹ̀kọ́ Yorùbá",
    "phonetics": "[ˈt͡ʃɛ̝̃ːs̪kɪ̈̃]",
    "Old Korean": "\u1112\u119e\u11ab",
    "Japanese in parts": "か\u3099 は\u309a ｶﾞ",
    "variants of signs": "∩\ufe00 0\ufe00 羽\ufe00",
    "Javanese": "ꦧꦱꦗꦮ",
    "Adlam": "𞤀𞤣𞤤𞤢𞤥",
    "isolate in Hebrew": "שלום \u2068abc\u2069 עולם",
    "a mark at the end": "שלום!\u200f",
    "professions": "🕵\ufe0f\u200d♀\ufe0f 🏋🏿\u200d♀\ufe0f 👨\u200d⚕\ufe0f",
    "pirates": "🏴\u200d☠\ufe0f 🐻\u200d❄\ufe0f ⛓\ufe0f\u200d💥 🙂\u200d↔\ufe0f",
    "letters struck through": "s\u0336t\u0336r\u0336",
    "spaces": "10\u00a0km\u2009h",
}


@pytest.mark.parametrize("name", HARMLESS)
def test_orthography_comes_through_unharmed_and_unreported(name):
    assert scan(HARMLESS[name])[0] == HARMLESS[name]
    assert threats(scan(HARMLESS[name])[1]) == ()


def hide(payload: str, offset: int) -> str:
    return "".join(chr(offset + ord(letter)) for letter in payload)


@pytest.mark.parametrize(
    ("dirty", "expected", "kind"),
    [
        ("a" + hide("ignore all", 0xE0000) + "b", "ab", "tag"),
        ("🏴" + hide("usca", 0xE0000) + "\U000e007f", "🏴", "tag"),
        ("🏴" + hide("gbeng", 0xE0000) + hide("x", 0xE0000) + "\U000e007f", "🏴", "tag"),
        ("hi" + "\u200b\u200c\u200d\u2060" * 6, "hi", "zero_width"),
        ("😀" + "".join(chr(0xE0100 + n) for n in b"secret"), "😀", "zero_width"),
        ("\u202egnp.exe\u202c", "gnp.exe", "bidi"),
        ("Start \u202babc", "Start abc", "bidi"),
        ("Start \u202aabc end", "Start abc end", "bidi"),
        ("Start \u2066abc end", "Start abc end", "bidi"),
        ("שלום \u202eabc\u202c", "שלום abc", "bidi"),
        ("name" + "\u3164\u2800" * 9 + "end", "name end", "zero_width"),
        ("shy" + "\u00ad" * 9 + "!", "shy!", "zero_width"),
        ("\u034f".join("hidden"), "hidden", "zero_width"),
        ("\u200b".join("hidden"), "hidden", "zero_width"),
        ("a" + "\u200e\u200f" * 6 + "b", "ab", "bidi"),
        ("قال" + "\u2066\u2069\u2067\u2069" * 6 + " نعم", "قال نعم", "bidi"),
        ("".join(letter + chr(0xE000 + n) for n, letter in enumerate("hello")), "hello", "zero_width"),
        (" ".join(chr(0xE000 + n) for n in b"payload") + "!", " !", "zero_width"),
        ("base\ufff9text\ufffanote\ufffb end", "basetextnote end", "zero_width"),
        ("葛\U000e0100葛\U000e0101葛\U000e0102葛\U000e0103" * 2, "葛" * 8, "zero_width"),
        ("x" + "\ue001\ue002\ue003\ue004" + "y", "xy", "zero_width"),
    ],
)
def test_a_channel_is_closed_and_reported(dirty, expected, kind):
    text, counts = scan(dirty)
    assert text == expected
    assert kind in {threat.kind for threat in threats(counts)}


def test_a_joiner_in_every_gap_of_persian_words_is_a_channel():
    payload = "".join(letter + "\u200c" for letter in "کتابخانهملیایرانشهر")
    assert "\u200c" not in clean(payload)


def test_one_selector_behind_every_ideograph_is_a_channel():
    assert clean("".join("葛" + chr(0xE0100 + number) for number in range(40))) == "葛" * 40


def test_soft_hyphens_and_thai_break_hints_go_without_a_report():
    text, counts = scan("Donau\u00addampf\u00adschiff\u00adfahrt ภาษา\u200bไทย\u200bสวย\u200bงาม")
    assert text == "Donaudampfschifffahrt ภาษาไทยสวยงาม"
    assert threats(counts) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ភាសា\u200bខ្មែរ\u200bស្អាត\u200bណាស់", "ភាសាខ្មែរស្អាតណាស់"),
        ("東京\u200b都\u200b庁\u200bへ", "東京都庁へ"),
        ("བོད་\u200bསྐད་\u200bཡིག་\u200bཆ", "བོད་སྐད་ཡིག་ཆ"),
        ("https://\u200bmill.example/\u200ba/\u200bb/\u200bc", "https://mill.example/a/b/c"),
        ("get\u200bLevel\u200bBy\u200bName", "getLevelByName"),
        ("\u200b", ""),
        ("\u200d", ""),
        ("\u202a(212) 555-0100", "(212) 555-0100"),
        ("(212) 555-0100\u202c", "(212) 555-0100"),
        ("\u200d Source. \u200d Note.\u200d End.\u200d", " Source.  Note. End."),
        ("CEO: \u200b\u200b\u200b\u200b\u200bJane", "CEO: Jane"),
        ("«\u2060 mot \u2060» et «\u2060 eau \u2060»", "« mot » et « eau »"),
        ("نہیں\u200c ہیں\u200c میں\u200c کہاں\u200c", "نہیں ہیں میں کہاں"),
        ("\uf005\uf005\uf005\uf005 4/5", " 4/5"),
        ("Hello \u2068Jane\u2069, \u20683\u2069 mails from \u2068Bob\u2069", "Hello Jane, 3 mails from Bob"),
        ("ל\u05b7\u034f\u05b4ם ל\u05b7\u034f\u05b4ם ל\u05b7\u034f\u05b4ם", "ל\u05b7\u05b4ם ל\u05b7\u05b4ם ל\u05b7\u05b4ם"),
    ],
)
def test_hints_where_a_line_may_break_and_what_typing_leaves_behind_go_without_a_report(text: str, expected: str) -> None:
    assert scan(text)[0] == expected
    assert threats(scan(text)[1]) == ()


def test_control_sequences_of_terminals_vanish():
    assert clean("a\x1b[8mhidden\x1b[0mb\x9b31mc\x00\x7f") == "ahiddenbc"


def test_lone_surrogates_become_replacement_characters_and_pairs_one_character():
    assert clean("ok \ud83d end \ud83d\ude00") == "ok \ufffd end 😀"


def test_plain_text_is_returned_as_it_is():
    text = "plain text\twith a tab\nand a line"
    assert clean(text) is text


def test_what_removing_one_layer_forms_is_removed_as_well():
    assert clean("\u202a\u2066\u202c\u2069" * 50) == ""
    assert clean("葛\U000e0100\ue000\U000e0101") == "葛"


ALPHABET = st.sampled_from(
    "ab \n\rאبमം葛☺😀🏴1\u0301\u0336\u094d\u20e3\u200b\u200c\u200d\u200e\u200f\u202a\u202c\u202e\u2066\u2069\ufe0f\ufe00"
    "\u180b\u180e\u1820\u3164\u1160\u1100\u2800\u2801\ue000\ufeff\u00ad\u2062\x1b[m\x9b\ud83d\ude00\U000e0067\U000e007f\U000e0100\u3000\ufffe"
    "\u061c\u2067\u2060\ue001\ue002\U000e0101\U000e0102\u3042/A"
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(ALPHABET, max_size=60), st.text(max_size=60)))
def test_cleaning_twice_changes_nothing(text):
    once = clean(text)
    assert clean(once) == once
    once.encode()
    assert not any(unicodedata.category(letter) in {"Cs", "Co"} or letter in "\u202d\u202e\x1b\x00" for letter in once)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(categories=("L", "N", "P", "Zs"), exclude_characters="\u3164\u115f\u1160\uffa0"), max_size=60))
def test_letters_digits_and_punctuation_are_never_lost(text):
    assert re.sub(r"\s+", "", clean(text)) == re.sub(r"\s+", "", text)


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
def test_the_public_cases_are_all_right():
    for line in CASES.read_text().splitlines():
        case = json.loads(line)
        text, counts = scan(case["text"])
        kinds = {threat.kind for threat in threats(counts)}
        assert " ".join(text.split()) in {" ".join(expected.split()) for expected in case["expect_any"]}, case["name"]
        assert not case["expected_threat_types"] or kinds & set(case["expected_threat_types"]), case["name"]
        assert not kinds & set(case["forbid_threat_types"]), case["name"]


@pytest.mark.parametrize(
    "unit",
    ["\u0628\u200c", "\u05d0\u202b", "a\ufe0f", "\u4e00\U000e0101", "\u180e\u1820", "\ue000a", "\x1b[", "\u0301"],
    ids=ascii,
)
def test_cleaning_costs_time_in_proportion_to_the_text(unit: str) -> None:
    began = time.process_time()
    clean(unit * 40_000)
    assert time.process_time() - began < 2
