"""Keys of services: they reach the service, and nothing that is written or shown."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import anyio
import pytest

from pipelines.config import configured, shown
from pipelines.feed import Feed, items
from pipelines.run import carry
from stages import load
from stages.core.env import Reply, Request
from stages.core.errors import UsageError
from stages.core.plan import Step
from stages.core.wire import Item, decoded, encoded
from stages.net import client
from stages.records import Attempt, Hit, Query, Record

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "sk-0123456789abcdef"  # noqa: S105 - the point of the test
NAMES = {"brave_api": "BRAVE_API_KEY", "tavily": "TAVILY_API_KEY", "exa": "EXA_API_KEY", "serper": "SERPER_API_KEY"}
ROWS = '[{"url":"https://mill.example/","link":"https://mill.example/","title":"The tide mill"}]'
ANSWERS = {
    "brave_api": f'{{"query":{{}},"web":{{"results":{ROWS}}}}}',
    "tavily": f'{{"results":{ROWS}}}',
    "exa": f'{{"results":{ROWS}}}',
    "serper": f'{{"organic":{ROWS}}}',
}


class Service:
    """Stands for the door to the network: every request must carry the key, in a header."""

    def __init__(self, body: str) -> None:
        self.body, self.asked = body, 0

    def __call__(self, *_: object) -> Service:
        return self

    def bind(self, *_: object) -> Service:
        return self

    async def send(self, request: Request) -> Reply:
        self.asked += 1
        assert sum(SECRET in value for _, value in request.headers) == 1
        return Reply(url=request.url, status=200, headers=(("x-api-key", SECRET),), body=self.body.encode(), exchange="e1")

    async def read(self, request: Request, *, obey_robots: bool) -> Reply:
        return await self.send(request)

    async def cool(self, *_: object) -> None:
        raise AssertionError("it did not refuse")

    forget = cool

    async def aclose(self) -> None:
        pass


async def _run(engine: str, **flags: str) -> list[Record]:
    out: list[Item] = []

    async def sink(batch: list[Item]) -> None:
        out.extend(batch)

    step = Step(load("search"), load("search").options(engines=(engine,)))
    with anyio.fail_after(10):
        await carry([step], Feed(items([Query(text="tide mill")])), configured(flags), sink)
    assert SECRET.encode() not in b"".join(map(encoded, out))
    return [decoded(item) for item in out]


@pytest.mark.anyio
@pytest.mark.parametrize("engine", NAMES)
async def test_a_recording_holds_no_key_and_is_replayed_without_one(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, archive = Service(ANSWERS[engine]), tmp_path / "run.warc.gz"
    monkeypatch.setattr(client, "LiveDoor", service)
    monkeypatch.setenv(NAMES[engine], SECRET)
    recorded = await _run(engine, record=str(archive))
    assert service.asked == 1
    assert [type(one) for one in recorded if isinstance(one, (Attempt, Hit))] == [Attempt, Hit]
    assert SECRET.encode() not in gzip.decompress(archive.read_bytes())
    monkeypatch.delenv(NAMES[engine])
    replayed = await _run(engine, replay=str(archive))
    assert [one for one in replayed if isinstance(one, (Attempt, Hit))] == [
        one for one in recorded if isinstance(one, (Attempt, Hit))
    ]
    assert service.asked == 1


@pytest.mark.parametrize("name", [f"CRIBBLE_{name}" for name in NAMES.values()] + list(NAMES.values()))
def test_a_key_is_taken_from_its_variable_and_not_shown(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, SECRET)
    config = configured({})
    setting = name.removeprefix("CRIBBLE_").lower()
    assert getattr(config.settings, setting) == SECRET
    assert f"{setting}" in shown(config)
    assert name in shown(config)
    assert SECRET not in shown(config) + repr(config) + repr(config.settings)


def test_our_own_variable_is_nearer_and_a_file_of_variables_may_hold_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "variables"
    file.write_text("CRIBBLE_EXA_API_KEY=from-the-file\nCRIBBLE_BRAVE_API_KEY=from-the-file\n")
    monkeypatch.setenv("BRAVE_API_KEY", "usual")
    assert configured({}).settings.brave_api_key == "usual"
    monkeypatch.setenv("CRIBBLE_BRAVE_API_KEY", "own")
    settings = configured({"env_file": str(file)}).settings
    assert (settings.brave_api_key, settings.exa_api_key, settings.tavily_api_key) == ("own", "from-the-file", "")


@pytest.mark.parametrize("value", ["two words", "line\nbreak", "schlüssel", "x" * 501])
def test_what_cannot_be_a_key_is_an_error_that_does_not_repeat_it(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", value)
    with pytest.raises(UsageError, match="TAVILY_API_KEY") as refusal:
        configured({})
    assert value not in str(refusal.value)


def test_no_file_or_flag_takes_a_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "config.toml"
    file.write_text('exa_api_key = "x"\n')
    monkeypatch.setenv("CRIBBLE_CONFIG", str(file))
    with pytest.raises(UsageError, match="unknown setting exa_api_key"):
        configured({})
