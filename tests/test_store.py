"""The store: its file, its schema, what happens when the file cannot be used, quotas and times."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from cribble_process import PATIENCE_SECS, cribble, environment
from hypothesis import given
from hypothesis import strategies as st

from stages.store import answers, budgets, pacing, schema, upkeep
from stages.store.database import Store
from stages.store.folder import NAME, cache_folder
from stages.store.schema import STEPS, VERSION

NOW = 1_800_000_000.0


def answer(url: str = "https://example.com/", **given) -> answers.Kept:
    whole = {
        "url": url, "client": "browser", "vary": (), "status": 200, "headers": (("content-type", "text/plain"),), "body": b"body",
        "got": NOW, "fresh_until": NOW + 60, "keep_until": NOW + 120,
    }  # fmt: skip
    return answers.Kept(**whole | given)


def put(store: Store, kept: answers.Kept, now: float = NOW, quota: int = answers.MAX_BYTES) -> None:
    store.transact(partial(answers.put, kept=kept, packed=answers.pack(kept.body), now=now, quota=quota))


def find(store: Store, url: str = "https://example.com/", now: float = NOW, **headers: str) -> answers.Kept | None:
    return store.transact(partial(answers.find, url=url, client="browser", headers=headers, now=now))


def urls(store: Store) -> list[str]:
    return store.transact(lambda connection: [url for (url,) in connection.execute("SELECT url FROM answer ORDER BY url")])


@pytest.fixture
def store(tmp_path: Path):
    opened = Store(tmp_path / "cribble")
    yield opened
    opened.close()


def test_the_platforms_cache_folder_is_where_it_lives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "cribble"
    monkeypatch.setenv("HOME", str(tmp_path))
    for ignored in ("", "relative/folder"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        monkeypatch.setattr("sys.platform", "linux")
        assert cache_folder() == tmp_path / ".cache/cribble"
        monkeypatch.setattr("sys.platform", "darwin")
        assert cache_folder() == tmp_path / "Library/Caches/cribble"


def test_only_its_owner_may_read_it(store: Store, tmp_path: Path) -> None:
    put(store, answer())
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "cribble").iterdir()}
    assert set(modes.values()) == {0o600}
    assert stat.S_IMODE((tmp_path / "cribble").stat().st_mode) == 0o700
    (tmp_path / "cribble").chmod(0o755)
    store.close()
    put(store, answer())
    assert stat.S_IMODE((tmp_path / "cribble").stat().st_mode) == 0o700


def test_what_was_put_in_comes_out_in_another_process(store: Store, tmp_path: Path) -> None:
    put(store, answer(body=b"\x00\xff" * 1000, headers=(("a", "1"), ("a", "2"))))
    other = Store(tmp_path / "cribble")
    found = find(other)
    other.close()
    assert found == answer(body=b"\x00\xff" * 1000, headers=(("a", "1"), ("a", "2")))


def test_a_file_of_an_older_schema_is_migrated_and_keeps_its_contents(tmp_path: Path) -> None:
    assert VERSION > 1
    folder = tmp_path / "cribble"
    folder.mkdir()
    old = sqlite3.connect(folder / NAME)
    for statement in STEPS[0]:
        old.execute(statement)
    old.execute("INSERT INTO pace (host, started) VALUES ('example.com', ?)", (NOW,))
    old.execute("PRAGMA user_version = 1")
    old.commit()
    old.close()
    store = Store(folder)
    assert store.transact(schema.version) == VERSION
    assert store.transact(lambda connection: connection.execute("SELECT host FROM pace").fetchall()) == [("example.com",)]
    assert store.transact(lambda connection: connection.execute("SELECT count(*) FROM engine").fetchone()) == (0,)
    assert store.troubles == ()
    store.close()


def test_a_migration_that_fails_halfway_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    schema.migrate(connection)
    monkeypatch.setattr(schema, "STEPS", (*STEPS, ("CREATE TABLE more (x)", "CREATE TABLE more (x)")))
    monkeypatch.setattr(schema, "VERSION", VERSION + 1)
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(connection)
    assert schema.version(connection) == VERSION
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'more'").fetchone() == (0,)
    connection.close()


def test_a_file_from_before_rests_were_dated_keeps_its_buckets(tmp_path: Path) -> None:
    folder = tmp_path / "cribble"
    folder.mkdir()
    old = sqlite3.connect(folder / NAME)
    for statement in (*STEPS[0], *STEPS[1]):
        old.execute(statement)
    old.execute("INSERT INTO engine VALUES ('ask', 0.5, ?, ?, 'blocked')", (NOW, NOW + 60))
    old.execute("PRAGMA user_version = 2")
    old.commit()
    old.close()
    store = Store(folder)
    assert spend(store) == budgets.Skip(secs=60.0, why="blocked")
    assert spend(store, now=NOW + 61) is None
    store.close()


def test_a_file_of_a_newer_cribble_is_left_alone(store: Store, tmp_path: Path) -> None:
    store.transact(lambda connection: connection.execute("SELECT 1").fetchone())
    store.close()
    with sqlite3.connect(tmp_path / "cribble" / NAME) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
    other.close()
    put(store, answer())
    assert find(store) is not None
    assert not store.shared
    assert [("newer cribble" in trouble) for trouble in store.troubles] == [True]
    with sqlite3.connect(tmp_path / "cribble" / NAME) as other:
        assert other.execute("SELECT count(*) FROM answer").fetchone() == (0,)
    other.close()


def damage(path: Path, how: str) -> None:
    """Spoil a database in one of the ways that happen."""
    if how == "no database":
        path.write_bytes(b"this is not a database, whatever its name says\n" * 100)
    elif how == "zeros":
        path.write_bytes(path.read_bytes()[:100] + bytes(path.stat().st_size - 100))
    elif how == "somebody else's":
        path.unlink()
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE theirs (x)")
        other.execute(f"PRAGMA user_version = {VERSION}")
        other.close()
    elif how == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("how", ["no database", "zeros", "somebody else's", "half"])
def test_a_damaged_file_is_put_aside_and_begun_anew(store: Store, tmp_path: Path, how: str) -> None:
    for number in range(50):
        put(store, answer(f"https://example.com/{number}", body=os.urandom(2000)))
    store.close()
    path = tmp_path / "cribble" / NAME
    damage(path, how)
    for number in range(50):
        find(store, f"https://example.com/{number}")
    put(store, answer())
    assert find(store) is not None
    assert store.shared
    assert [trouble.startswith("the store was damaged") for trouble in store.troubles] == [True]
    assert path.with_name(f"{NAME}.damaged").exists()
    other = Store(tmp_path / "cribble")
    assert find(other) is not None
    assert other.troubles == ()
    other.close()


def test_a_file_that_another_process_put_aside_is_not_put_aside_again(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "cribble"
    put(store, answer())
    store.close()
    damage(folder / NAME, "no database")
    second = Store(folder)
    opened = second._opened = (folder / NAME).stat().st_ino
    put(store, answer("https://first.example/"))
    assert (folder / NAME).stat().st_ino != opened
    second._recover(sqlite3.DatabaseError("file is not a database"))  # no error code: some other trouble
    assert not second.shared
    third = Store(folder)
    third._opened = opened
    error = sqlite3.DatabaseError("file is not a database")
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    third._recover(error)
    assert find(third, "https://first.example/") is not None
    for each in (second, third):
        each.close()


def test_a_row_that_is_damaged_is_no_answer(store: Store) -> None:
    for column, value in (("body", b"junk"), ("headers", b"[1"), ("vary", b"\xff")):
        put(store, answer())
        store.transact(lambda connection, c=column, v=value: connection.execute(f"UPDATE answer SET {c} = ?", (v,)))  # noqa: S608
        assert find(store) is None
        assert urls(store) == []


def test_a_locked_file_is_not_waited_for_for_long(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stages.store.database._BUSY_SECS", 0.05)
    put(store, answer())
    store.close()
    other = sqlite3.connect(tmp_path / "cribble" / NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    put(store, answer("https://later.example/"))
    assert urls(store) == ["https://later.example/"]
    assert not store.shared
    assert "locked" in store.troubles[0]
    other.execute("ROLLBACK")
    assert other.execute("SELECT count(*) FROM answer").fetchone() == (1,)
    other.close()


def test_a_full_disk_means_memory(store: Store) -> None:
    put(store, answer())
    store._connection.execute(f"PRAGMA max_page_count = {store._connection.execute('PRAGMA page_count').fetchone()[0]}")
    put(store, answer("https://big.example/", body=os.urandom(200_000)))
    assert urls(store) == ["https://big.example/"]
    assert not store.shared
    assert "full" in store.troubles[0]


def test_a_lock_that_a_stopped_process_keeps_means_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stages.store.database._BUSY_SECS", 0.05)
    folder = tmp_path / "cribble"
    folder.mkdir()
    with (folder / "lock").open("w") as kept:
        fcntl.flock(kept, fcntl.LOCK_EX)
        store = Store(folder)
        put(store, answer())
        assert not store.shared
        store.close()


def test_a_folder_that_cannot_be_made_means_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "cribble")
    put(store, answer())
    assert find(store) is not None
    assert not store.shared
    assert len(store.troubles) == 1
    assert "cannot be used" in store.troubles[0]


READ_ONLY = """
import os, sqlite3, sys
from pathlib import Path
from stages.store import pacing
from stages.store.database import Store
if os.getuid() == 0:
    os.setuid(65534)
