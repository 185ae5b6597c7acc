"""robots.txt: verdicts, and how often it is asked."""

from __future__ import annotations

import json
import os
from pathlib import Path

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net import robots

SHARED = Path(os.environ.get("SHARED", Path(__file__).parents[2] / "shared"))
CASES = SHARED / "bench" / "robots" / "google_cases.jsonl"
SEVERAL_FILES = frozenset({
    "GoogleOnly_DocumentationChecks", "GoogleOnly_LineTooLong", "ID_Encoding", "ID_LongestMatch", "ID_SpecialCharacters",
})  # fmt: skip
"""Tests that hold several robots.txt files: the collection gives the wrong one to most of their verdicts."""


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not here")
def test_verdicts_are_those_of_the_published_cases() -> None:
    rows = [json.loads(line) for line in CASES.read_text().splitlines()]
    sound = [row for row in rows if row["test"] not in SEVERAL_FILES and " " not in row["agent"]]  # a token has no space
    wrong = [row for row in sound if robots.parse_rules(row["robots"]).allows(row["url"], row["agent"]) != row["allowed"]]
    assert len(sound) >= 50
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow: /x", "/x/y", False),
        ("User-agent: *\nDisallow: /\nUser-agent: cribble\nDisallow:", "/x", True),
        ("User-agent: CRIBBLE/2.0\nDisallow: /x", "/x", False),
        ("User-agent: cribblebot\nDisallow: /", "/x", True),
        ("User-agent: *\nDisallow: /\nAllow: /x$", "/x", True),
        ("User-agent: *\nDisallow: /\nAllow: /x$", "/xy", False),
        ("User-agent: *\nDisallow: /a*b", "/azzb", False),
        ("User-agent: cribble\nDisallow: /a\n\nUser-agent: cribble\nDisallow: /b", "/b", False),
        ("User-agent: cribble\nCrawl-delay: 3\nSitemap: https://x/\nUser-agent: other\nDisallow: /x", "/x", False),
        ("\ufeffUser-agent: *\nDisallow: /x # closed", "/x", False),
        ("User-agent: *\nDisallow: /%7Ejoe", "/~joe", False),
    ],
)
def test_rules_are_read_by_rfc_9309(text: str, path: str, allowed: bool) -> None:
    assert robots.parse_rules(text).allows(f"https://example.com{path}") is allowed


def sender(*replies: Reply | StageError):
    """A `send` that gives these one after the other, and what it was asked."""
    asked: list[Request] = []

    async def send(request: Request) -> Reply:
        asked.append(request)
        reply = replies[min(len(asked), len(replies)) - 1]
        if isinstance(reply, StageError):
            raise reply
        return reply

    return send, asked


def text(body: str, status: int = 200, **headers: str) -> Reply:
    return Reply(url="", status=status, headers=tuple(headers.items()), body=body.encode())


PAGE = Request(url="https://example.com/closed/page")
CLOSED = "User-agent: *\nDisallow: /closed/"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("reply", "refused"),
    [
        (text(CLOSED), True),
        (text(CLOSED, 404), False),
        (text(CLOSED, 403), False),
        (text("<!doctype html>" + CLOSED), False),
        (text("", 429), True),
        (text("", 503), True),
        (StageError("network", "gone"), True),
        (StageError("timeout", "slow"), True),
        (StageError("too_large", "huge"), True),
        (text("x" * robots.MAX_PARSED_BYTES + "\n" + CLOSED), False),
    ],
)
async def test_what_came_instead_of_rules_decides(reply: Reply | StageError, refused: bool) -> None:
    send, asked = sender(reply)
    with anyio.fail_after(5):
        if refused:
            with pytest.raises(StageError) as caught:
                await robots.Cache().check(send, PAGE)
            nobody = isinstance(reply, StageError) and reply.kind in ("network", "timeout")
            assert caught.value.kind == (reply.kind if nobody else "robots"), "a host that is not there has refused nothing"
            assert "example.com" in str(caught.value)
            assert not nobody or str(reply) in str(caught.value), "and why nobody is there is said"
        else:
            await robots.Cache().check(send, PAGE)
    assert asked[0].url == "https://example.com/robots.txt"
    assert asked[0].shared


@pytest.mark.anyio
async def test_redirects_are_followed_and_the_rules_stay_those_of_the_origin() -> None:
    send, asked = sender(text("", 301, location="https://other.org/r.txt"), text(CLOSED))
    with anyio.fail_after(5), pytest.raises(StageError):
        await robots.Cache().check(send, PAGE)
    assert [one.url for one in asked] == ["https://example.com/robots.txt", "https://other.org/r.txt"]


