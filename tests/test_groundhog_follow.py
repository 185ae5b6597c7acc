"""Groundhog's `research`: what it offers to follow, and what becomes of a pick, in another process and offline too."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cribble_process import PATIENCE_SECS, ROOT, environment

from pipelines import cursor
from pipelines.commands import loaded
from pipelines.folds import groundhog_research as research
from pipelines.folds.groundhog_candidates import MAX_DEPTH, Candidate, Picked, found, offer, sealed
from pipelines.loader import job
from pipelines.story import Story
from stages.core.errors import FOUND
from stages.records import Document, Failure, Hit, Passage, Provenance, Record, Run, Threat
from stages.text.digests import text_sha256

if TYPE_CHECKING:
    from collections.abc import Iterator

RUN = Run(wire=1, cribble="0", id="00ff00ff00ff00ff", start="2026-01-02T03:04:05.678Z")
PAGE = "https://tides.example/start"
ANY: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
ONE = Candidate("https://a.example/one", 1, PAGE, "p:1", "one")


def page(*links: str, url: str = PAGE, words: str = "gauge") -> tuple[Document, Passage]:
    """A page that is one passage with these links in it, each a word of its text."""
    text, places = f"{words} ", []
    for number, link in enumerate(links):
        label = f"label{number}"
        places.append((link, label, len(text), len(text) + len(label)))
        text += f"{label} "
    where = Provenance(asked=url, document_sha256=text_sha256(text))
    document = Document(url=url, text=text, links=tuple(places), provenance=where)
    return document, Passage(id=url, url=url, text=text, start=0, end=len(text), score=1.0, provenance=where)


def offered(*links: str, query: str = "gauge", known: dict[str, int] | None = None, domains: Any = ANY) -> list[str]:
    document, passage = page(*links)
    return [one.url for one in offer([document], [passage], query, {PAGE: 0, **(known or {})}, domains).candidates]


def test_links_within_the_page_pages_asked_already_and_what_is_not_public_are_not_offered() -> None:
    links = (
        f"{PAGE}#below",
        "https://read.example/page?utm_source=x",
        "http://127.0.0.1/admin",
        "http://[::1]/",
        "http://10.0.0.8/",
        "http://router/",
        "http://nas.local/",
        "https://new.example/page",
    )
    assert offered(*links, known={"https://read.example/page": 0}) == ["https://new.example/page"]


def test_an_excluded_domain_is_never_offered_and_one_outside_of_those_included_neither() -> None:
    links = ("https://a.example/", "https://sub.b.example/", "https://c.example/")
    assert offered(*links, domains=((), ("b.example",))) == ["https://a.example/", "https://c.example/"]
    assert offered(*links, domains=(("b.example", "c.example"), ("c.example",))) == ["https://sub.b.example/"]


def test_what_shares_words_with_the_query_comes_first_and_what_is_done_on_a_page_last() -> None:
    links = (
        "https://a.example/edit/gauge",
        "https://b.example/other",
        "https://c.example/tide-gauge",
        "https://d.example/w/Talk:Gauge",
    )
    assert offered(*links) == [
        "https://c.example/tide-gauge",
        "https://b.example/other",
        "https://a.example/edit/gauge",
        "https://d.example/w/Talk:Gauge",
    ]


def test_no_page_no_domain_and_no_pattern_of_addresses_fills_the_list() -> None:
    document, passage = page(
        *(f"https://a.example/item/{number}" for number in range(30)), *(f"https://b{n}.example/" for n in range(9))
    )
    made = offer([document], [passage], "gauge", {PAGE: 0}, ANY)
    assert [one.url for one in made.candidates] == [f"https://a.example/item/{n}" for n in range(3)] + ["https://b0.example/"]
    assert made.counts == {
        "links_examined": 39,
        "links_straddled": 0,
        "links_over_limit": 0,
        "link_variants_dropped": 20,
        "candidates_omitted": 15,
    }


def test_a_link_that_a_passage_cuts_is_counted_and_not_offered() -> None:
    document, passage = page("https://a.example/", "https://b.example/")
    (_, _, _, end), (_, _, start, _) = document.links
    short = Passage(id="x", url=PAGE, text=document.text[: start + 2], start=0, end=start + 2, provenance=passage.provenance)
    assert short.end > end
    made = offer([document], [short], "gauge", {PAGE: 0}, ANY)
    assert [one.url for one in made.candidates] == ["https://a.example/"]
    assert (made.counts["links_straddled"], made.counts["links_examined"]) == (1, 1)


def test_a_page_at_the_greatest_depth_offers_nothing() -> None:
    document, passage = page("https://a.example/")
    assert offer([document], [passage], "gauge", {PAGE: MAX_DEPTH}, ANY).candidates == ()
    (deep,) = offer([document], [passage], "gauge", {PAGE: MAX_DEPTH - 1}, ANY).candidates
    assert deep.depth == MAX_DEPTH


def story(*records: Record) -> Story:
    return Story(run=RUN, fed=(), records=records, code=FOUND)


def test_a_card_says_what_is_known_of_its_parent_and_its_token_leads_back() -> None:
    document, passage = page("https://tides.example/table.xlsx", "https://b.example/")
    threats = (Threat(kind="strip_incomplete", reason="r"), Threat(kind="detection_degraded", reason="r"))
    document = Document(
        url=document.url,
        text=document.text,
        links=document.links,
        provenance=document.provenance,
        threats=threats,
        threats_total=2,
    )
    told, options = story(document, passage), research.Options(query="gauge")
    reply = research.fold(told, options)
    assert [one.url for one in reply.candidates] == ["https://tides.example/table.xlsx", "https://b.example/"]
    of_parent = ("parent_strip_incomplete", "parent_detection_degraded", "parent_threats=2")
    assert reply.candidates[0].flags == (*of_parent, "likely_unsupported_format", "same_domain_pages=1")
    assert reply.candidates[1].flags == of_parent
    assert all(one.parent_passage_id == reply.passages[0].id for one in reply.candidates)
    assert any(note.startswith("candidates: ") for note in reply.notes)
    (kept,) = research.kept(told, options, reply)
    for card in reply.candidates:
        candidate = found(card.token, {card.token: kept})
        assert isinstance(candidate, Candidate)
        assert (candidate.url, candidate.label, candidate.depth) == (card.url, card.label, 1)


def test_a_token_that_was_not_given_out_is_invalid_and_one_whose_result_is_gone_has_expired() -> None:
    kept = sealed(story(), (ONE,))
    token = kept.cursor(0)
    assert found(token, {token: kept}) == ONE
    assert found(token, {}) == "expired"
    assert found("guess", {}) == "invalid_token"
    for wrong in (kept.cursor(0)[:-1] + "x", kept.cursor(1)[:-16] + kept.cursor(0)[-16:]):
        assert found(wrong, {wrong: kept}) == "invalid_token"
    other = cursor.sealed(RUN, "read_url", b"held")
    assert found(other.cursor(0), {other.cursor(0): other}) == "invalid_token"


def picked(*urls: str, **arguments: Any) -> tuple[tuple[Picked, ...], list[str]]:
    """What becomes of picks of these addresses before anything is read, and the addresses that are."""
    kept = sealed(story(), tuple(Candidate(url, 1, PAGE, "p:1", f"l{at}") for at, url in enumerate(urls)))
    tokens = [kept.cursor(at) for at in range(len(urls))]
    asked = {"query": "x", "follow": [{"token": one, "why": " to know "} for one in tokens], **arguments}
    made = job(loaded("groundhog/research"), asked, dict.fromkeys(tokens, kept))
    return made.reply_options.follow, [one.url for one in made.records if isinstance(one, Hit)]


def test_picks_are_refused_before_they_are_read_where_that_is_known() -> None:
    site = [f"https://{name}.site.example/" for name in "abcde"]
    picks, read = picked(*site, "https://out.example/", "https://a.site.example/?utm_source=x", exclude_domains=["OUT.example."])
    assert [one.refused for one in picks] == [None] * 4 + ["same_domain_limit", "filtered", "duplicate"]
    assert read == site[:4]
    assert {one.why for one in picks} == {"to know"}


def test_every_pick_has_an_outcome_and_those_that_were_read_a_source_that_says_how_it_was_come_by() -> None:
    urls = [f"https://{name}.example/" for name in ("read", "late", "gone", "wall", "copy")]
    picks = tuple(Picked(why="w", candidate=Candidate(url, 2, PAGE, "p:1", "label")) for url in urls)
    refused = (Picked(why="w", refused="expired"), Picked(why="w", candidate=ONE, refused="filtered"))
    (read, passage), (late, _), (copy, _) = page(url=urls[0]), page(url=urls[1]), page(url=urls[4])
    late = Document(url=late.url, text=late.text, published="2020-01-01", provenance=late.provenance)
    lost = [
        Failure(stage="fetch", subject=urls[2], kind="network", message="no address"),
        Failure(stage="fetch", subject=urls[3], kind="challenge", message="a wall"),
    ]
    options = research.Options(query="gauge", published_after="2026-01-01", follow=(*picks, *refused))
    reply = research.fold(story(read, passage, late, copy, *lost), options)
    outcomes = ["read", "filtered", "failed", "not_content", "duplicate", "expired", "filtered"]
    assert [one.outcome for one in reply.followed] == outcomes
    assert [one.url for one in reply.followed] == [*urls, None, ONE.url]
    assert {one.discovered_via.candidate for one in reply.sources if one.discovered_via} == set(urls)
    assert {one.depth for one in reply.sources} == {2}
    receipt = reply.receipt
    assert (reply.backend, receipt.executed_query, receipt.hits, receipt.hits_unread) == ("follow", None, 0, 0)
    assert len(reply.sources) == receipt.failed + receipt.not_content + receipt.filtered + receipt.usable
    assert {one.source_url for one in reply.passages} == {urls[0]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of a run that reaches the demo's web, with state folders of its own."""
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        from record_demo import environment as reaching
    finally:
        sys.path.pop(0)
    with subprocess.Popen([sys.executable, str(ROOT / "bench/demo_web.py")], stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            yield reaching(json.loads(server.stdout.readline()), str(tmp_path_factory.mktemp("home")))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=10)


