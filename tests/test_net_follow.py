"""Redirects by hand, over scripted answers."""

from __future__ import annotations

import anyio
import pytest

from stages.core.env import Reply, Request
from stages.core.errors import StageError
from stages.net import follow, robots
from stages.net.follow import retry_secs

START = "https://example.com/start"
HTML = ("content-type", "text/html")


class Web:
    """Answers by URL; a list gives one after the other, and its last one from then on."""

    def __init__(self, **pages: Reply | StageError | list[Reply | StageError]) -> None:
        self.pages = {name.replace("_", "/"): page for name, page in pages.items()}
        self.asked: list[Request] = []

    async def send(self, request: Request) -> Reply:
        self.asked.append(request)
        page = self.pages.get(request.url.removeprefix("https://example.com/"), Reply(url=request.url, status=404))
        if isinstance(page, list):
            page = page.pop(0) if len(page) > 1 else page[0]
        if isinstance(page, StageError):
            raise page
        return page

    async def read(self, request: Request | None = None, *, obey_robots: bool = False) -> Reply:
        with anyio.fail_after(5):
            return await follow.read(self.send, robots.Cache(), request or Request(url=START), obey_robots=obey_robots)

    async def refusal(self, **options: bool) -> StageError:
        with pytest.raises(StageError) as caught:
            await self.read(**options)
        return caught.value


def to(place: str, status: int = 302, *headers: tuple[str, str]) -> Reply:
    return Reply(url="", status=status, headers=(("location", place), *headers))


def page(body: str = "fine", *headers: tuple[str, str], status: int = 200) -> Reply:
    return Reply(url="", status=status, headers=(HTML, *headers), body=body.encode())


@pytest.mark.anyio
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_every_redirect_leads_on_and_the_first_url_is_kept(status: int) -> None:
    web = Web(start=to("/end", status), end=page())
    reply = await web.read()
    assert (reply.body, reply.asked) == (b"fine", START)
    assert [one.url for one in web.asked] == [START, "https://example.com/end"]


@pytest.mark.anyio
@pytest.mark.parametrize("status", [300, 304, 305])
async def test_other_statuses_of_that_class_are_answers(status: int) -> None:
    assert (await Web(start=to("/end", status)).read()).status == status


@pytest.mark.anyio
async def test_ten_hops_are_followed_and_one_more_is_not() -> None:
    web = Web(start=to("/1"), **{str(number): to(f"/{number + 1}") for number in range(1, 10)}, **{"10": page()})
    assert (await web.read()).body == b"fine"
    assert len(web.asked) == 11
    error = await Web(start=to("/1"), **{str(number): to(f"/{number + 1}") for number in range(1, 11)}).refusal()
    assert (error.kind, "10 times" in str(error)) == ("network", True)


@pytest.mark.anyio
async def test_a_loop_ends_as_soon_as_it_closes() -> None:
    web = Web(start=to("/a"), a=to("/start"))
    assert (await web.refusal()).kind == "network"
    assert len(web.asked) == 2


@pytest.mark.anyio
@pytest.mark.parametrize("place", ["http://example.com/end", "http://other.org/"])
async def test_a_downgrade_to_http_is_refused(place: str) -> None:
    assert (await Web(start=to(place)).refusal()).kind == "refused"


@pytest.mark.anyio
async def test_a_place_that_parsers_read_differently_is_refused() -> None:
    assert (await Web(start=to("https://good.org\\@evil.org/")).refusal()).kind == "refused"


@pytest.mark.anyio
async def test_robots_are_asked_at_every_hop() -> None:
    rules = Reply(url="", status=200, body=b"User-agent: *\nDisallow: /end")
    web = Web(start=to("/end"), end=page(), **{"robots.txt": rules})
    assert (await web.refusal(obey_robots=True)).kind == "robots"
    assert [one.url.rpartition("/")[2] for one in web.asked] == ["robots.txt", "start"]


@pytest.mark.anyio
async def test_a_cookie_of_the_chain_comes_back_to_its_host_only() -> None:
    again = to("/start", 302, ("set-cookie", "seen=1; Path=/; HttpOnly"), ("set-cookie", "two=2"))
    web = Web(start=[again, to("https://other.org/")])
    await web.read()
    assert [dict(one.headers).get("cookie") for one in web.asked] == [None, "seen=1; two=2", None]


@pytest.mark.anyio
async def test_cookies_that_the_request_brings_stand_before_those_of_the_chain_in_one_header() -> None:
    web = Web(start=[to("/start", 302, ("set-cookie", "seen=1")), page()])
    await web.read(Request(url=START, headers=(("Cookie", "kl=de"), ("x-other", "1"))))
    assert web.asked[1].headers == (("x-other", "1"), ("cookie", "kl=de; seen=1"))


