"""What a page without results means, for all engines that answer with HTML: nothing found, a wall, a new layout, half a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stages.core.errors import StageError
from stages.engines.engine import BIG_PAGE, check_body, no_results, one_line
from stages.text.words import fold

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

    from stages.core.env import Reply
    from stages.records import Query

_NOTHING = re.compile(
    r"no (?:\w+ )?(?:results|matches)|not many great matches|no pages found|nothing (?:was )?found|(?:did|does) not match any"
    r"|(?:not|couldn['’]t|didn['’]t) find (?:any )?(?:\w+ )?(?:results|match)"
    r"|keine (?:\w+ ){0,2}(?:ergebnisse|treffer)|nichts gefunden|aucun (?:\w+ )?résultat|pas de résultat"
    r"|no (?:se|hay|encontr)[^.]{0,30} resultados|(?:sin|ningún) resultado|nessun risultato|alcun risultato"
    r"|nenhum resultado|não (?:há|encontr|foram)[^.]{0,30} resultados|sem resultados|geen (?:\w+ )?resultaten|niets gevonden"
    r"|brak wyników|nie znaleziono|ничего не (?:найдено|нашлось)|нет результатов|не найдено|нічого не знайдено|не знайдено"
    r"|sonuç (?:bulunamadı|yok)|inga (?:\w+ )?(?:resultat|träffar)|ingen (?:\w+ )?(?:resultater|treff)|ei (?:haku)?tuloksia"
    r"|žádné (?:\w+ )?výsledky|nincs(?:enek)? (?:találat|eredmény)|niciun rezultat|δεν βρέθηκαν|không (?:tìm thấy|có kết quả)"
    r"|tidak (?:ada|ditemukan) hasil|見つかりません|一致する[^。]{0,20}(?:ありません|なし)"
    r"|(?:没有|沒有|未)(?:找到|与|與|相关|相關|结果|結果)|找不到"
    r"|(?:결과가|결과) 없|لا توجد نتائج|لم يتم العثور|לא נמצאו|ไม่พบ",
    re.IGNORECASE,
)
_BOXES = ", ".join(f"{box}[name={name}]" for box in ("input", "textarea") for name in ("q", "p", "query"))
"""Where an engine repeats what was asked."""
_BROKEN_OFF = re.compile(r"<html\b(?!.*</html)", re.IGNORECASE | re.DOTALL)


def refusal(
    reply: Reply, query: Query, tree: LexborHTMLParser, *, visible: str, source: str, marked: bool, found: bool
) -> StageError:
    """What an answer is that has no results, or has them (`found`) with a status that refuses. Raises what its source gives away.

    `visible` is what a reader sees, `marked` whether the element is there by which the engine says that it found nothing.
    """
    # a page full of words is no wall, though its scripts may know of one
    check_body(reply, "" if found or len(visible) > BIG_PAGE else source)
    # a longer page may say these words about anything
    says_so = marked or (len(visible) < BIG_PAGE and _NOTHING.search(visible) is not None)
    nothing = says_so and _echoed(query, tree)
    if not nothing:
        check_end(reply, source)
    return no_results(reply, visible, says_so=nothing)


def check_end(reply: Reply, source: str) -> None:
    """Raise `parse_changed` for a page whose end is missing."""
    if _BROKEN_OFF.search(source):
        raise StageError("parse_changed", "a page that breaks off before its results", http_status=reply.status)


def _echoed(query: Query, tree: LexborHTMLParser) -> bool:
    """Whether the page repeats what was asked, as a page of results does, and a page about something else does not."""
    boxes = (box.attributes.get("value") or box.text() for box in tree.css(_BOXES))
    title = tree.css_first("title")
    return any(box.strip() for box in boxes) or (title is not None and fold(query.text) in fold(one_line(title.text())))