CALL = """
import json, sys, anyio
from pipelines.commands import loaded
from pipelines.config import configured
from pipelines.tool import tool_of
asked, flags = json.loads(sys.argv[1])
async def run():
    return await tool_of(loaded("groundhog/research")).call(asked, config=configured(flags))
print(json.dumps(anyio.run(run).structured))
"""


def called(settings: dict[str, str], asked: dict[str, Any], **flags: str) -> Any:
    """A reply of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CALL, json.dumps([asked, flags])],
        env={**settings, "PYTHONPATH": str(ROOT)},
        cwd="/",
        capture_output=True,
        timeout=PATIENCE_SECS,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def test_another_process_follows_a_candidate_and_both_calls_replay_offline(served: dict[str, str], tmp_path: Path) -> None:
    first, second = str(tmp_path / "first.warc.gz"), str(tmp_path / "second.warc.gz")
    question = {"query": "Which harbours are a known limit of surge mode, and what corrected it?", "max_sources": 1}
    reply = called(served, question, record=first)
    (log,) = (one for one in reply["candidates"] if one["url"] == "https://files.tidewren.example/CHANGELOG.txt")
    assert (log["label"], log["depth"]) == ("changelog", 1)
    asked = question | {"follow": [{"token": log["token"], "why": "to see what corrected it"}, {"token": "guess", "why": "w"}]}
    followed = called(served, asked, record=second)
    assert followed["followed"] == [
        {"url": log["url"], "why": "to see what corrected it", "outcome": "read"},
        {"url": None, "why": "w", "outcome": "invalid_token"},
    ]
    (source,) = followed["sources"]
    assert source["discovered_via"]["parent_passage_id"] == log["parent_passage_id"]
    assert {one["source_url"] for one in followed["passages"]} == {log["url"]}
    elsewhere = environment(XDG_CACHE_HOME=str(tmp_path / "empty"))
    assert called(elsewhere, question, replay=first) == reply
    assert called(environment(XDG_CACHE_HOME=str(tmp_path / "other")), asked, replay=second) == followed


def test_a_token_works_no_longer_once_what_it_leads_into_is_gone(served: dict[str, str], tmp_path: Path) -> None:
    kept = sealed(story(), (ONE,))
    asked = {"query": "x", "follow": [{"token": kept.cursor(0), "why": "w"}]}
    reply = called({**served, "XDG_CACHE_HOME": str(tmp_path)}, asked)
    assert reply["followed"] == [{"url": None, "why": "w", "outcome": "expired"}]
    assert (reply["sources"], reply["backend"]) == ([], "follow")
