"""`cribble doctor`: what it tells of engines that answer, refuse, changed or hang, and what it ends with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import msgspec
import pytest

from pipelines.cli import outcome
from pipelines.config import configured
from pipelines.doctor import Examination, Report, doctor, examine, shown, verdict
from stages.core.env import Budget, Reply, Request
from stages.core.errors import StageError, UsageError
from stages.net import client

Answer = Callable[[Request], Reply]
FIXTURES = Path(__file__).parents[1] / "fixtures" / "engines"


def case(engine: str, name: str) -> Answer:
    folder = FIXTURES / engine / name
    told = json.loads((folder / "case.json").read_text("utf-8"))
    body = (folder / told["answer"]).read_bytes()
    return lambda request: Reply(url=request.url, status=told["status"], body=body, exchange="e1")


def silent(_: Request) -> Reply:
    raise StageError("timeout", "did not answer in time")


class Net:
    """Stands for the door to the network: answers by host, and counts."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = {name.replace("_", "."): answer for name, answer in answers.items()}
        self.asked: list[Request] = []
        self.cooled: list[str] = []

    def __call__(self, *_: object) -> Net:
        return self

    def bind(self, *_: object) -> Net:
        return self

    async def send(self, request: Request) -> Reply:
        self.asked.append(request)
        await anyio.lowlevel.checkpoint()
        return self.answers[urlsplit(request.url).hostname or ""](request)

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        return await self.send(request)

    async def cool(self, budget: Budget, secs: float, why: str) -> None:
        self.cooled.append(budget.name)

    async def forget(self, reply: Reply) -> None:
        pass

    async def aclose(self) -> None:
        pass


@pytest.fixture
def net(monkeypatch: pytest.MonkeyPatch) -> Net:
    made = Net(
        en_wikipedia_org=case("wikipedia", "results"),
        api_github_com=case("github", "limit"),
        hn_algolia_com=case("hacker_news", "other_json"),
        export_arxiv_org=silent,
        www_bing_com=case("bing_images", "results"),
        news_google_com=case("google_news", "empty"),
    )
    monkeypatch.setattr(client, "LiveDoor", made)
    return made


async def looked(*names: str, record: str = "", replay: str = "", **asked: object) -> Report:
    flags = {key: value for key, value in (("record", record), ("replay", replay)) if value}
    with anyio.fail_after(10):
        return await examine(configured(flags), names, Examination(**{"query": "tide mill"} | asked))


@pytest.mark.anyio
async def test_each_engine_is_told_by_its_outcome_and_whether_its_layout_is_still_read(net: Net) -> None:
    names = ("wikipedia", "github", "hacker_news", "arxiv", "bing_images", "google_news")
    report = await looked(*names)
    assert [(one.engine, one.kind, one.outcome, one.results, one.reads) for one in report.findings] == [
        ("wikipedia", "web", "ok", 3, True),
        ("github", "web", "rate_limited", 0, None),
        ("hacker_news", "web", "parse_changed", 0, False),
        ("arxiv", "web", "timeout", 0, None),
        ("bing_images", "image", "ok", 2, True),
        ("google_news", "news", "empty", 0, True),
    ]
    assert all(one.milliseconds >= 0 for one in report.findings)
    assert report.without_setting == ()
    assert len(net.asked) == len(names)
    assert all(request.budget for request in net.asked)
    assert net.cooled == ["github"]
    lines = shown(report).splitlines()
    assert len(lines) == 1 + len(names)
    assert "changed" in lines[3]
    assert "did not answer in time" in lines[4]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("names", "code"),
    [(("wikipedia", "bing_images"), 0), (("github", "arxiv"), 69), (("wikipedia", "github"), 1), (("hacker_news",), 1)],
)
async def test_the_exit_code_says_all_some_or_none(net: Net, names: tuple[str, ...], code: int) -> None:
    assert verdict(await looked(*names)) == code


@pytest.mark.anyio
async def test_a_kind_leaves_out_the_engines_of_others(net: Net) -> None:
    assert [one.engine for one in (await looked("wikipedia", "bing_images", kind="image")).findings] == ["bing_images"]
    with pytest.raises(UsageError, match="none of the engines named answers news"):
        await looked("wikipedia", kind="news")
    with pytest.raises(UsageError, match="CRIBBLE_EXA_API_KEY"):
        await looked("exa")
    with pytest.raises(UsageError, match="no engine is called 'altavista'"):
        await looked("altavista")


@pytest.mark.anyio
async def test_without_names_every_engine_that_can_be_asked_is(net: Net) -> None:
    net.answers = dict.fromkeys(
        ("www.bing.com", "duckduckgo.com", "api.openverse.org", "commons.wikimedia.org"), case("bing_images", "results")
    )
    report = await looked(kind="image")
    assert [one.engine for one in report.findings] == ["bing_images", "duckduckgo_images", "openverse", "wikimedia_commons"]
    assert {"searxng", "exa", "serper"} <= set(report.without_setting)
    assert "for want of a setting: searxng" in shown(report)


@pytest.mark.anyio
async def test_a_recorded_examination_replays_without_network(net: Net, tmp_path: Path) -> None:
    names, archive = ("wikipedia", "github", "arxiv"), str(tmp_path / "run.warc.gz")
    recorded = await looked(*names, record=archive)
    asked = len(net.asked)
    replayed = await looked(*names, replay=archive)
    assert len(net.asked) == asked
    still = [msgspec.structs.replace(one, milliseconds=0) for one in recorded.findings]
    assert [msgspec.structs.replace(one, milliseconds=0) for one in replayed.findings] == still


def test_the_command_prints_json_and_ends_with_the_code(net: Net, capfd: pytest.CaptureFixture[str]) -> None:
    assert doctor(["wikipedia", "github", "--query", "tide mill", "--json"]) == 1
    told = json.loads(capfd.readouterr().out)
    assert [one["outcome"] for one in told["findings"]] == ["ok", "rate_limited"]
    assert set(told) == {"findings", "without_setting"}
    assert outcome(["doctor", "--help"]) == 0
    assert "69 when every one refused" in capfd.readouterr().out
