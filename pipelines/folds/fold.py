"""What a fold is: a pure function from a finished run to one typed reply, and how that reads as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from pipelines.cursor import Result
from pipelines.grammar import Form
from pipelines.story import Story
from stages.records import Record


class NoOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fold that leaves nothing to choose."""


def no_frame(_options: Any) -> int:
    """A reply whose text is not counted."""
    return 0


def nothing_kept(_story: Story, _options: Any, _reply: Any) -> tuple[Result, ...]:
    """A reply that shows all that it has."""
    return ()


def same_json(reply: Any, _nonce: str, _options: Any) -> str:
    """The text of servers whose text block is the structure itself."""
    return msgspec.json.encode(reply).decode()


def never(_reply: Any) -> bool:
    """A reply that is an answer whatever it holds."""
    return False


def unanswered(reply: Any) -> bool:
    """A reply whose `status` says that nobody could be asked, or that the deadline left nothing."""
    return reply.status in ("unavailable", "deadline")


class Fold(Struct, frozen=True, kw_only=True):
    """A fold by its name. `needs` are the records without which it has nothing to say."""

    name: str
    reply: type[Struct]
    needs: tuple[type[Record], ...]
    fold: Callable[[Story, Any], Any]
    """Story and options to the reply. Raises Rejected where a published interface refuses the whole call."""
    markdown: Callable[[Any, str, Any], str]
    """Reply, nonce and options to text."""
    brief: Callable[[Any, str, Any], str]
    options: type[Struct] = NoOptions
    frame_tokens: Callable[[Any], int] = no_frame
    """From its options: the most that the text costs besides the passages. `budget` keeps it free."""
    failed: Callable[[Any], bool] = never
    """Whether the reply says that the call failed as a whole."""
    kept: Callable[[Story, Any, Any], tuple[Result, ...]] = nothing_kept
    """From story, options and reply: what the cursors in the reply lead into."""
    resume: Callable[[Story, Result, int, Any], Any] | None = None
    """Story of a run without stages, what was kept, the place to read on from, options (which have a `cursor`): the reply from
    there."""

    def text(self, reply: Any, form: Form, nonce: str, options: Any) -> str:
        """The reply for a reader that does not look at its structure."""
        if form == "json":
            return same_json(reply, nonce, options)
        return (self.markdown if form == "markdown" else self.brief)(reply, nonce, options)


__all__ = ["Fold", "NoOptions", "never", "no_frame", "same_json", "unanswered"]