@pytest.mark.anyio
async def test_a_cookie_that_is_deleted_on_the_way_is_not_sent_again() -> None:
    hops = [to("/start", 302, ("set-cookie", "seen=1")), to("/end", 302, ("set-cookie", "seen=; Max-Age=0"))]
    web = Web(start=hops, end=page())
    await web.read()
    assert [dict(one.headers).get("cookie") for one in web.asked] == [None, "seen=1", None]


@pytest.mark.anyio
async def test_what_described_a_form_is_left_behind_with_it() -> None:
    given = (("Content-Type", "application/x-www-form-urlencoded"), ("x-other", "1"))
    for status, kept in ((303, given[1:]), (307, given)):
        web = Web(start=to("/end", status), end=page())
        await web.read(Request(url=START, method="POST", body=b"x=1", headers=given))
        assert web.asked[1].headers == kept


@pytest.mark.anyio
async def test_a_redirect_to_itself_without_a_new_cookie_is_a_loop() -> None:
    web = Web(start=to("/start", 302, ("set-cookie", "seen=1")))
    assert (await web.refusal()).kind == "network"
    assert len(web.asked) == 2


@pytest.mark.anyio
async def test_a_reload_of_an_empty_page_is_followed() -> None:
    reload = page('<meta http-equiv="Refresh" content="0; URL=\'/end\'">')
    assert (await Web(start=reload, end=page()).read()).body == b"fine"


@pytest.mark.anyio
@pytest.mark.parametrize(
    "body",
    [
        '<meta http-equiv="refresh" content="0;url=/end">' + "Real words. " * 100,
        '<meta http-equiv="refresh" content="600">short',
        '<noscript><meta http-equiv="refresh" content="0;url=/end"></noscript>short',
        '<!-- <meta http-equiv="refresh" content="0;url=/end"> -->short',
        "<p>content=refresh</p>",
    ],
)
async def test_a_reload_that_a_reader_would_not_be_sent_by_is_not_followed(body: str) -> None:
    assert (await Web(start=page(body), end=page()).read()).body == body.encode()


@pytest.mark.anyio
async def test_secrets_and_trust_stay_with_their_origin() -> None:
    request = Request(url=START, headers=(("Authorization", "s3"), ("X-Other", "1")), trusted=True)
    web = Web(start=to("https://other.org/end"))
    await web.read(request)
    assert (web.asked[0].trusted, web.asked[1].trusted) == (True, False)
    assert web.asked[1].headers == (("X-Other", "1"),)


@pytest.mark.anyio
@pytest.mark.parametrize(("status", "method"), [(302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")])
async def test_a_form_is_sent_on_only_where_the_status_says_so(status: int, method: str) -> None:
    web = Web(start=to("/end", status), end=page())
    await web.read(Request(url=START, method="POST", body=b"x=1"))
    assert (web.asked[1].method, web.asked[1].body) == (method, b"x=1" if method == "POST" else b"")


@pytest.mark.anyio
async def test_a_broken_connection_is_tried_once_more() -> None:
    broken = StageError("network", "reset")
    assert (await Web(start=[broken, page()]).read()).body == b"fine"
    web = Web(start=broken)
    assert (await web.refusal()).kind == "network"
    assert len(web.asked) == 2


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["timeout", "too_large", "refused", "deadline"])
async def test_nothing_else_is_tried_again(kind: str) -> None:
    web = Web(start=StageError(kind, "no"))
    await web.refusal()
    assert len(web.asked) == 1


@pytest.mark.anyio
async def test_a_server_that_will_be_ready_soon_is_asked_again() -> None:
    web = Web(start=[page("", ("retry-after", "2"), status=429), page()])
    assert (await web.read()).body == b"fine"
    assert [one.wait_secs for one in web.asked] == [0, 2]


@pytest.mark.anyio
async def test_a_server_that_is_never_ready_is_asked_twice() -> None:
    web = Web(start=page("", status=503))
    assert (await web.read()).status == 503
    assert len(web.asked) == 2


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "headers", "wait_secs"),
    [
        (503, {}, 0.5),
        (429, {}, None),
        (429, {"retry-after": "3"}, 3),
        (429, {"retry-after": "4"}, None),
        (503, {"retry-after": "0"}, 0.5),
        (503, {"retry-after": "Wed, 21 Oct 2026 07:28:02 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 2),
        (503, {"retry-after": "Wed, 21 Oct 2026 07:28:02 GMT"}, None),
        (429, {"retry-after": "Wed, 21 Oct 2026 07:28:04 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, 4),
        (429, {"retry-after": "Wed, 21 Oct 2026 07:28:05 GMT", "date": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        (503, {"retry-after": "soon"}, None),
        (200, {"retry-after": "1"}, None),
        (429, {"retry-after": "-5", "date": "x"}, None),
        (429, {"retry-after": "²", "date": "x"}, None),
    ],
)
async def test_how_long_to_wait_is_read_from_the_reply_alone(
    status: int, headers: dict[str, str], wait_secs: float | None
) -> None:
    assert retry_secs(Reply(url="", status=status, headers=tuple(headers.items()))) == wait_secs
