"""The query language: words, "phrases", -words, OR, and operators, read out of any text and written back in one normal form.

    site: -site: filetype: (ext:) intitle: inurl: after: before: when: lang: region: "a phrase" -word this OR that

What has the form of an operator and no sense (`site:`, `after:soon`) is a word. `parse(render(asked)) == asked`.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable


class Term(Struct, frozen=True):
    """A word, or words that stand together."""

    text: str
    phrase: bool = False

    def __str__(self) -> str:
        return f'"{self.text}"' if self.phrase else self.text


class Asked(Struct, frozen=True, kw_only=True):
    """A query taken apart. Each group holds the alternatives of which one is wanted; mostly there is one."""

    groups: tuple[tuple[Term, ...], ...] = ()
    minus: tuple[Term, ...] = ()
    sites: tuple[str, ...] = ()
    """Hosts, of which any will do."""
    not_sites: tuple[str, ...] = ()
    filetypes: tuple[str, ...] = ()
    """Name endings, of which any will do."""
    intitle: tuple[Term, ...] = ()
    inurl: tuple[str, ...] = ()
    after: str = ""
    before: str = ""
    """ISO dates: published on this day or later, and before this day."""
    days: int = 0
    """Published within so many days; 0 for any time."""
    language: str = ""
    region: str = ""

    @property
    def text(self) -> str:
        """The words that are wanted, without any signs."""
        return " ".join(term.text for group in self.groups for term in group)


QUOTED = re.compile(
    '"([^"]{1,200})"|[\u201c\u201e]([^\u201c\u201d\u201e]{1,200})[\u201c\u201d]|\u00ab([^\u00ab\u00bb]{1,200})\u00bb'
)
"""A phrase between quotes of one kind; the group that is not empty is the phrase."""
_QUOTES = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02", '"'))
_TOKEN = re.compile(r'(?P<lead>\(*)(?P<sign>-?)(?:(?P<name>[A-Za-z]+):)?"(?P<phrase>[^"]*)"(?P<trail>\)*)|(?P<plain>\S+)')
_OPERATOR = re.compile(r"(-?)([A-Za-z]+):(.+)", re.DOTALL)
_HOST = re.compile(r"(?:https?://)?(\.?[^\s\"'()/,:;?#@\[\]<>|]+)\.?(?::\d+)?(/[^\s\"]*)?", re.IGNORECASE)
_WHEN = re.compile(r"(\d{0,3})([hdwmy])", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})(?:[-/](\d{1,2}))?(?:[-/](\d{1,2}))?")
_UNIT_DAYS = {"d": 1, "w": 7, "m": 31, "y": 366}
_NAMES = {"ext": "filetype", "language": "lang", "loc": "region"}


class _Token(Struct):
    """One piece of the text: a term (with the brackets around it), or an operator's part of the answer."""

    term: Term | None = None
    lead: int = 0
    trail: int = 0
    field: str = ""
    value: object = None
    joins: bool = False


def parse(text: str) -> Asked:
    """Take a text apart. Any text has a meaning."""
    tokens = [token for match in _TOKEN.finditer(text.translate(_QUOTES)) for token in _tokens(match)]
    fields: dict[str, list[object]] = {}
    for token in tokens:
        if token.field:
            fields.setdefault(token.field, []).append(token.value)
    listed = {name: tuple(dict.fromkeys(values)) for name, values in fields.items()}
    single = {
        name: pick(listed.pop(name))  # type: ignore[type-var]  # each field holds one type
        for name, pick in (("after", max), ("before", min), ("days", min), ("language", _last), ("region", _last))
        if name in listed
    }
    return Asked(groups=_groups(tokens), **listed, **single)  # type: ignore[arg-type]


