"""Downloads end with the right bytes or with one clear sentence, whatever the server does."""

import functools
import random

import pytest

from neuralese.data.download import CHUNK, download, partial_path
from neuralese.errors import NeuraleseError

BODY = random.Random(0).randbytes(4 * CHUNK + 123)

quick = functools.partial(download, pause=0.01, timeout=(1, 1))


PART = 2 * CHUNK
RESUMED = [f"bytes={PART}-"]


@pytest.mark.parametrize(
    ("held", "answers", "ranges"),
    [
        (b"", lambda web: [web.gives(BODY)], [None]),
        # a broken download is resumed where it broke off, unless the server ignores ranges
        (b"", lambda web: [web.gives(BODY, only=PART), web.resumes(BODY)], [None, f"bytes={PART}-"]),
        (b"", lambda web: [web.gives(BODY, only=PART), web.gives(BODY)], [None, f"bytes={PART}-"]),
        (b"", lambda web: [web.fails(404), web.gives(BODY)], [None, None]),
        # an error page is not added to the bytes held
        (b"", lambda web: [web.gives(BODY, only=PART), web.fails(500), web.resumes(BODY)], [None, *RESUMED, *RESUMED]),
        # what an earlier process left is resumed, taken if it is whole, and thrown away if it is too long
        (BODY[:1000], lambda web: [web.resumes(BODY)], ["bytes=1000-"]),
        (BODY, lambda web: [web.resumes(BODY)], [f"bytes={len(BODY)}-"]),
        (BODY + b"more", lambda web: [web.resumes(BODY)], [f"bytes={len(BODY) + 4}-", None]),
    ],
)
def test_a_file_arrives_whole_and_only_what_is_missing_is_asked_for(web, tmp_path, held, answers, ranges):
    site = web.site(*answers(web))
    if held:
        partial_path(site.url, tmp_path).write_bytes(held)
    assert quick(site.url, tmp_path).read_bytes() == BODY
    assert site.ranges == ranges


def test_a_slow_server_is_waited_for_as_long_as_bytes_come(web, tmp_path):
    site = web.site(web.trickles(BODY, pieces=8, rest=0.2))  # takes longer in all than the timeout
    assert download(site.url, tmp_path, tries=1, timeout=(1, 1)).read_bytes() == BODY


@pytest.mark.parametrize("after", [0, CHUNK])
def test_a_stalled_server_is_given_up_in_one_sentence(web, tmp_path, after):
    site = web.site(web.stalls(BODY, after))
    with pytest.raises(NeuraleseError, match=r"in 2 attempts: .*timed out") as failure:
        download(site.url, tmp_path, tries=2, pause=0.01, timeout=(0.3, 0.3))
    assert len(site.ranges) == 2
    assert str(failure.value).startswith(site.url)
    assert "\n" not in str(failure.value)


def test_a_server_that_never_recovers_or_that_nobody_reaches_is_given_up_in_one_sentence(web, tmp_path, caplog):
    site = web.site(web.fails(404))
    for url, says in ((site.url, "in 3 attempts: 404"), (web.nowhere, "Connection refused")):
        with pytest.raises(NeuraleseError, match=f"{url} could not be downloaded .*{says}") as failure:
            quick(url, tmp_path)
        assert "\n" not in str(failure.value)
    assert "attempt 1 of 3 failed with 0 bytes held: 404" in caplog.text
    assert len(site.ranges) == 3
    assert list(tmp_path.iterdir()) == []
