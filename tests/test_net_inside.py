"""Nothing inside is ever connected to: by no name that changes its mind, no redirect, no spelling. Connections are counted."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator

import anyio
import pytest
from loopback import Server, answer, serving

from stages.core.env import Request, Settings
from stages.core.errors import StageError
from stages.net import guard, guard_check, identity_browser, resolve, robots
from stages.net.client import LiveDoor
from stages.net.stylesheets import attached

IDENTITIES = pytest.mark.parametrize("identity", ["browser", "api"])
OUTSIDE, INSIDE = "127.0.0.1", "127.0.0.2"
"""Two addresses of this machine; a test lets the first pass for a public one."""


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """OUTSIDE counts as public, and nothing else that is not."""
    guard_check.check_guard()  # once in every process, by rules that are whole
    judge = guard.is_public
    monkeypatch.setattr(guard, "is_public", lambda address: address == OUTSIDE or judge(address))


@contextlib.contextmanager
def port_allowed(monkeypatch: pytest.MonkeyPatch, *servers: Server) -> Iterator[None]:
    """The servers' ports are like 80, so that only address and name can refuse them."""
    with monkeypatch.context() as patch:
        patch.setattr(guard, "PORTS", guard.PORTS | {server.port for server in servers})
        yield


@contextlib.asynccontextmanager
async def door(names: Server | None = None):
    live = LiveDoor(Settings(resolver=names.url("/dns") if names else ""))
    try:
        with anyio.fail_after(20):
            yield live
    finally:
        await live.aclose()


def names_of(table: dict[str, list[list[str]]]):
    """A resolver that gives one answer after the other, and the last one from then on."""

    def look_up(path: str, _headers: dict[str, str]) -> bytes:
        answers = table.get(path.partition("name=")[2], [[]])
        return answer(200, json.dumps({"addresses": answers.pop(0) if len(answers) > 1 else answers[0]}).encode())

    return serving(look_up)


def net(live: LiveDoor):
    return live.bind("fetch", "record", math.inf, set())


async def outcome(live: LiveDoor, url: str, identity: str = "browser", *, obey_robots: bool = False) -> str:
    try:
        request = Request(url=url, identity=identity, timeout_secs=3.0)
        return (await net(live).read(request, obey_robots=obey_robots)).body.decode()
    except StageError as error:
        return "leaked" if any(part in str(error) for part in (INSIDE, "127.0.0.1", "169.254", "::1")) else error.kind


@contextlib.asynccontextmanager
async def two_sides(monkeypatch: pytest.MonkeyPatch, handler=lambda *_: answer(200, b"public")):
    """A server outside, and one inside on the same port."""
    async with serving(handler, address=OUTSIDE) as server:
        try:
            async with serving(lambda *_: answer(200, b"secret"), address=INSIDE, port=server.port) as inside:
                with port_allowed(monkeypatch, server):
                    yield server, inside
        except OSError as error:
            pytest.skip(f"this machine has no second loopback address: {error}")


@pytest.mark.anyio
@pytest.mark.usefixtures("outside")
@IDENTITIES
async def test_a_name_that_changes_its_mind_changes_nothing_and_is_refused_in_the_next_run(
    identity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        two_sides(monkeypatch) as (server, inside),
        names_of({"rebind.example.org": [[OUTSIDE], [INSIDE]]}) as names,
    ):
        url = server.url(host="rebind.example.org")
        async with door(names) as live:
            assert [await outcome(live, url, identity) for _ in range(3)] == ["public"] * 3
        async with door(names) as live:
            assert [await outcome(live, url, identity) for _ in range(3)] == ["refused"] * 3
    assert (server.connections, inside.connections, len(names.asked)) == (3, 0, 2)