def render(asked: Asked, *, bracketed: bool = False) -> str:
    """The normal form; `bracketed` for a reader to whom OR binds loosely."""
    several = bracketed and len(asked.groups) > 1
    parts = [_group(group, bracketed=several) for group in asked.groups]
    parts += [f"-{term}" for term in asked.minus]
    parts += [f"site:{name}" for name in asked.sites]
    parts += [f"-site:{name}" for name in asked.not_sites]
    parts += [f"filetype:{name}" for name in asked.filetypes]
    parts += [f"intitle:{term}" for term in asked.intitle]
    parts += [f'inurl:"{name}"' if name.startswith(("(", '"')) else f"inurl:{name}" for name in asked.inurl]
    named = (("after", asked.after), ("before", asked.before), ("lang", asked.language), ("region", asked.region))
    parts += [f"{name}:{value}" for name, value in named if value]
    return " ".join([*parts, *([f"when:{asked.days}d"] if asked.days else [])])


def operators(asked: Asked) -> tuple[str, ...]:
    """What it says besides words: phrase, minus, or, site, -site, filetype, intitle, inurl."""
    said = (
        ("phrase", any(term.phrase for group in asked.groups for term in group)),
        ("minus", asked.minus),
        ("or", any(len(group) > 1 for group in asked.groups)),
        ("site", asked.sites),
        ("-site", asked.not_sites),
        ("filetype", asked.filetypes),
        ("intitle", asked.intitle),
        ("inurl", asked.inurl),
    )
    return tuple(name for name, value in said if value)


def render_for(asked: Asked, understood: Container[str]) -> str:
    """The text for an engine that understands these operators and no others. Words that it must find anywhere stay as words."""
    groups = asked.groups
    for name, terms in (("intitle", asked.intitle), ("inurl", tuple(map(Term, asked.inurl)))):
        groups += tuple((term,) for term in terms if name not in understood)
    if "phrase" not in understood:
        groups = tuple(tuple(Term(term.text) for term in group) for group in groups)
    if "or" not in understood:
        groups = tuple((term,) for group in groups for term in group)
    words = Asked(groups=groups, minus=asked.minus if "minus" in understood else ())
    rest = Asked(
        not_sites=asked.not_sites if "-site" in understood else (),
        intitle=asked.intitle if "intitle" in understood else (),
        inurl=asked.inurl if "inurl" in understood else (),
    )
    either = [
        _either(f"{name}:{value}" for value in values)
        for name, values in (("site", asked.sites), ("filetype", asked.filetypes))
        if name in understood and (len(values) == 1 or (values and "or" in understood))
    ]
    return " ".join(part for part in (render(words, bracketed=True), *either, render(rest)) if part)


def _either(parts: Iterable[str]) -> str:
    listed = list(parts)
    return f"({' OR '.join(listed)})" if len(listed) > 1 else listed[0]


def _group(group: tuple[Term, ...], *, bracketed: bool) -> str:
    joined = " OR ".join(map(str, group))
    return f"({joined})" if bracketed and len(group) > 1 else joined


def _last(values: tuple[object, ...]) -> object:
    return values[-1]


def _tokens(match: re.Match[str]) -> Iterable[_Token]:
    if (plain := match["plain"]) is not None:
        return _plain(plain)
    phrase, sign, name = " ".join(match["phrase"].split()), match["sign"], (match["name"] or "").casefold()
    if not phrase:
        return []
    if name and (token := _operator(sign, name, Term(phrase, phrase=True))) is not None:
        return [token]
    if name:  # `said:"so"` is a word before a phrase
        return [*_plain(f"{sign}{match['name']}:"), _Token(term=Term(phrase, phrase=True))]
    if sign:
        return [_Token(field="minus", value=Term(phrase, phrase=True))]
    return [_Token(term=Term(phrase, phrase=True), lead=len(match["lead"]), trail=len(match["trail"]))]


def _plain(token: str) -> Iterable[_Token]:
    token = re.sub(r'^([-(]*)"+', r"\1", token)  # a quote that nothing closes
    if token == "OR":  # noqa: S105 - a word, no password
        return [_Token(joins=True)]
    found = _OPERATOR.fullmatch(token)
    if found is not None and (operator := _operator(found[1], found[2].casefold(), Term(found[3]))) is not None:
        return [operator]
    bare = token[1:]
    # `-40` is a number and `-v` a flag of some command.
    if token.startswith("-") and len(bare) > 1 and not bare.startswith("-") and not bare[0].isdigit() and bare[0] != ".":
        return [_Token(field="minus", value=Term(bare))]
    return [_Token(term=Term(token))] if token else []


