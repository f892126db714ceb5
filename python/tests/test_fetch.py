# SPDX-License-Identifier: Apache-2.0
"""`python -m credens.datasets` against a local server and mirror folders; nothing here needs the internet.

Where the public data are not at hand (../shared/data beside the checkout), tests that need them are skipped.
"""

import io
import lzma
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import zipfile

import pytest
from fetch_server import Server, cut, dripping, endless, redirect, slow, status, whole

import credens.datasets
from credens.datasets import _download
from conftest import SHARED_DATA

YACHT_ARCHIVE = "/243/yacht+hydrodynamics.zip"
YACHT_FILE = "yacht/yacht_hydrodynamics.data"

needs_data = pytest.mark.skipif(not (SHARED_DATA / YACHT_FILE).is_file(), reason=f"the public data are not in {SHARED_DATA}")


def archive(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return buffer.getvalue()


WRONG_YACHT = archive({"yacht_hydrodynamics.data": "1 2 3 4 5 6 7\n" * 300})


class Fetcher:
    """The program in an environment of its own."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        self.environment.pop("CREDENS_DATA", None)
        self.environment.update(HOME=str(folder / "home"), XDG_CACHE_HOME=str(folder / "cache"), LC_ALL="C.UTF-8")

    def start(self, *words, **variables):
        command = [sys.executable, "-m", "credens.datasets", *map(str, words)]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(command, env={**self.environment, **variables}, text=True, **pipes)

    def __call__(self, *words, **variables):
        """Exit status, standard output, standard error."""
        process = self.start(*words, **variables)
        printed, complaints = process.communicate(timeout=120)
        return process.returncode, printed, complaints

    def fails(self, expected, *words, sentence):
        """With one sentence, and nothing written."""
        given = words if "--data" in words else (*words, "--data", self.data)
        code, printed, complaints = self(*given)
        assert (code, printed) == (expected, ""), complaints
        assert re.search(sentence, complaints), complaints
        assert len(complaints.splitlines()) == 1, complaints
        assert list(self.folder.rglob("*")) == []

    def brings_yacht(self, result, folder, word="fetched"):
        code, printed, complaints = result
        assert (code, complaints) == (0, "")
        assert printed == f"{folder / YACHT_FILE}: {word}, its values are the published ones\n"
        assert (folder / YACHT_FILE).read_bytes() == (SHARED_DATA / YACHT_FILE).read_bytes()


@pytest.fixture
def fetch(tmp_path):
    return Fetcher(tmp_path)


# ---- good days ----


@needs_data
def test_the_original_archive(fetch):
    packed = archive({"yacht_hydrodynamics.data": (SHARED_DATA / YACHT_FILE).read_bytes()})
    with Server({YACHT_ARCHIVE: whole(packed)}) as server:
        words = ("yacht", "--data", fetch.data, "--from", server.address + "/")
        fetch.brings_yacht(fetch(*words), fetch.data)
        fetch.brings_yacht(fetch(*words), fetch.data, "already there")
        assert server.requests == [YACHT_ARCHIVE]


@needs_data
@pytest.mark.parametrize("path", [f"/mirror/{YACHT_FILE}", "/mirror/yacht_hydrodynamics.data.xz"])
def test_unpacked_files_of_a_server(fetch, path):
    text = (SHARED_DATA / YACHT_FILE).read_bytes()
    with Server({path: whole(lzma.compress(text) if path.endswith(".xz") else text)}) as server:
        fetch.brings_yacht(fetch("yacht", "--data", fetch.data, "--from", server.address + "/mirror"), fetch.data)


@needs_data
@pytest.mark.parametrize("name, file", [("yacht", YACHT_FILE), ("qsar", "qsar-aquatic-toxicity/qsar_aquatic_toxicity.csv")])
def test_a_mirror_folder(fetch, name, file):
    code, printed, complaints = fetch(name, "--data", fetch.data, "--from", SHARED_DATA)
    assert (code, complaints) == (0, "")
    assert "fetched, its values are the published ones" in printed
    assert (fetch.data / file).read_bytes() == (SHARED_DATA / file).read_bytes()


@needs_data
def test_blog_in_its_original_and_its_joined_layout(fetch):
    folder = SHARED_DATA / "blog-feedback"
    train = lzma.decompress((folder / "blogData_train.csv.xz").read_bytes())
    test = lzma.decompress((folder / "blogData_test.csv.xz").read_bytes())
    lines = iter(test.splitlines(keepends=True))
    pieces = {}
    for entry in (folder / "blogData_test_files.txt").read_text(encoding="utf-8").splitlines():
        name, rows = entry.split()
        pieces[name] = b"".join(next(lines) for _ in range(int(rows)))
    assert len(pieces) == 60
    mirror = fetch.folder / "mirror"
    mirror.mkdir()
    (mirror / "blogfeedback.zip").write_bytes(archive({"blogData_train.csv": train, **dict(reversed(pieces.items()))}))
    for source in (mirror, SHARED_DATA):
        data = fetch.data / source.name
        code, printed, complaints = fetch("blog", "--data", data, "--from", source)
        assert (code, complaints, printed.count("fetched, its values are the published ones")) == (0, "", 2)
        assert (data / "blog-feedback/blogData_train.csv").read_bytes() == train
        assert (data / "blog-feedback/blogData_test.csv").read_bytes() == test
    (data / "blog-feedback/blogData_test.csv").unlink()
    for name, content in pieces.items():
        (data / name).write_bytes(content)
    code, printed, complaints = fetch("blog", "--data", data, "--from", fetch.folder / "absent")
    assert (code, complaints, printed.count("already there")) == (0, "", 2)


@needs_data
def test_other_line_ends_are_the_same_values(fetch):
    file = fetch.data / "yacht_hydrodynamics.data"
    fetch.data.mkdir()
    content = (SHARED_DATA / YACHT_FILE).read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(content)
    assert fetch("yacht", "--data", fetch.data) == (0, f"{file}: already there, its values are the published ones\n", "")
    assert file.read_bytes() == content


@needs_data
def test_the_folder_without_data(fetch):
    cases = (
        ({"CREDENS_DATA": str(fetch.folder / "here")}, "here"),
        ({}, "cache/credens/data"),
        ({"XDG_CACHE_HOME": ""}, "home/.cache/credens/data"),
    )
    for variables, place in cases:
        fetch.brings_yacht(fetch("yacht", "--from", SHARED_DATA, **variables), fetch.folder / place)


@needs_data
def test_progress_of_long_downloads(fetch):
    packed = archive({"yacht_hydrodynamics.data": (SHARED_DATA / YACHT_FILE).read_bytes()})
    with Server({YACHT_ARCHIVE: slow(packed, seconds=4)}) as server:
        code, _, complaints = fetch("yacht", "--data", fetch.data, "--from", server.address)
    assert code == 0, complaints
    assert re.fullmatch(r"credens: downloading, 0\.0 of 0\.0 MB, [\d.]+ s left\n", complaints)


@needs_data
def test_as_a_function(tmp_path):
    files = credens.datasets.fetch("yacht", folder=tmp_path, source=SHARED_DATA)
    assert files == [tmp_path / YACHT_FILE]
    train, test = credens.datasets.load("yacht", folder=tmp_path)
    assert (train.inputs.shape, test) == ((308, 6), None)


# ---- bad days ----


def test_a_connection_that_is_cut(fetch):
    with Server({YACHT_ARCHIVE: cut(os.urandom(100_000))}) as server:
        sentence = "zip: cannot download: the connection broke off after [0-9]+ bytes"
        fetch.fails(5, "yacht", "--from", server.address, sentence=sentence)


@pytest.mark.parametrize(
    "content, sentence",
    [
        (WRONG_YACHT, "these are not the published values of yacht_hydrodynamics.data: 300 rows"),
        (WRONG_YACHT[:-30], "the archive is truncated"),
        (archive({"other.txt": "1"}), "the archive holds no yacht_hydrodynamics.data"),
        (b"<html><body>Please log in</body></html>", 'starts with "<html><body>Plea", expected a whole zip archive'),
    ],
)
def test_wrong_content(fetch, content, sentence):
    with Server({YACHT_ARCHIVE: whole(content)}) as server:
        fetch.fails(3, "yacht", "--from", server.address, sentence=sentence)


def test_year_by_size_and_digest(fetch):
    year = archive({"YearPredictionMSD.txt": "2001,1,2\n"})
    with Server({"/203/yearpredictionmsd.zip": whole(year)}) as server:
        sentence = "9 bytes of text, expected the 448576698 of YearPredictionMSD.txt"
        fetch.fails(3, "year", "--from", server.address, sentence=sentence)


@pytest.mark.parametrize("answer", [whole(bytes(2_000_000)), endless(bytes(100_000), 20)])
def test_more_than_there_can_be(fetch, answer):
    with Server({YACHT_ARCHIVE: answer}) as server:
        fetch.fails(5, "yacht", "--from", server.address, sentence="the file has more than 1000000 bytes")


def test_nothing_there(fetch):
    with Server({}) as server:
        sentence = "neither 243/yacht[+]hydrodynamics.zip nor yacht_hydrodynamics.data is there"
        fetch.fails(5, "yacht", "--from", server.address, sentence=sentence)
        assert f"/{YACHT_FILE}.xz" in server.requests


def test_a_server_in_trouble(fetch):
    with Server({YACHT_ARCHIVE: status(503)}) as server:
        fetch.fails(5, "yacht", "--from", server.address, sentence="the server answers with status 503")


def test_no_server(fetch):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        fetch.fails(5, "yacht", "--from", address, sentence="cannot download: no server answers there")


def test_no_network(fetch):
    sentence = r"the name of the server cannot be resolved \(is there a network\?\)"
    fetch.fails(5, "yacht", "--from", "https://nobody.invalid", sentence=sentence)


def test_the_original_without_a_network_names_the_way_out(fetch):
    fetch.environment["https_proxy"] = "http://127.0.0.1:1"
    sentence = (
        r"^credens: https://archive\.ics\.uci\.edu/static/public/243/yacht\+hydrodynamics\.zip: cannot download: .*; "
        "--from or source= names a folder or another address$"
    )
    fetch.fails(5, "yacht", sentence=sentence)


def test_redirections_lead_to_https_only(fetch):
    with Server({"/elsewhere.zip": whole(WRONG_YACHT)}) as other:
        for target in (f"{other.address}/elsewhere.zip", "file:///etc/passwd"):
            with Server({YACHT_ARCHIVE: redirect(target)}) as server:
                sentence = "redirected to an address that is not https"
                fetch.fails(5, "yacht", "--from", server.address, sentence=sentence)
        assert other.requests == []


@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl to make a certificate")
def test_a_certificate_that_nobody_vouches_for(fetch, tmp_path_factory):
    keys = tmp_path_factory.mktemp("keys")
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", "key.pem", "-out", "certificate.pem"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *files]
    subprocess.run(command, cwd=keys, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / "certificate.pem", keys / "key.pem")
    with Server({YACHT_ARCHIVE: whole(WRONG_YACHT)}, context) as server:
        fetch.fails(5, "yacht", "--from", server.address, sentence="the certificate of the server is not trusted")
        assert server.requests == []


@pytest.mark.parametrize(
    "content, found",
    [("1 2 3 4 5 6 7\n", "these are not the published values"), ("no numbers at all", "the table has 4 columns")],
)
def test_an_existing_wrong_file_is_left_alone(fetch, content, found):
    file = fetch.data / YACHT_FILE
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    with Server({}) as server:
        code, printed, complaints = fetch("yacht", "--data", fetch.data, "--from", server.address)
        assert (code, printed, server.requests) == (3, "", []), complaints
    assert found in complaints
    assert "it is left as it is: move it away to fetch yacht again\n" in complaints
    assert file.read_text(encoding="utf-8") == content


def test_a_folder_that_cannot_be_made(fetch):
    fetch.data.write_text("a file")
    with Server({YACHT_ARCHIVE: whole(WRONG_YACHT)}) as server:
        code, _, complaints = fetch("yacht", "--data", fetch.data, "--from", server.address)
        assert server.requests == []
    assert code == 5, complaints


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(fetch, word):
    with Server({YACHT_ARCHIVE: slow(WRONG_YACHT, seconds=60)}) as server:
        process = fetch.start("yacht", "--data", fetch.data, "--from", server.address)
        while not server.requests:
            time.sleep(0.05)
        started = time.monotonic()
        process.send_signal(word)
        _, complaints = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.fullmatch(r"credens: interrupted while downloading http://.*\n", complaints), complaints
    assert time.monotonic() - started < 5
    assert list(fetch.folder.rglob("*")) == []


def test_a_server_that_trickles(monkeypatch):
    monkeypatch.setattr(_download, "SECONDS_OF_SILENCE", 1)
    with Server({"/file": slow(bytes(1000), seconds=20)}) as server:
        started = time.monotonic()
        with pytest.raises(credens.FileError, match="the server takes too long"):
            _download.download(f"{server.address}/file", 10_000)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nX: ", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"])
def test_a_server_that_trickles_before_the_content(monkeypatch, start):
    monkeypatch.setattr(_download, "SECONDS_OF_SILENCE", 1)
    with Server({"/file": dripping(start)}) as server:
        started = time.monotonic()
        with pytest.raises(credens.FileError, match="the server takes too long"):
            _download.download(f"{server.address}/file", 10_000)
    assert time.monotonic() - started < 10
    assert threading.active_count() < 20


def test_a_download_that_takes_too_long(monkeypatch):
    monkeypatch.setattr(_download, "MOST_SECONDS", 1)
    with Server({"/file": slow(bytes(100_000), seconds=20)}) as server:
        with pytest.raises(credens.FileError, match="the server takes too long"):
            _download.download(f"{server.address}/file", 1_000_000)


@pytest.mark.parametrize("scheme", ["https", "http", "ftp"])
@pytest.mark.parametrize("rest", ["me:secret@nobody.invalid/data", "me:#/secret@nobody.invalid/data", "nobody.invalid/data?key=secret"])
def test_names_and_passwords_are_not_shown(fetch, scheme, rest):
    code, _, complaints = fetch("yacht", "--from", f"{scheme}://{rest}")
    assert (code, "secret" in complaints, "me:" in complaints) == (2, False, False)
    assert f"{scheme}://nobody.invalid/data: the address holds a name or password" in complaints


@pytest.mark.parametrize("proxy", ["http://me:secret@127.0.0.1:1", "http://me:/secret@127.0.0.1:1", "http:/me:secret", "http://me:secret"])
def test_the_password_of_a_proxy_is_not_shown(fetch, proxy):
    fetch.environment.update(http_proxy=proxy, https_proxy=proxy)
    for scheme in ("http", "https"):
        code, _, complaints = fetch("yacht", "--data", fetch.data, "--from", f"{scheme}://nobody.invalid")
        assert (code, "secret" in complaints) == (5, False), complaints


def test_usage(fetch):
    sentence = 'there is no data set "yach", expected one of qsar, yacht, blog, year; did you mean yacht'
    fetch.fails(2, "yach", sentence=sentence)
    fetch.fails(2, "yacht", "--from", "ftp://nobody.invalid", sentence="expected a folder or an address that begins with https")
    fetch.fails(5, "yacht", "--from", "absent", sentence="absent: not a folder")
