"""Asking engines: who was asked, what each did, and that none takes the others down."""

from __future__ import annotations

import json
import random
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import anyio
import pytest

from stages.core.env import Budget, Env, Reply, Request, Settings
from stages.core.errors import StageError, UsageError
from stages.records import Attempt, Hit, Query
from stages.search import Options, search

SEARX = "searx.example"
DDG = "html.duckduckgo.com"
MILL, DEFAULT = Query(text="tide mill"), Options()
Answer = Callable[[Request], Awaitable[Reply]]


class FakeNet:
    """Answers by host, and remembers what was asked."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = {SEARX: answers["searx"], DDG: answers.get("ddg", _duckduckgo)}
        self.asked: list[Request] = []
        self.cooled: list[tuple[str, float, str]] = []
        self.forgotten: list[str] = []

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        assert not obey_robots
        self.asked.append(request)
        return await self.answers[urlsplit(request.url).hostname or ""](request)

    async def send(self, request: Request) -> Reply:
        raise AssertionError(request.url)

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        self.cooled.append((budget.name, secs, why))

    async def forget(self, reply: Reply) -> None:
        self.forgotten.append(reply.url)


def _env(net: FakeNet, settings: Settings) -> Env:
    return Env(net=net, now="2026-01-01T00:00:00.000Z", random=random.Random(0), settings=settings, notices=set())


async def _duckduckgo(request: Request) -> Reply:
    blocks = "".join(
        f'<div class="result web-result"><h2><a class="result__a" href="https://{name}.example/">Tide {name}</a></h2></div>'
        for name in ("a", "b")
    )
    return Reply(url=request.url, status=200, body=f'<div id="links">{blocks}</div>'.encode())


def _searx(*hosts: str) -> Answer:
    async def answer(request: Request) -> Reply:
        rows = [{"url": f"https://{name}/", "title": f"Tide at {name}", "engines": ["bing"], "positions": [1]} for name in hosts]
        return Reply(url=request.url, status=200, body=json.dumps({"results": rows}).encode())

    return answer


def _refusing(kind: str) -> Answer:
    async def answer(_: Request) -> Reply:
        raise StageError(kind, "as the test wants")  # type: ignore[arg-type]

    return answer


async def _search(
    net: FakeNet,
    query: Query = MILL,
    options: Options = DEFAULT,
    *,
    engines: tuple[str, ...] = (),
    searxng_url: str = f"http://{SEARX}",
) -> list[Hit | Attempt]:
    with anyio.fail_after(5):
        known = ("searxng", "duckduckgo") if searxng_url else ("duckduckgo",)
        env = _env(net, Settings(searxng_url=searxng_url, engines=engines or known))
        found: list[Hit | Attempt] = await search.call(query, options, env)
    return found


def _shape(records: list[Hit | Attempt]) -> list[str]:
    return [
        f"{record.who} {record.outcome} {record.results}" if isinstance(record, Attempt) else record.url for record in records
    ]


@pytest.mark.anyio
async def test_each_engine_has_an_attempt_and_its_hits_behind_it() -> None:
    records = await _search(FakeNet(searx=_searx("x.example")), Query(text="tide mill", weight=0.7))
    assert _shape(records) == [
        "searxng ok 1",
        "https://x.example/",
        "duckduckgo ok 2",
        "https://a.example/",
        "https://b.example/",
    ]
    last = records[-1]
    assert isinstance(last, Hit)
    assert (last.found[0].engine, last.found[0].family, last.found[0].query) == ("duckduckgo", "bing", "tide mill")
    assert (last.found[0].rank, last.found[0].weight) == (2, 0.7)


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["timeout", "network", "challenge", "robots", "replay_miss"])
async def test_an_engine_that_fails_costs_its_own_hits_only(kind: str) -> None:
    records = await _search(FakeNet(searx=_refusing(kind)))
    assert _shape(records) == [f"searxng {kind} 0", "duckduckgo ok 2", "https://a.example/", "https://b.example/"]
    assert records[0].message == "as the test wants"  # type: ignore[union-attr]


@pytest.mark.anyio
async def test_when_all_engines_refuse_each_says_why() -> None:
    records = await _search(FakeNet(searx=_refusing("timeout"), ddg=_refusing("challenge")))
    assert _shape(records) == ["searxng timeout 0", "duckduckgo challenge 0"]


@pytest.mark.anyio
async def test_engines_are_asked_at_once_and_reported_in_their_order() -> None:
    asked = anyio.Event()

    async def late(request: Request) -> Reply:
        await asked.wait()
        return await _searx("x.example")(request)

    async def early(request: Request) -> Reply:
        asked.set()
        return await _duckduckgo(request)

    records = await _search(FakeNet(searx=late, ddg=early))
    assert [record.who for record in records if isinstance(record, Attempt)] == ["searxng", "duckduckgo"]


@pytest.mark.anyio
async def test_junk_is_called_irrelevant() -> None:
    records = await _search(FakeNet(searx=_searx("x.example")), Query(text="quantum xylophone"))
    assert _shape(records) == ["searxng irrelevant 0", "duckduckgo irrelevant 0"]
    assert records[0].http_status == 200  # type: ignore[union-attr]


@pytest.mark.anyio
async def test_domains_are_enforced_on_what_came_back_and_ranks_stay_the_engine_s() -> None:
    net = FakeNet(searx=_searx("a.example", "www.kept.example", "notkept.example", "sub.kept.example"), ddg=_refusing("network"))
    records = await _search(
        net, Query(text="tide mill", include_domains=("kept.example",), exclude_domains=("www.kept.example",))
    )
    assert _shape(records) == ["searxng ok 1", "https://sub.kept.example/", "duckduckgo network 0"]
    records = await _search(net, Query(text="tide mill", include_domains=("other.example",)))
    assert _shape(records)[0] == "searxng empty 0"
    assert records[0].message == "4 results, none of them at the domains asked for"  # type: ignore[union-attr]


@pytest.mark.anyio
async def test_options_bound_time_hits_and_engines() -> None:
    net = FakeNet(searx=_searx(*(f"h{number}.example" for number in range(30))))
    records = await _search(net, options=Options(per_engine=3, timeout_secs=2.5, engines=("searxng",), feedback="never"))
    assert _shape(records)[0] == "searxng ok 3"
    assert len(records) == 4
    assert all(2 < request.timeout_secs <= 2.5 for request in net.asked)


@pytest.mark.anyio
async def test_settings_narrow_the_engines_and_options_overrule_them() -> None:
    net = FakeNet(searx=_searx("x.example"))
    assert _shape(await _search(net, engines=("searxng",))) == ["searxng ok 1", "https://x.example/"]
    records = await _search(net, options=Options(engines=("duckduckgo",)), engines=("searxng",))
    assert _shape(records)[0] == "duckduckgo ok 2"
    with pytest.raises(UsageError, match="no engine is called 'altavista'; there are searxng"):
        await _search(net, options=Options(engines=("altavista",)))


@pytest.mark.anyio
async def test_a_kind_that_no_engine_answers_is_a_failure_and_one_that_some_do_asks_only_them() -> None:
    net = FakeNet(searx=_searx("x.example"))
    assert _shape(await _search(net, Query(text="tide mill", kind="news"), engines=("duckduckgo", "searxng"))) == [
        "searxng ok 1",
        "https://x.example/",
    ]
    with pytest.raises(StageError, match="image queries") as failure:
        await _search(net, Query(text="tide mill", kind="image"), engines=("duckduckgo",))
    assert failure.value.kind == "unsupported_content"