def _operator(sign: str, name: str, value: Term) -> _Token | None:
    """What an operator says; None when it is none."""
    field, read = _OPERATORS.get(_NAMES.get(name, name), ("", _nothing))
    if sign and field != "sites":
        return None
    given = read(value)
    return _Token(field="not_sites" if sign else field, value=given) if given else None


def _nothing(_value: Term) -> str:
    return ""


def _site(value: Term) -> str:
    """A host; the path behind it is not looked at."""
    found = _HOST.fullmatch(value.text)
    return found[1].casefold().removeprefix("*").strip(".") if found is not None else ""


def _url_part(value: Term) -> str:
    return value.text.casefold() if '"' not in value.text and " " not in value.text else ""


def _ending(value: Term) -> str:
    return value.text.casefold().lstrip(".") if re.fullmatch(r"\.?[A-Za-z0-9]{1,8}", value.text) else ""


def _language(value: Term) -> str:
    return value.text.lower() if re.fullmatch(r"[A-Za-z]{2,3}", value.text) else ""


def _region(value: Term) -> str:
    return value.text.upper() if re.fullmatch(r"[A-Za-z]{2}", value.text) else ""


def _day(value: Term) -> str:
    found = _DAY.fullmatch(value.text)
    try:
        return date(int(found[1]), int(found[2] or 1), int(found[3] or 1)).isoformat() if found is not None else ""
    except ValueError:
        return ""


def _days(value: Term) -> int:
    found = _WHEN.fullmatch(value.text)
    if found is None:
        return 0
    count, unit = int(found[1] or 1), found[2].lower()
    return -(-count // 24) if unit == "h" else count * _UNIT_DAYS[unit]


def _term(value: Term) -> Term:
    return value


_OPERATORS: dict[str, tuple[str, Callable[[Term], object]]] = {
    "site": ("sites", _site),
    "filetype": ("filetypes", _ending),
    "intitle": ("intitle", _term),
    "inurl": ("inurl", _url_part),
    "after": ("after", _day),
    "before": ("before", _day),
    "when": ("days", _days),
    "lang": ("language", _language),
    "region": ("region", _region),
}
"""Each operator's field, and what reads its value: what comes out empty is no operator."""


def _groups(tokens: list[_Token]) -> tuple[tuple[Term, ...], ...]:
    """Terms in order; OR between two of them makes them alternatives, elsewhere it is a word."""
    groups: list[list[_Token]] = []
    joining = False
    for place, token in enumerate(tokens):
        if token.joins:
            joining = bool(groups) and 0 < place < len(tokens) - 1 and _is_term(tokens[place - 1]) and _is_term(tokens[place + 1])
            if not joining:
                groups.append([_Token(term=Term("or"))])
        elif token.term is not None:
            groups[-1].append(token) if joining else groups.append([token])
            joining = False
    return tuple(tuple(dict.fromkeys(_unbracketed(group))) for group in groups)


def _is_term(token: _Token) -> bool:
    return token.term is not None


def _unbracketed(group: list[_Token]) -> list[Term]:
    """The alternatives without the brackets around all of them."""
    terms = [token.term for token in group if token.term is not None]
    while len(terms) > 1:
        first, last = terms[0], terms[-1]
        opens = group[0].lead > 0 if first.phrase else first.text[0] == "(" and _is_word(first.text[1:])
        closes = group[-1].trail > 0 if last.phrase else last.text[-1] == ")" and _is_word(last.text[:-1])
        if not (opens and closes):
            break
        terms[0] = first if first.phrase else Term(first.text[1:])
        terms[-1] = last if last.phrase else Term(last.text[:-1])
        group[0].lead -= first.phrase
        group[-1].trail -= last.phrase
    return terms


def _is_word(text: str) -> bool:
    """Whether it would be read as a word where it stood alone."""
    return bool(text) and [token.term for token in _plain(text)] == [Term(text)]
