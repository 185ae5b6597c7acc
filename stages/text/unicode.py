"""The Unicode policy: what of a string from the web a reader could see, and nothing else.

Tag characters, zero-width characters, bidi controls, selectors, fillers and controls carry text past a reader; some of them also
carry meaning in Persian, Hindi, Malayalam, Thai, Hebrew, or an emoji. Each is kept where its context makes it orthography.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator

from stages.text import scripts as s
from stages.text.controls import Counts, keep_bidi, keep_joiners
from stages.vocabulary import ThreatKind

MAX_MARKS = 8
"""Combining marks on one base: no orthography needs more."""
TRIMMED_MARKS = 4
"""What stays of a flood."""
MAX_ROUNDS = 6
"""Removing one layer can form another. Text that is still moving after this many rounds loses every invisible character."""

REPORTED: dict[str, tuple[ThreatKind, int]] = {
    "tag characters": ("tag", 1),
    "variation selectors": ("zero_width", 2),
    "zero-width characters": ("zero_width", 3),
    "joiners outside their scripts": ("zero_width", 3),
    "blank fillers": ("zero_width", 3),
    "private-use characters": ("zero_width", 3),
    "bidi overrides": ("bidi", 1),
    "unbalanced bidi controls": ("bidi", 1),
    "idle bidi controls": ("bidi", 1),
}
"""Reason -> kind of the threat, and from how many characters it is one. What is not here goes quietly: it carries nothing."""

_Pass = Callable[[str, Counts], str]

_SUSPECT = re.compile(
    f"[{s.CONTROLS}\ud800-\udfff\u2028\u2029\u200c\u200d{s.ZERO_WIDTH}{s.SELECTORS}{s.FILLERS}{s.BIDI}{s.PRIVATE}\U000e0000-\U000e007f]"
    f"|[{s.WIDE_SPACES}]{{9,}}"
    # A run that may be combining marks: \w holds no Mn and no Me. What else is in it is sorted out by category.
    rf"|[^\w\s\x00-\u02ff\u2000-\u20cf\u2100-\u2dff\u3000-\u3029\ufe30-\uffff]{{{MAX_MARKS + 1},}}"
)
_ASCII_SUSPECT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_UNCALM = re.compile(
    "[^\t\n -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u0590\u05d0-\u05ea\u0621-\u064a\u0660-\u066f\u1e00-\u1fff"
    "\u2010-\u2027\u2030-\u205e\u2070-\u20bf\u2100-\u27ff\u2900-\u2bff\u3001-\u3029\u3040-\u3098\u309b-\u312f\u3400-\u9fff\uac00-\ud7a3\uff01-\uff9f]"
)
"""Whatever is not in these ranges of letters and signs may be something to look at; a class alone is searched for quickly."""


def clean(text: str) -> str:
    """The text without what a reader cannot see; cleaning it again changes nothing."""
    return scan(text)[0]


def scan(text: str) -> tuple[str, Counts]:
    """The cleaned text, and how many characters of each kind went: see REPORTED for which of them are threats."""
    counts: Counts = Counter()
    if not is_suspect(text):
        return text, counts
    for _ in range(MAX_ROUNDS):
        before = text
        for apply in _PASSES:
            text = apply(text, counts)
        if text == before:
            return text, counts
    while text != (text := _bare(text, counts)):
        pass
    return text, counts


def is_suspect(text: str) -> bool:
    """Whether there is anything in the text that cleaning looks at."""
    if text.isascii():
        return _ASCII_SUSPECT.search(text) is not None
    first = _UNCALM.search(text)
    return first is not None and _SUSPECT.search(text, first.start()) is not None


def reportable(counts: Counts) -> tuple[tuple[ThreatKind, str, int], ...]:
    """What of the counts is worth a report, as (kind, reason, count) in the order of REPORTED."""
    return tuple((kind, reason, counts[reason]) for reason, (kind, least) in REPORTED.items() if counts[reason] >= least)


_PAIR = re.compile("[\ud800-\udfff]")


def _surrogates(text: str, _counts: Counts) -> str:
    if not _PAIR.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_BREAK = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_CONTROL = re.compile(f"(?:\x1b\\[|\x9b)[0-?]{{0,32}}[ -/]{{0,8}}[@-~]|[{s.CONTROLS}]")


def _controls(text: str, counts: Counts) -> str:
    text = _BREAK.sub("\n", text)
    text, removed = _CONTROL.subn("", text)
    counts["control characters"] += removed
    return text


def _tags_of(name: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in name)


_TAG = re.compile(f"(\U0001f3f4(?:{'|'.join(map(_tags_of, ('gbeng', 'gbsct', 'gbwls')))})\U000e007f)|[\U000e0000-\U000e007f]+")


def _tags(text: str, counts: Counts) -> str:
    """An open pattern behind the black flag would be a channel: only the three flags that exist pass."""

    def judge(match: re.Match[str]) -> str:
        if match[1]:
            return match[1]
        counts["tag characters"] += len(match[0])
        return ""

    return _TAG.sub(judge, text)


_ZERO_WIDTH = re.compile(f"[{s.ZERO_WIDTH}]+")
_VOWEL_SEPARATOR = re.compile(f"(?<=[{s.MONGOLIAN}])\u180e(?=[\u1820\u1821])")
_BETWEEN = re.compile(r"\w\w")
_OPERATOR = re.compile("\\A\ufeff|(?<=[\\w)\\]])[\u2061-\u2064](?=[\\w(\\[])")
_SPACED = re.compile(f"[^\\W{s.IDEOGRAPHS}{s.KANA}{s.SPACELESS}]")


def _zero_width(text: str, counts: Counts) -> str:
    """Gone everywhere. Single hints to break a line and invisible operators go quietly."""
    text = _OPERATOR.sub("", text)
    kept = {match.start() for match in _VOWEL_SEPARATOR.finditer(text)}

    def judge(match: re.Match[str]) -> str:
        alone = len(match[0]) == 1
        if alone and match.start() in kept:
            return match[0]
        if not (alone and _is_hint(text, match.start())) and not _is_padding(text, match):
            counts["zero-width characters"] += len(match[0])
        return ""

    return _ZERO_WIDTH.sub(judge, text)


def _is_hint(text: str, at: int) -> bool:
    """Whether it says where a line may break, or stands where no letters are: within a word it would be a channel."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : at + 2]
    if text[at] == "\u034f":
        return any(map(unicodedata.combining, before + after))
    if text[at] not in "\u200b\u2060\ufeff" or (before.islower() and after.isupper()):
        return text[at] in "\u00ad\u200b\u2060"
    return not (_SPACED.match(before) and _SPACED.match(after))


