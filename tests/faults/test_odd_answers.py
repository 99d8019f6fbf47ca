"""Whatever a server answers, a download ends with the right bytes or in one sentence, and soon."""

import socket
import threading
import time

import pytest

from neuralese.data import download as downloading
from neuralese.data.download import download, partial_path
from neuralese.errors import NeuraleseError

BODY = b"archive" * 100
OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
PARTIAL = b"HTTP/1.1 206 Partial Content\r\n" + LENGTH


def moved(to: bytes) -> bytes:
    return b"HTTP/1.1 302 Found\r\nLocation: " + to + b"\r\nContent-Length: 0\r\n\r\n"


# answers to a first request that cannot be taken for the file
ODD = {
    "nothing": b"",
    "no status": b"HTTP/1.1\r\n\r\n",
    "another protocol": b"SSH-2.0-OpenSSH_9.0\r\n",
    "a status line without end": b"HTTP/1.1 200 " + b"x" * 100_000,
    "a header without end": OK + b"X: " + b"x" * 100_000,
    "too short a body": OK + LENGTH + b"\r\n" + BODY[:50],
    "chunks that are none": OK + b"Transfer-Encoding: chunked\r\n\r\nxyz\r\n" + BODY,
    "a chunk of 2 to the 80": OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 20 + b"\r\n" + BODY,
    "gzip that is none": OK + LENGTH + b"Content-Encoding: gzip\r\n\r\n" + BODY,
    "too large": OK + b"Content-Length: 999999999999\r\n\r\n" + BODY,
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "a part that was not asked for": PARTIAL + b"Content-Range: bytes 5-704/705\r\n\r\n" + BODY,
    "a part without a range": PARTIAL + b"\r\n" + BODY,
    "a range that cannot be": b"HTTP/1.1 416 Nope\r\nContent-Range: bytes */0\r\nContent-Length: 0\r\n\r\n",
    "a reason with escapes": b"HTTP/1.1 404 \x1b[31mred\x1b]0;title\x07\r\nContent-Length: 0\r\n\r\n",
    "a redirect to nowhere": b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
    "a redirect to itself": moved(b"/archive"),
    "a redirect to a file": moved(b"file:///etc/hostname"),
    "a redirect to a port of letters": moved(b"http://127.0.0.1:abc/"),
    "a redirect to an odd name": moved("http://☃\u2100.invalid/".encode()),
    "a redirect to a closed port": moved(b"http://127.0.0.1:1/"),
}
# answers that are the file, however oddly they are given
RIGHT = {
    "a length": OK + LENGTH + b"\r\n" + BODY,
    "a length of 5,000 digits": OK + b"Content-Length: " + b"x" + b"9" * 5000 + b"\r\n\r\n" + BODY,
    "chunks": OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(BODY) + BODY + b"\r\n0\r\n\r\n",
    "an old protocol": b"HTTP/1.0 200 OK\r\n\r\n" + BODY,
    "an encoding that nobody knows": OK + LENGTH + b"Content-Encoding: rot13\r\n\r\n" + BODY,
    "a first answer to be ignored": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + LENGTH + b"\r\n" + BODY,
}


@pytest.fixture
def server(monkeypatch):
    """Answers every request with the same bytes, and hangs up."""
    monkeypatch.setenv("NO_PROXY", "*")
    listening = socket.create_server(("127.0.0.1", 0))

    def serve(answer: bytes) -> str:
        def loop() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    client.settimeout(5)
                    try:
                        client.recv(1 << 16)
                        client.sendall(answer)
                        client.shutdown(socket.SHUT_WR)
                        client.recv(1 << 16)
                    except OSError:
                        pass

        threading.Thread(target=loop, daemon=True).start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}/archive"

    yield serve
    listening.close()


def get(url: str, folder) -> bytes:
    return download(url, folder, largest=10_000, tries=1, pause=0.01, timeout=(2, 2)).read_bytes()


@pytest.mark.parametrize("answer", ODD)
def test_an_odd_answer_is_said_in_one_sentence(server, tmp_path, answer):
    url = server(ODD[answer])
    with pytest.raises(NeuraleseError) as failure:
        get(url, tmp_path)
    sentence = str(failure.value)
    assert sentence.startswith(url)
    assert sentence.isprintable()
    assert sentence.endswith(".")
    assert len(sentence) < 500


@pytest.mark.parametrize("answer", RIGHT)
def test_an_odd_answer_that_is_the_file_is_taken(server, tmp_path, answer):
    assert get(server(RIGHT[answer]), tmp_path) == BODY


@pytest.mark.parametrize(
    "said",
    [
        b"Content-Range: bytes 0-704/705\r\n",
        b"Content-Range: bytes 51-704/705\r\n",
        b"Content-Range: bytes 500-704/705\r\n",
        b"Content-Range: items 50-704/705\r\n",
        b"",
    ],
)
def test_another_range_than_was_asked_for_is_never_added_to_what_is_held(server, tmp_path, said):
    url = server(PARTIAL + said + b"\r\n" + BODY)
    partial_path(url, tmp_path).write_bytes(b"x" * 50)
    with pytest.raises(NeuraleseError, match="the server sent the wrong range"):
        get(url, tmp_path)
    assert not partial_path(url, tmp_path).exists()


def test_what_is_longer_than_its_archive_is_broken_off_and_not_kept(server, tmp_path):
    url = server(OK + b"\r\n" + b"x" * 200_000)
    with pytest.raises(NeuraleseError, match="has more than 10,000 bytes"):
        get(url, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_bytes_that_come_too_slowly_are_given_up(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(downloading, "GRACE", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def trickle() -> None:
            client, _ = listening.accept()
            with client:
                client.recv(1 << 16)
                client.sendall(OK + b"Content-Length: 5000\r\n\r\n")
                for _ in range(100):
                    try:
                        client.sendall(b"x")
                    except OSError:
                        return
                    time.sleep(0.05)

        threading.Thread(target=trickle, daemon=True).start()
        with pytest.raises(NeuraleseError, match="less than 1,000 bytes per second"):
            get(f"http://127.0.0.1:{listening.getsockname()[1]}/archive", tmp_path)
