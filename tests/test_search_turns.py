"""Who is asked when engines refuse, hang, answer junk or stop half way; what pages, operators and cooldowns come to."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from stages.core.env import Budget, Env, Reply, Request, Settings
from stages.core.errors import StageError
from stages.engines.engine import Passport
from stages.records import Attempt, Hit, Query
from stages.search import Options, search

NOW = "2026-01-20T12:00:00.000Z"
MILL = Query(text="tide mill")


class FakeNet:
    """Every host answers with its own name; refusals happen in `parse`, hanging here."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.cooled: list[tuple[str, float, str]] = []
        self.forgotten: list[str] = []

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        if request.timeout_secs <= 0:  # as the door does
            raise StageError("deadline", "the time was over")
        self.asked.append(request.url.removeprefix("https://"))
        with anyio.move_on_after(request.timeout_secs):
            if "hanging" in request.url:
                await anyio.sleep_forever()
            await anyio.lowlevel.checkpoint()
            if "skipped" in request.url:
                raise StageError("rate_limited", "this machine's budget is used up")
            headers = (("retry-after", "7"),) if "later" in request.url else ()
            return Reply(url=request.url, status=200, headers=headers)
        raise StageError("timeout", f"no answer within {request.timeout_secs:.2f} s")

    async def send(self, request: Request) -> Reply:
        raise AssertionError(request.url)

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        self.cooled.append((budget.name, secs, why))

    async def forget(self, reply: Reply) -> None:
        self.forgotten.append(reply.url.removeprefix("https://"))


def _hit(url: str, title: str = "Tide mill", **fields: Any) -> Hit:
    return Hit(url=url, title=title, **fields)


def _engine(name: str, *pages: list[Hit], refuses: str = "", status: int = 429, **passport: Any) -> Any:
    """An engine with these pages, which refuses in this way where it has none."""
    said = Passport(name=name, family=name, budget=Budget(name, 4, 4), pages=max(1, len(pages)), **passport)

    def request(query: Query, settings: Settings, now: str) -> Request:
        return Request(url=f"https://{name}.example")

    def parse(reply: Reply, query: Query, now: str) -> list[Hit]:
        number = int(reply.url.partition("?")[2] or 1)
        if refuses or number > len(pages):
            raise StageError(refuses or "challenge", "as the test wants", http_status=status)  # type: ignore[arg-type]
        return pages[number - 1]

    def next_page(reply: Reply, query: Query, page: int, now: str) -> Request:
        return Request(url=f"https://{name}.example?{page}")

    more = {"next_page": next_page} if len(pages) > 1 else {}
    return SimpleNamespace(PASSPORT=said, request=request, parse=parse, **more)


def _fine(name: str) -> Any:
    return _engine(name, [_hit(f"https://{name}.example/mill")])


def _refusing(name: str, kind: str = "challenge", status: int = 429) -> Any:
    return _engine(name, refuses=kind, status=status)