@pytest.mark.anyio
@pytest.mark.usefixtures("outside")
@IDENTITIES
@pytest.mark.parametrize(
    "addresses",
    [
        [OUTSIDE, INSIDE],
        [INSIDE, OUTSIDE],
        [OUTSIDE, "::1"],
        ["::ffff:127.0.0.2", OUTSIDE],
        [OUTSIDE, "fe80::1%lo"],
        [OUTSIDE, "0.0.0.1"],
    ],
    ids=str,
)
async def test_one_forbidden_address_among_good_ones_refuses_the_name(
    identity: str, addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        two_sides(monkeypatch) as (server, inside),
        names_of({"mixed.example.org": [addresses]}) as names,
        door(names) as live,
    ):
        assert await outcome(live, server.url(host="mixed.example.org"), identity) == "refused"
    assert (server.connections, inside.connections) == (0, 0)


@pytest.mark.anyio
@pytest.mark.usefixtures("outside")
@IDENTITIES
async def test_the_systems_own_resolver_is_judged_alike(identity: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [(OUTSIDE,), (OUTSIDE, INSIDE), ("::1",)]

    async def look_up(_host: str) -> tuple[str, ...]:
        return answers.pop(0)

    monkeypatch.setattr(resolve, "_ask_system", look_up)
    async with two_sides(monkeypatch) as (server, inside):
        said = []
        for _ in range(3):
            async with door() as live:
                said.append(await outcome(live, server.url(host="rebind.example.org"), identity))
    assert said == ["public", "refused", "refused"]
    assert inside.connections == 0


FORBIDDEN = [
    "http://127.0.0.2:{port}/", "http://127.2:{port}/", "http://2130706434:{port}/", "http://0x7f000002:{port}/", "http://0x7f.2:{port}/",
    "http://0177.0.0.2:{port}/", "http://017700000002:{port}/", "http://①②⑦.⓪.⓪.②:{port}/", "http://127。0。0。2:{port}/",
    "http://１２７.０.０.２:{port}/", "http://127.0.0.2.:{port}/", "http://%31%32%37.0.0.2:{port}/", "http://[::ffff:127.0.0.2]:{port}/",
    "http://[::ffff:7f00:2]:{port}/", "http://[::127.0.0.2]:{port}/", "http://[64:ff9b::127.0.0.2]:{port}/", "http://[::1]:{port}/",
    "http://[2002:7f00:2::]:{port}/", "http://0:{port}/", "http://0.0.0.0:{port}/", "http://[::]:{port}/", "http://localhost:{port}/",
    "http://LOCALHOST.:{port}/", "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/", "http://local\u00adhost:{port}/", "http://a.localhost:{port}/",
    "//127.0.0.2:{port}/", "///127.0.0.2:{port}/", "\\\\127.0.0.2:{port}/", "/\\127.0.0.2:{port}/", "http:127.0.0.2:{port}/",
    "http:/127.0.0.2:{port}/", "http:\\\\127.0.0.2:{port}/", "http://127.0.0.2:{port}\\@site.example.org/",
    "http://site.example.org\\@127.0.0.2:{port}/", "http://site.example.org@127.0.0.2:{port}/", "http://site.example.org:80@127.0.0.2:{port}/",
    "http://inside.example.org:{port}/", "http://mixed.example.org:{port}/", "http://10.0.0.1:{port}/", "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://metadata.goog/", "http://printer/",
    "http://127.0.0.2.nip.io:{port}/", "http://site.example.org:22/", "http://[fe80::1%25lo]:{port}/", "http://[fd00::1]:{port}/",
    "file:///etc/hostname", "ftp://site.example.org/", "gopher://127.0.0.2:{port}/", "javascript:alert(1)", "data:text/html,x",
]  # fmt: skip
NAMES = {"site.example.org": [[OUTSIDE]], "inside.example.org": [[INSIDE]], "mixed.example.org": [[OUTSIDE, INSIDE]]}


def refresh(place: str) -> bytes:
    return answer(
        200, f'<meta http-equiv="refresh" content="0; url={place}">'.encode(), ("content-type", "text/html; charset=utf-8")
    )


@pytest.mark.anyio
@pytest.mark.usefixtures("outside")
@IDENTITIES
@pytest.mark.parametrize("how", ["asked", "302", "307", "refresh"])
async def test_no_spelling_and_no_redirect_leads_inside(identity: str, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def led(live: LiveDoor, server: Server, place: str) -> str:
        if how == "asked":
            return await outcome(live, place, identity)
        places.append(place)
        return await outcome(live, server.url(f"/{len(places) - 1}", host="site.example.org"), identity)

    def handler(path: str, _headers: dict[str, str]) -> bytes:
        if not path[1:].isdigit():
            return answer(200, b"public")  # what a broken spelling may come to: a path of the same host
        place = places[int(path[1:])]
        return refresh(place) if how == "refresh" else answer(int(how), b"", ("location", place))

    places: list[str] = []
    async with two_sides(monkeypatch, handler) as (server, inside), names_of(dict(NAMES)) as names, door(names) as live:
        said = {place: await led(live, server, place.format(port=server.port)) for place in FORBIDDEN}
    assert inside.connections == 0
    assert {place: one for place, one in said.items() if one != "refused"} == {}


@pytest.mark.anyio
@pytest.mark.usefixtures("outside")
async def test_rules_and_stylesheets_lead_nowhere_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(path: str, _headers: dict[str, str]) -> bytes:
        place = f"http://inside.example.org:{server.port}/"
        return answer(302, b"", ("location", place)) if path in ("/robots.txt", "/a.css") else answer(200, b"public")

    async with two_sides(monkeypatch, handler) as (server, inside), names_of(dict(NAMES)) as names, door(names) as live:
        page = server.url(host="site.example.org")
        assert await outcome(live, page, obey_robots=True) == "robots"
        live.robots = robots.Cache()
        html = b"<link rel=stylesheet href=/a.css><link rel=stylesheet href=//inside.example.org:%d/b.css>" % server.port

        async def read(request: Request):
            return await net(live).read(request, obey_robots=False)

        assert await attached(read, page, html, "") == ()
    assert (server.paths, inside.connections) == (["/robots.txt", "/a.css"], 0)


@pytest.fixture
def unjudged() -> Iterator[None]:
    """The list has not been judged in this process."""
    guard_check.mistake.cache_clear()
    yield
    guard_check.mistake.cache_clear()


@pytest.mark.anyio
@pytest.mark.usefixtures("unjudged")
@IDENTITIES
@pytest.mark.parametrize(
    ("what", "broken"),
    [
        ("is_public", lambda address: True),
        ("is_public", lambda address: False),
        ("is_public", lambda address: not address.startswith("127.")),
        ("check_url", lambda url: url),
        ("join_url", lambda base, reference: reference),
    ],
    ids=["lets all through", "lets nothing through", "knows loopback only", "reads no URL", "joins blindly"],
)
async def test_a_guard_that_fails_its_own_list_lets_nothing_out(
    identity: str, what: str, broken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard_check, what, broken)
    async with serving(lambda *_: answer(200, b"x")) as server, names_of({"site.example.org": [["127.0.0.1"]]}) as names:
        live = LiveDoor(Settings(resolver=names.url("/dns")), allow_private=frozenset({"127.0.0.1", "site.example.org"}))
        for host in ("127.0.0.1", "site.example.org"):
            with pytest.raises(StageError, match="fails its own check") as caught:
                await net(live).send(Request(url=server.url(host=host), identity=identity))
            assert caught.value.kind == "refused"
        await live.aclose()
    assert (server.connections, names.connections) == (0, 0)


@pytest.mark.usefixtures("unjudged")
def test_the_guard_passes_its_own_list() -> None:
    assert guard_check.mistake() == ""


@pytest.mark.anyio
async def test_a_curl_that_asks_nobody_for_its_sockets_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    identity_browser._sockets_are_watched.cache_clear()
    monkeypatch.setattr(identity_browser, "_watch_sockets", lambda curl, watch: None)
    async with serving(lambda *_: answer(200, b"x")) as server:
        live = LiveDoor(Settings(), allow_private=frozenset({"127.0.0.1"}))
        with pytest.raises(StageError, match="cannot be told where to connect"):
            await net(live).send(Request(url=server.url()))
        await live.aclose()
    identity_browser._sockets_are_watched.cache_clear()
    assert server.connections == 0