store = Store(Path(sys.argv[1]))
print(store.transact(lambda connection: connection.execute("SELECT count(*) FROM answer").fetchone()[0]), store.shared)
print(*store.troubles, sep="\\n")
"""


@pytest.mark.parametrize("what", ["folder", "parent", "file"])
def test_a_place_that_is_read_only_or_another_users_means_memory(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "in" / "cribble"
    (tmp_path / "in").mkdir()
    if what != "parent":
        store = Store(folder)
        put(store, answer())
        store.close()
        (folder / NAME).chmod(0o400 if what == "file" else 0o600)
    (folder if what == "folder" else tmp_path / "in").chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(folder)],
            capture_output=True, text=True, timeout=PATIENCE_SECS, check=True, env=environment(),
        )  # fmt: skip
    finally:
        for path in (tmp_path / "in", folder):
            if path.exists():
                path.chmod(0o755)
    said = done.stdout.splitlines()
    assert said[0] == "0 False"
    assert len(said) == 2
    assert "cannot be used" in said[1]


def test_no_file_is_wanted_and_nobody_is_told() -> None:
    store = Store(None)
    put(store, answer())
    assert find(store) is not None
    assert store.troubles == ()
    store.close()
    assert find(store) is None


def test_what_raises_leaves_nothing_behind(store: Store) -> None:
    def half(connection: sqlite3.Connection) -> None:
        answers.put(connection, answer(), b"x", NOW)
        raise KeyError

    with pytest.raises(KeyError):
        store.transact(half)
    assert urls(store) == []


def test_an_answer_past_its_time_is_not_found_and_goes(store: Store) -> None:
    put(store, answer())
    assert find(store, now=NOW + 119) is not None
    assert find(store, now=NOW + 120) is None
    put(store, answer("https://other.example/", keep_until=NOW + 999), now=NOW + 121)
    assert urls(store) == ["https://other.example/"]


def test_an_answer_from_the_future_is_not_believed(store: Store) -> None:
    put(store, answer(got=NOW + 1000, keep_until=NOW + 5000))
    assert find(store) is None


def test_what_was_not_used_for_longest_makes_room(store: Store) -> None:
    for number in range(10):
        put(store, answer(f"https://example.com/{number}", body=os.urandom(1000), keep_until=NOW + 1e6), now=NOW + number)
    assert find(store, "https://example.com/0", now=NOW + 1000) is not None
    put(store, answer("https://example.com/new", body=os.urandom(1000), keep_until=NOW + 1e6), now=NOW + 1001, quota=8 * 1100)
    kept = [url.rpartition("/")[2] for url in urls(store)]
    assert kept == ["0", "5", "6", "7", "8", "9", "new"]


def test_a_variant_is_chosen_by_its_request_headers(store: Store) -> None:
    for language in ("de", "en"):
        put(store, answer(body=language.encode(), vary=(("accept-language", language),)))
    put(store, answer(body=b"none", vary=(("accept-language", ""),)))
    assert [find(store, **{"accept-language": one}).body for one in ("de", "en")] == [b"de", b"en"]
    assert find(store).body == b"none"
    assert find(store, **{"accept-language": "fr"}) is None


def wanted(host: str = "example.com", **given) -> pacing.Wanted:
    whole = {
        "host": host,
        "turn": "t",
        "spacing_secs": 1.0,
        "at_once": 2,
        "lasts_secs": 10.0,
        "until": NOW + 100,
        "bears_secs": 5.0,
    }
    return pacing.Wanted(**whole | given)


def take(store: Store, now: float = NOW, **given) -> pacing.Answer:
    return store.transact(partial(pacing.take, wanted=wanted(**given), now=now))


def test_turns_at_a_host_lie_apart_and_hosts_do_not_wait_for_each_other(store: Store) -> None:
    assert [take(store, turn=f"{n}", at_once=9).start - NOW for n in range(4)] == [0, 1, 2, 3]
    assert take(store, host="other.example", turn="o").start == NOW
    assert take(store, now=NOW + 60, turn="late", at_once=9).start == NOW + 60


def test_a_longer_spacing_counts_from_the_last_start(store: Store) -> None:
    take(store)
    assert take(store, turn="2", spacing_secs=7.0).start == NOW + 7


def test_so_many_at_once_and_no_more(store: Store) -> None:
    assert [take(store, turn=f"{n}").granted for n in range(3)] == [True, True, False]
    store.transact(partial(pacing.give_back, turn="0"))
    assert take(store, turn="3").granted


def test_the_turn_of_a_process_that_died_ends_by_itself(store: Store) -> None:
    take(store, at_once=1)
    assert not take(store, turn="2", at_once=1, now=NOW + 9.9).granted
    assert take(store, turn="2", at_once=1, now=NOW + 10.1).granted


def test_a_turn_that_comes_too_late_is_not_taken(store: Store) -> None:
    take(store)
    assert take(store, turn="2", until=NOW + 0.5) == pacing.Answer(start=NOW + 1, granted=False)
    assert take(store, turn="3").start == NOW + 1


def test_a_host_that_wants_to_be_left_alone_is(store: Store) -> None:
    store.transact(partial(pacing.hold, host="example.com", secs=30, now=NOW))
    assert take(store) == pacing.Answer(start=NOW + 30, granted=False, held=True)
    store.transact(partial(pacing.hold, host="example.com", secs=3, now=NOW))
    assert take(store).held
    assert take(store, now=NOW + 26) == pacing.Answer(start=NOW + 30, granted=True)


def test_nobody_may_close_a_host_for_longer_than_an_hour(store: Store) -> None:
    store.transact(partial(pacing.hold, host="example.com", secs=1e12, now=NOW))
    assert take(store).start == NOW + pacing.MAX_HOLD_SECS


def test_a_clock_that_was_put_back_closes_no_host(store: Store) -> None:
    take(store, now=NOW + 1e6, until=NOW + 2e6)
    store.transact(partial(pacing.hold, host="example.com", secs=3000, now=NOW + 1e6))
    store.transact(partial(pacing.give_back, turn="t"))
    assert take(store, turn="2") == pacing.Answer(start=NOW, granted=True)


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.floats(0, 3), st.floats(0, 5)), max_size=30))
def test_starts_of_one_host_are_never_closer_than_its_spacing(steps: list[tuple[str, float, float]]) -> None:
    store, now, starts = Store(None), NOW, {"a": [], "b": []}
    for number, (host, passed, spacing) in enumerate(steps):
        now += passed
        given = take(store, now=now, host=host, turn=f"{number}", spacing_secs=spacing, at_once=99, until=NOW + 1e4)
        assert given.granted
        assert all(given.start >= earlier + spacing - 1e-6 for earlier in starts[host])
        starts[host].append(given.start)
    store.close()


def spend(store: Store, now: float = NOW, name: str = "ask", per_minute: float = 6.0, burst: int = 3) -> budgets.Skip | None:
    return store.transact(partial(budgets.take, name=name, per_minute=per_minute, burst=burst, now=now))


def rest(store: Store, secs: float, now: float = NOW, why: str = "challenge") -> None:
    store.transact(partial(budgets.rest, name="ask", burst=3, secs=secs, why=why, now=now))


def test_a_bucket_bears_a_burst_and_fills_again_as_time_goes_by(store: Store) -> None:
    assert [spend(store) for _ in range(3)] == [None, None, None]
    assert spend(store) == budgets.Skip(secs=10.0)
    assert spend(store, now=NOW + 4) == budgets.Skip(secs=6.0)
    assert spend(store, now=NOW + 10) is None
    assert spend(store, now=NOW + 10) == budgets.Skip(secs=10.0)
    assert [spend(store, now=NOW + 1e6) for _ in range(4)] == [None, None, None, budgets.Skip(secs=10.0)]


def test_engines_have_buckets_of_their_own(store: Store) -> None:
    assert [spend(store, burst=1, name=name) is None for name in ("a", "b", "a")] == [True, True, False]


def test_an_engine_that_refused_is_left_alone_and_keeps_its_tokens(store: Store) -> None:
    spend(store)
    rest(store, 300)
    assert spend(store, now=NOW + 100) == budgets.Skip(secs=200.0, why="challenge", since=NOW)
    assert [spend(store, now=NOW + 300) for _ in range(4)] == [None, None, None, budgets.Skip(secs=10.0)]


def test_a_shorter_rest_does_not_undo_a_longer_one(store: Store) -> None:
    rest(store, 300)
    rest(store, 30, now=NOW + 1, why="blocked")
    assert spend(store, now=NOW + 2) == budgets.Skip(secs=298.0, why="challenge", since=NOW)
    rest(store, 600, now=NOW + 2, why="blocked")
    assert spend(store, now=NOW + 2) == budgets.Skip(secs=600.0, why="blocked", since=NOW + 2)


def test_nobody_may_close_an_engine_for_longer_than_a_day(store: Store) -> None:
    rest(store, 1e12)
    assert spend(store) == budgets.Skip(secs=budgets.MAX_REST_SECS, why="challenge", since=NOW)


def test_a_clock_that_was_put_back_locks_no_engine_out(store: Store) -> None:
    assert [spend(store, now=NOW + 1e6) is None for _ in range(4)] == [True, True, True, False]
    rest(store, 3000, now=NOW + 1e6)
    assert spend(store) == budgets.Skip(secs=10.0)  # what was spent stays spent, and is counted from now on
    assert spend(store, now=NOW + 10) is None
    rest(store, 60, now=NOW + 10, why="blocked")
    assert spend(store, now=NOW + 20) == budgets.Skip(secs=50.0, why="blocked", since=NOW + 10)


@given(st.lists(st.floats(0, 40), max_size=60), st.floats(0.5, 60), st.integers(1, 8))
def test_no_row_of_requests_gets_more_than_its_budget(waits: list[float], per_minute: float, burst: int) -> None:
    store, now, granted = Store(None), NOW, []
    for secs in waits:
        now += secs
        skip = spend(store, now=now, per_minute=per_minute, burst=burst)
        if skip is None:
            granted.append(now)
        else:
            assert 0 < skip.secs <= 60 / per_minute + 1e-6
    for first, start in enumerate(granted):
        for last, end in enumerate(granted[first:], first):
            assert last - first + 1 <= burst + (end - start) * per_minute / 60 + 1e-3
    store.close()


def test_what_cannot_matter_any_more_is_forgotten(store: Store) -> None:
    take(store)
    store.transact(partial(pacing.hold, host="held.example", secs=3600, now=NOW + 86000))
    store.transact(partial(pacing.forget, now=NOW + 86401))
    assert store.transact(lambda connection: connection.execute("SELECT host FROM pace").fetchall()) == [("held.example",)]
    assert store.transact(lambda connection: connection.execute("SELECT count(*) FROM turn").fetchone()) == (0,)


def test_usage_counts_and_clearing_forgets_answers_and_budgets_but_no_promise(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "cribble"
    put(store, answer(body=os.urandom(100_000)))
    put(store, answer("https://stale.example/", fresh_until=NOW - 1))
    store.transact(partial(pacing.hold, host="held.example", secs=60, now=NOW))
    take(store)
    assert spend(store, burst=1) is None
    (folder / f"{NAME}.damaged").write_bytes(b"x")
    usage = upkeep.usage(store, folder, NOW)
    assert (usage.answers, usage.fresh, usage.oldest, usage.schema) == (2, 1, NOW, VERSION)
    assert (usage.hosts_paced, usage.hosts_held) == (2, 1)
    assert 100_000 < usage.bytes < usage.disk_bytes
    assert upkeep.clear(store, folder) == 2
    usage = upkeep.usage(store, folder, NOW)
    assert (usage.answers, usage.bytes, usage.hosts_held) == (0, 0, 1)
    assert spend(store, burst=1) is None
    assert usage.disk_bytes < 100_000
    assert not (folder / f"{NAME}.damaged").exists()


def test_the_command_shows_and_clears(tmp_path: Path) -> None:
    store = Store(tmp_path / "cribble")
    put(store, answer(keep_until=NOW + 1e9))
    store.close()
    shown = cribble("cache", "stats", XDG_CACHE_HOME=str(tmp_path))
    assert shown.returncode == 0
    lines = dict(line.split(None, 1) for line in shown.stdout.decode().splitlines())
    assert lines["folder"] == str(tmp_path / "cribble")
    assert lines["answers"].startswith("1 (")
    cleared = cribble("cache", "clear", XDG_CACHE_HOME=str(tmp_path))
    assert cleared.stdout.decode().startswith("deleted 1 stored answers in ")
    assert find(store) is None


@pytest.mark.parametrize("arguments", [[], ["wipe"], ["stats", "clear"], ["--all"]])
def test_the_command_takes_two_words_and_no_others(arguments: list[str]) -> None:
    done = cribble("cache", *arguments)
    assert done.returncode == 2
    assert b"cribble cache stats|clear" in done.stderr


def test_the_command_says_when_there_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = cribble("cache", "stats", XDG_CACHE_HOME=str(tmp_path / "file"))
    assert done.returncode == 2
    assert b"cannot be used" in done.stderr


EIGHT = """
import sys
from functools import partial
from pathlib import Path
from stages.store import pacing
from stages.store.database import Store
store = Store(Path(sys.argv[1]))
for number in range(25):
    times = {"spacing_secs": 1.0, "lasts_secs": 10, "until": 1e12, "bears_secs": 1}
    wanted = pacing.Wanted(host="h", turn=f"{sys.argv[2]}-{number}", at_once=999, **times)
    print(store.transact(partial(pacing.take, wanted=wanted, now=1.0)).start)
assert store.shared, store.troubles
store.close()
"""


def test_eight_processes_share_one_row_of_turns(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", EIGHT, str(tmp_path / "cribble"), f"{number}"], stdout=subprocess.PIPE, env=environment()
        )
        for number in range(8)
    ]
    starts = sorted(float(line) for process in processes for line in process.communicate(timeout=PATIENCE_SECS)[0].split())
    assert [process.returncode for process in processes] == [0] * 8
    assert starts == [1.0 + number for number in range(200)]