class Run:
    """One query over these engines."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *engines: Any) -> None:
        monkeypatch.setattr("stages.engines.choose", lambda asked, settings: list(engines))
        self.net = FakeNet()
        settings = Settings()
        self.env = Env(net=self.net, now=NOW, random=random.Random(0), settings=settings, notices=set())

    async def __call__(self, query: Query = MILL, **options: Any) -> list[Query | Hit | Attempt]:
        with anyio.fail_after(5):
            found: list[Query | Hit | Attempt] = await search.call(query, Options(**options), self.env)
        return found


def _outcomes(records: list[Query | Hit | Attempt]) -> list[str]:
    return [f"{one.who} {one.outcome}" for one in records if isinstance(one, Attempt)]


def _urls(records: list[Query | Hit | Attempt]) -> list[str]:
    return [one.url for one in records if isinstance(one, Hit)]


def _attempt(records: list[Query | Hit | Attempt]) -> Attempt:
    return next(one for one in records if isinstance(one, Attempt))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_only_as_many_engines_are_asked_as_answers_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, *map(_fine, "abcd"))
    assert _outcomes(await run(answers=2)) == ["a ok", "b ok"]
    assert _outcomes(await run(Query(text="tide mill", weight=0.5), answers=3)) == ["a ok"]
    assert _outcomes(await run(answers=9)) == ["a ok", "b ok", "c ok", "d ok"]


@pytest.mark.anyio
async def test_for_each_engine_that_refuses_the_next_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, _refusing("a"), _fine("b"), _refusing("c", "blocked"), _fine("d"), _fine("e"))
    assert _outcomes(await run(answers=2)) == ["a challenge", "b ok", "c blocked", "d ok"]


@pytest.mark.anyio
async def test_when_all_refuse_each_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    records = await Run(monkeypatch, _refusing("a"), _refusing("b", "rate_limited"), _refusing("skipped"))(answers=2)
    assert _outcomes(records) == ["a challenge", "b rate_limited", "skipped rate_limited"]
    assert not _urls(records)


@pytest.mark.anyio
async def test_one_hangs_one_has_junk_one_is_truncated_and_the_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    junk = _engine("junk", [_hit("https://x.example/", "Cheap flights")])
    run = Run(monkeypatch, _fine("hanging"), junk, _refusing("cut", "parse_changed", 200), _fine("good"))
    began = anyio.current_time()
    records = await run(answers=3, timeout_secs=0.3)
    assert _outcomes(records) == ["hanging timeout", "junk irrelevant", "cut parse_changed", "good ok"]
    assert _urls(records) == ["https://good.example/mill"]
    assert anyio.current_time() - began < 0.5


@pytest.mark.anyio
async def test_after_a_hanging_engine_the_rest_of_the_time_is_the_next_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, _fine("hanging"), _fine("b"))
    assert _outcomes(await run(answers=1, timeout_secs=0.3)) == ["hanging timeout", "b ok"]
    run = Run(monkeypatch, *map(_fine, ("hanging1", "hanging2", "hanging3")))
    began = anyio.current_time()
    assert [one.partition(" ")[0] for one in _outcomes(await run(answers=1, timeout_secs=0.3))] == ["hanging1", "hanging2"]
    assert anyio.current_time() - began < 0.5


@pytest.mark.anyio
async def test_whose_turn_comes_when_the_time_is_over_is_named_and_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, _fine("hanging1"), _fine("hanging2"), _fine("c"))
    monkeypatch.setattr("stages.search._ENGINE_SHARE", 1.0)
    assert _outcomes(await run(answers=1, timeout_secs=0.05)) == ["hanging1 timeout", "hanging2 deadline"]
    assert run.net.asked == ["hanging1.example"]


@pytest.mark.anyio
async def test_an_engine_that_asks_for_a_rest_gets_it_though_it_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    busy, spent = _fine("busy"), _refusing("spent", "rate_limited")
    busy.rest_secs, spent.rest_secs = lambda reply, now: 12.0, lambda reply, now: 99.0
    run = Run(monkeypatch, busy, spent)
    assert _outcomes(await run()) == ["busy ok", "spent rate_limited"]
    assert run.net.cooled == [("busy", 12.0, "asked for a rest"), ("spent", 99.0, "rate_limited")]


@pytest.mark.anyio
async def test_who_refused_is_left_alone_and_who_was_only_skipped_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(
        monkeypatch,
        _refusing("a", "challenge", 202), _refusing("b", "challenge", 200), _refusing("later", "rate_limited"),
        _refusing("c", "blocked", 403), _refusing("d", "parse_changed", 200), _refusing("skipped"),
    )  # fmt: skip
    await run(answers=6)
    assert run.net.cooled == [
        ("a", 60, "challenge"), ("b", 3600, "challenge"), ("later", 7, "rate_limited"), ("c", 180, "blocked"),
    ]  # fmt: skip
    assert run.net.forgotten == ["a.example", "b.example", "later.example", "c.example"]


@pytest.mark.anyio
async def test_junk_is_not_kept_for_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, _engine("a", [_hit("https://x.example/", "Cheap flights")]))
    assert _outcomes(await run()) == ["a irrelevant"]
    assert (run.net.forgotten, run.net.cooled) == (["a.example"], [])


@pytest.mark.anyio
async def test_pages_follow_one_another_until_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [[_hit(f"https://p{page}{row}.example/") for row in range(4)] for page in range(3)]
    records = await Run(monkeypatch, _engine("a", *pages))(pages=2, per_engine=3)
    assert len(_urls(records)) == 6
    assert [one.found[0].rank for one in records if isinstance(one, Hit)] == [1, 2, 3, 4, 5, 6]
    records = await Run(monkeypatch, _engine("a", *pages))(pages=9)
    assert (len(_urls(records)), _attempt(records).message) == (12, "there is no page 4")
    assert _attempt(await Run(monkeypatch, _fine("a"))(pages=2)).message == "there is no page 2"


@pytest.mark.anyio
async def test_a_page_that_is_the_one_before_again_ends_them_and_a_refusal_costs_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = [_hit(f"https://p{row}.example/") for row in range(4)]
    records = await Run(monkeypatch, _engine("a", first, first[:3], first))(pages=3)
    assert (len(_urls(records)), _attempt(records).message) == (4, "page 2: rate_limited: page 1 is shown again")
    records = await Run(monkeypatch, _engine("a", first, [_hit("https://x.example/")]))(pages=2, per_engine=4)
    assert len(_urls(records)) == 5


@pytest.mark.anyio
async def test_operators_are_enforced_and_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    hits = [
        _hit("https://a.example/mill.pdf"),
        _hit("https://sub.a.example/mill.pdf"),
        _hit("https://a.example/mill.html"),
        _hit("https://nota.example/mill.pdf"),
        _hit("https://a.example/wind.pdf", "Wind mills, no tide"),
        _hit("https://a.example/Mill/weir.pdf", "A weir by the tide"),
    ]
    run = Run(monkeypatch, _engine("a", hits, operators=frozenset({"site", "phrase"})))
    query = Query(text='tide -winds intitle:mills inurl:MILL filetype:pdf site:a.example "tide mill" a OR b')
    records = await run(query)
    assert _urls(records) == ["https://a.example/mill.pdf", "https://sub.a.example/mill.pdf"]
    assert _attempt(records).operators == {
        "phrase": "native", "minus": "post", "or": "ignored", "site": "native", "filetype": "post", "intitle": "post",
        "inurl": "post",
    }  # fmt: skip
    assert [(one.code, one.option) for one in run.env.notices] == [("operator_ignored", "or")]
    missing = _attempt(await run(Query(text="tide filetype:docx")))
    assert (missing.outcome, missing.message) == ("empty", "6 results, none of them with the filetype asked for")


@pytest.mark.anyio
async def test_only_trusted_dates_exclude_unless_undated_hits_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    hits = [
        _hit("https://new.example/", published="2026-01-18", published_trust="trusted"),
        _hit("https://old.example/", published="2025-01-01", published_trust="trusted"),
        _hit("https://semi.example/", published="2025-01-01", published_trust="semi"),
        _hit("https://crawled.example/", published="2026-01-19", published_trust="untrusted"),
        _hit("https://none.example/"),
    ]
    run = Run(monkeypatch, _engine("a", hits))
    for query in (Query(text="tide mill when:7d"), Query(text="tide mill", freshness="week"), Query(text="tide mill after:2026")):
        records = await run(query)
        assert [url.partition("//")[2] for url in _urls(records)] == [
            "new.example/", "semi.example/", "crawled.example/", "none.example/",
        ]  # fmt: skip
        assert set(_attempt(records).operators.values()) == {"post"}
        assert _urls(await run(query, undated="drop")) == ["https://new.example/"]
    assert [url for url in _urls(await run(Query(text="tide mill before:2025-06"))) if "old" in url or "new" in url] == [
        "https://old.example/"
    ]
    assert not run.env.notices


@pytest.mark.anyio
async def test_a_time_that_nobody_can_tell_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(monkeypatch, _fine("a"))
    await run(Query(text="tide mill", freshness="day"))
    assert [one.option for one in run.env.notices] == ["freshness"]
    run = Run(monkeypatch, _engine("a", [_hit("https://x.example/")], freshness=frozenset({"day"})))
    assert _attempt(await run(Query(text="tide mill when:d"))).operators == {"freshness": "native"}
    assert not run.env.notices


def _seen(records: list[Query | Hit | Attempt]) -> list[str]:
    return [record.text for record in records if isinstance(record, Query)]


@pytest.mark.anyio
async def test_a_weak_answer_is_learnt_from_and_asked_for_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = [_hit(f"https://h{row}.example/", "Mill sluice") for row in range(2)]
    run = Run(monkeypatch, _engine("a", weak), _fine("b"))
    records = await run(Query(text="tide mill", question="q1"), answers=1)
    assert _seen(records) == ["tide mill sluice"]
    again = next(record for record in records if isinstance(record, Query))
    assert (again.derived, again.weight, again.question) == ("feedback", 0.5, "q1")
    assert run.net.asked == ["a.example", "a.example"]
    places = [record.found[0] for record in records if isinstance(record, Hit)]
    assert [(place.query, place.weight) for place in places] == [("tide mill", 1.0)] * 2 + [("tide mill sluice", 0.5)] * 2


@pytest.mark.anyio
async def test_variants_strong_answers_and_those_who_do_not_want_it_get_no_second_round(monkeypatch: pytest.MonkeyPatch) -> None:
    weak = [_hit(f"https://h{row}.example/", "Mill sluice") for row in range(2)]
    strong = [_hit(f"https://h{row}.example/", "Tide mill sluice") for row in range(3)]
    assert not _seen(await Run(monkeypatch, _engine("a", weak))(feedback="never"))
    assert not _seen(await Run(monkeypatch, _engine("a", weak))(Query(text="tide mill", derived="keywords")))
    assert not _seen(await Run(monkeypatch, _engine("a", strong))())
    assert not _seen(await Run(monkeypatch, _refusing("a"))())
