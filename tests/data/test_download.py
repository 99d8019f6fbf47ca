"""Downloads end with the right bytes or with one clear sentence, whatever the server does."""

import functools
import logging
import random

import pytest

from neuralese.data.download import CHUNK, download, partial_path
from neuralese.errors import NeuraleseError

BODY = random.Random(0).randbytes(4 * CHUNK + 123)

quick = functools.partial(download, pause=0.01, timeout=(1, 1))


def test_a_file_arrives_whole_and_is_asked_for_once(web, tmp_path):
    site = web.site(web.gives(BODY))
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges == [None]


def test_a_slow_server_is_waited_for_as_long_as_bytes_come(web, tmp_path):
    site = web.site(web.trickles(BODY, pieces=8, rest=0.2))  # takes longer in all than the timeout
    assert download(site.url, tmp_path, tries=1, timeout=(1, 1)).read_bytes() == BODY


@pytest.mark.parametrize("after", [0, CHUNK])
def test_a_stalled_server_is_given_up_in_one_sentence(web, tmp_path, after):
    site = web.site(web.stalls(BODY, after))
    with pytest.raises(NeuraleseError) as failure:
        download(site.url, tmp_path, tries=2, pause=0.01, timeout=(0.3, 0.3))
    assert len(site.ranges) == 2
    assert site.url in str(failure.value)
    assert "2 attempts" in str(failure.value)
    assert "timed out" in str(failure.value)
    assert "\n" not in str(failure.value)


def test_a_refused_connection_is_given_up_in_one_sentence(web, tmp_path):
    with pytest.raises(NeuraleseError) as failure:
        quick(web.nowhere, tmp_path)
    assert web.nowhere in str(failure.value)
    assert "\n" not in str(failure.value)


def test_a_broken_download_is_resumed_where_it_broke_off(web, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    site = web.site(web.gives(BODY, only=2 * CHUNK), web.resumes(BODY))
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges == [None, f"bytes={2 * CHUNK}-"]
    assert f"resumed at byte {2 * CHUNK}" in caplog.text


def test_a_download_that_breaks_anywhere_ends_with_the_right_bytes(web, tmp_path):
    site = web.site(web.gives(BODY, only=2 * CHUNK + 777), web.resumes(BODY))
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges[1] is not None


def test_a_server_that_ignores_ranges_makes_the_download_start_over(web, tmp_path):
    site = web.site(web.gives(BODY, only=2 * CHUNK), web.gives(BODY))
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges == [None, f"bytes={2 * CHUNK}-"]


@pytest.mark.parametrize("status", [404, 500, 503])
def test_a_server_that_recovers_is_forgiven(web, tmp_path, caplog, status):
    site = web.site(web.fails(status), web.gives(BODY))
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert f"attempt 1 of 3 failed with 0 bytes held: {status}" in caplog.text


def test_a_server_that_never_recovers_is_asked_as_often_as_told(web, tmp_path):
    site = web.site(web.fails(404))
    with pytest.raises(NeuraleseError, match="could not be downloaded in 3 attempts: 404"):
        quick(site.url, tmp_path)
    assert len(site.ranges) == 3
    assert list(tmp_path.iterdir()) == []


def test_an_error_page_is_not_added_to_the_bytes_held(web, tmp_path):
    site = web.site(web.gives(BODY, only=CHUNK), web.fails(500), web.resumes(BODY))
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges[2] == f"bytes={CHUNK}-"


def test_what_an_earlier_process_left_is_resumed(web, tmp_path):
    site = web.site(web.resumes(BODY))
    partial_path(site.url, tmp_path).write_bytes(BODY[:1000])
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges == ["bytes=1000-"]


def test_what_a_failed_download_got_is_kept_for_the_next(web, tmp_path):
    site = web.site(web.gives(BODY, only=CHUNK), web.resumes(BODY))
    with pytest.raises(NeuraleseError):
        quick(site.url, tmp_path, tries=1)
    assert quick(site.url, tmp_path, tries=1).read_bytes() == BODY
    assert site.ranges[1] == f"bytes={CHUNK}-"


def test_a_partial_file_that_is_already_whole_is_taken(web, tmp_path):
    site = web.site(web.resumes(BODY))
    partial_path(site.url, tmp_path).write_bytes(BODY)
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges == [f"bytes={len(BODY)}-"]


def test_a_partial_file_longer_than_the_servers_is_thrown_away(web, tmp_path):
    site = web.site(web.resumes(BODY))
    partial_path(site.url, tmp_path).write_bytes(BODY + b"more")
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges == [f"bytes={len(BODY) + 4}-", None]


def test_two_addresses_never_share_a_partial_file(tmp_path):
    assert partial_path("http://a/x.tar", tmp_path) != partial_path("http://b/x.tar", tmp_path)
