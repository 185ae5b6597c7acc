"""Cut documents into passages that can be cited.

Reads Document, writes it again with the number of its passages, and each Passage. Whole paragraphs, items and lines are packed
up to `tokens`; a heading belongs to what follows it and begins a new passage once there is enough to break off. Fences and
tables stay whole up to three times `tokens`; beyond that they are cut between lines. Only a sentence longer than that is cut
inside.
`text == document.text[start:end]` always, and every line that is not blank is in exactly one passage. Fails with nothing: a
document without text gives no passage.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Annotated

import msgspec
from msgspec import Meta

from stages.core.stage import Work, each
from stages.records import Document, Passage
from stages.text.orders import orders
from stages.text.pieces import Span, pieces
from stages.text.tokens import TOKENIZER, count_all, load


class Options(Work, frozen=True):
    """How large passages are."""

    tokens: Annotated[int, Meta(ge=20, le=4000, description=f"Size to pack passages to, in {TOKENIZER} tokens.")] = 120


def _finished(document: Document) -> bool:
    return document.passages is not None


@each(lifts=("sanitize", "extract"), finished=_finished, prepare=load)
def chunk(document: Document, options: Options) -> list[Document | Passage]:
    """Cut the document's text. One that was cut before stays as it is: its passages flow already."""
    if _finished(document):
        return [document]
    spans = pieces(document.text, options.tokens)
    texts = [document.text[span.start : span.end] for span in spans]
    passages = [_passage(document, span, text, tokens) for span, text, tokens in zip(spans, texts, count_all(texts), strict=True)]
    return [msgspec.structs.replace(document, passages=len(passages)), *passages]


def _passage(document: Document, span: Span, text: str, tokens: int) -> Passage:
    key = f"{document.provenance.document_sha256}\0{document.url}\0{span.start}\0{span.end}"
    return Passage(
        id=blake2b(key.encode("utf-8", "surrogatepass"), digest_size=10).hexdigest(),
        url=document.url,
        text=text,
        start=span.start,
        end=span.end,
        title=document.title,
        headings=span.headings,
        tokens=tokens,
        orders=orders(text) if document.orders else 0,
        published=document.published,
        language=document.language,
        provenance=document.provenance,
    )