def _is_padding(text: str, run: re.Match[str]) -> bool:
    """Whether it is one character a few times where no word is: it says nothing."""
    within = _BETWEEN.match(text[max(run.start() - 1, 0) : run.start()] + text[run.end() : run.end() + 1])
    return len(run[0]) <= MAX_MARKS and len(set(run[0])) == 1 and run[0][0] in "\u200b\u2060\ufeff" and within is None


_SELECTOR = re.compile(f"([^{s.SELECTORS}]?)([{s.SELECTORS}]+)(\u20e3?)")
_IDEOGRAPH = re.compile(f"[{s.IDEOGRAPHS}]")
_EMOJI = re.compile(f"[{s.EMOJI}]")
_STYLED = re.compile(f"[{s.STYLED}{s.IDEOGRAPHS}]")
_MONGOLIAN = re.compile(f"[{s.MONGOLIAN}]")
MAX_IDEOGRAPHIC = 16
"""Different ideographic selectors in one text; names need a handful, a byte channel needs them all."""


MAX_FORMS = 3
"""Forms of one ideograph in one text."""


def _selectors(text: str, counts: Counts) -> str:
    """One selector behind a base that has variants stays; a run never does."""
    ideographic = _names(text)

    def judge(match: re.Match[str]) -> str:
        base, run, keycap = match.groups()
        if len(run) == 1 and _selects(base, run, keycap, ideographic):
            return match[0]
        counts["variation selectors"] += len(run)
        return base + keycap

    return _SELECTOR.sub(judge, text)


_VARIANT = re.compile(f"([{s.IDEOGRAPHS}])([\U000e0100-\U000e01ef])")