@pytest.mark.anyio
async def test_more_than_five_redirects_mean_that_there_is_no_file() -> None:
    send, asked = sender(text("", 302, location="/again"))
    with anyio.fail_after(5):
        await robots.Cache().check(send, PAGE)
    assert len(asked) == 6


@pytest.mark.anyio
async def test_an_origin_is_asked_once_however_many_want_to_know() -> None:
    send, asked = sender(text(""))
    cache = robots.Cache()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            for number in range(20):
                tasks.start_soon(cache.check, send, Request(url=f"https://example.com/{number}"))
        await cache.check(send, Request(url="https://example.com:8443/"))
    assert [one.url for one in asked] == ["https://example.com/robots.txt", "https://example.com:8443/robots.txt"]


@pytest.mark.anyio
async def test_when_the_asker_is_cancelled_the_next_one_asks() -> None:
    asked = []
    started = anyio.Event()

    async def send(request: Request) -> Reply:
        asked.append(request.url)
        if len(asked) == 1:
            started.set()
            await anyio.sleep_forever()
        return text(CLOSED)

    cache = robots.Cache()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(cache.check, send, PAGE)
            await started.wait()
            tasks.cancel_scope.cancel()
        with pytest.raises(StageError):
            await cache.check(send, PAGE)
    assert len(asked) == 2


@pytest.mark.anyio
async def test_an_origin_that_may_not_be_asked_is_refused_and_not_called_closed() -> None:
    send, _ = sender(StageError("refused", "inside"))
    with anyio.fail_after(5), pytest.raises(StageError) as caught:
        await robots.Cache().check(send, PAGE)
    assert caught.value.kind == "refused"


@pytest.mark.anyio
async def test_rules_that_lead_inside_close_the_origin() -> None:
    send, _ = sender(text("", 301, location="http://10.0.0.1/"), StageError("refused", "inside"))
    with anyio.fail_after(5), pytest.raises(StageError) as caught:
        await robots.Cache().check(send, PAGE)
    assert caught.value.kind == "robots"


@pytest.mark.anyio
async def test_a_deadline_is_not_taken_for_an_answer() -> None:
    send, asked = sender(StageError("deadline", "over"), text(""))
    cache = robots.Cache()
    with anyio.fail_after(5):
        with pytest.raises(StageError) as caught:
            await cache.check(send, PAGE)
        assert caught.value.kind == "deadline"
        await cache.check(send, PAGE)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("text", "secs"),
    [
        ("", 0), ("User-agent: *\nCrawl-delay: 3", 3), ("User-agent: *\ncrawl-delay:0.5\nDisallow:", 0.5),
        ("User-agent: *\nCrawl-delay: 600", 600),
        ("User-agent: *\nCrawl-delay: 1e9", robots.MAX_DELAY_SECS), ("User-agent: *\nCrawl-delay: -3", 0),
        ("User-agent: *\nCrawl-delay: soon", 0), ("User-agent: *\nCrawl-delay: nan", 0), ("User-agent: *\nCrawl-delay: inf", 0),
        ("User-agent: *\nCrawl-delay: 3\nUser-agent: cribble\nDisallow: /x", 0),
        ("User-agent: *\nCrawl-delay: 3\nDisallow: /\nUser-agent: cribble\nDisallow: /x", 0),
        ("User-agent: cribble\nDisallow: /x\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 9", 2),
        ("User-agent: other\nCrawl-delay: 9\nDisallow: /", 0),
    ],
)  # fmt: skip
def test_a_crawl_delay_is_a_wish_for_time(text: str, secs: float) -> None:
    assert robots.parse_rules(text).delay_secs() == secs


@pytest.mark.anyio
async def test_the_agent_may_have_another_name() -> None:
    send, _ = sender(text("User-agent: cribble\nDisallow: /\nUser-agent: harvester\nCrawl-delay: 2\nDisallow: /x"))
    with anyio.fail_after(5):
        assert await robots.Cache("harvester").check(send, PAGE) == 2
        with pytest.raises(StageError):
            await robots.Cache().check(send, PAGE)


@given(st.text())
def test_no_file_breaks_the_reader(rules: str) -> None:
    assert robots.parse_rules(rules).allows("https://example.com/a") in (True, False)
    assert 0 <= robots.parse_rules(rules).delay_secs() <= robots.MAX_DELAY_SECS