def _names(text: str) -> bool:
    """Whether ideographic selectors pick forms of a few names: a channel takes many of them, on one base or on most."""
    found = _VARIANT.findall(text)
    forms: dict[str, set[str]] = {}
    for base, selector in found:
        forms.setdefault(base, set()).add(selector)
    different = len({selector for _, selector in found})
    most = different > MAX_FORMS * 2 and len(found) * 2 > len(_IDEOGRAPH.findall(text))
    return different <= MAX_IDEOGRAPHIC and not most and all(len(one) <= MAX_FORMS for one in forms.values())


def _selects(base: str, selector: str, keycap: str, ideographic: bool) -> bool:
    if selector >= "\U000e0100":
        return ideographic and bool(_IDEOGRAPH.match(base))
    if selector < "\u2000":
        return bool(_MONGOLIAN.match(base))
    if selector in "\ufe0e\ufe0f":
        return bool(_EMOJI.match(base)) or (base != "" and base in "#*0123456789" and keycap != "")
    return selector <= "\ufe02" and bool(_STYLED.match(base))


_FILLER = re.compile(f"[{s.FILLERS}]+")
_BESIDE = {
    "\u115f": "[\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]",
    "\u1160": "[\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]",
    "\u2800": "[\u2801-\u28ff]",
    "\u3164": "[\u3131-\u3163\u3165-\u318e]",
    "\uffa0": "[\uffa1-\uffdc]",
}


def _fillers(text: str, counts: Counts) -> str:
    """One beside its own script is a letter; any other is a blank, and becomes a space."""

    def judge(match: re.Match[str]) -> str:
        beside = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
        if len(match[0]) == 1 and re.search(_BESIDE[match[0]], beside):
            return match[0]
        counts["blank fillers"] += len(match[0])
        return " "

    return _FILLER.sub(judge, text)


_PRIVATE = re.compile(f"[{s.PRIVATE}](?:\\s?[{s.PRIVATE}])*")
ICON_RUN = 3
"""Different private-use characters side by side from which they are no icons any more; between spaces twice as many."""


def _private(text: str, counts: Counts) -> str:
    def judge(match: re.Match[str]) -> str:
        bare = "".join(match[0].split())
        least = ICON_RUN if bare == match[0] else 2 * ICON_RUN
        within = _BETWEEN.match(text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1])
        counts["private-use characters" if len(set(bare)) >= least or within else "icons"] += len(bare)
        return "" if bare == match[0] else " "

    return _PRIVATE.sub(judge, text)


_SPACES = re.compile(f"[{s.WIDE_SPACES}]{{9,}}")
_MARKS = re.compile(rf"[^\w\s\x00-\u02ff\u2000-\u20cf\u2100-\u2dff\u3000-\u3029\ufe30-\uffff]{{{MAX_MARKS + 1},}}")


def _floods(text: str, counts: Counts) -> str:
    """Long runs of spaces become one; marks piled on one base are cut to a few."""
    return _MARKS.sub(lambda match: "".join(_thinned(match[0], counts)), _SPACES.sub(" ", text))


def _thinned(run: str, counts: Counts) -> Iterator[str]:
    pile: list[str] = []
    for character in [*run, ""]:
        if character and unicodedata.category(character) in ("Mn", "Me"):
            pile.append(character)
            continue
        if len(pile) > MAX_MARKS:
            counts["combining marks"] += len(pile) - TRIMMED_MARKS
            del pile[TRIMMED_MARKS:]
        yield from pile
        yield character
        pile.clear()


_PASSES: tuple[_Pass, ...] = (
    _surrogates,
    _controls,
    _tags,
    _private,
    _zero_width,
    _selectors,
    keep_joiners,
    keep_bidi,
    _fillers,
    _floods,
)
_BARE = re.compile(f"[\u200c\u200d{s.SELECTORS}{s.ZERO_WIDTH}{s.BIDI}{s.FILLERS}\U000e0000-\U000e007f]")


def _bare(text: str, counts: Counts) -> str:
    """No context can save a character here."""
    text, removed = _BARE.subn("", _private(_controls(text, counts), counts))
    counts["zero-width characters"] += removed
    return _floods(text, counts)
