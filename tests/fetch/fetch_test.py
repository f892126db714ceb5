# SPDX-License-Identifier: Apache-2.0
"""`credens fetch` against a local server and mirror folders; nothing here needs the internet.

Usage: fetch_test.py PROGRAM SHARED_DATA. Where the public data are not in the folder SHARED_DATA, tests that need them are skipped.
"""

import io
import lzma
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

from server import Server, cut, endless, redirect, slow, status, whole

PROGRAM = Path(sys.argv[1]).resolve()
SHARED = Path(sys.argv[2])
YACHT_ARCHIVE = "/243/yacht+hydrodynamics.zip"
YACHT_FILE = "yacht/yacht_hydrodynamics.data"

needs_data = unittest.skipUnless((SHARED / YACHT_FILE).is_file(), f"the public data are not in {SHARED}")


def archive(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return buffer.getvalue()


WRONG_YACHT = archive({"yacht_hydrodynamics.data": "1 2 3 4 5 6 7\n" * 300})


class FetchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.data = self.folder / "data"
        self.environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        self.environment.pop("CREDENS_DATA", None)
        self.environment.update(HOME=str(self.folder / "home"), XDG_CACHE_HOME=str(self.folder / "cache"), LC_ALL="C.UTF-8")

    def start(self, *words, **variables):
        return subprocess.Popen([PROGRAM, "fetch", *map(str, words)], env={**self.environment, **variables}, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def fetch(self, *words, **variables):
        """Exit status, standard output, standard error."""
        process = self.start(*words, **variables)
        printed, complaints = process.communicate(timeout=120)
        return process.returncode, printed, complaints

    def expect_failure(self, expected, *words, sentence):
        """One sentence, this status, and nothing left behind."""
        code, printed, complaints = self.fetch(*words, "--data", self.data)
        self.assertEqual((expected, ""), (code, printed), complaints)
        self.assertRegex(complaints, sentence)
        self.assertEqual(1, len(complaints.splitlines()), complaints)
        self.assertEqual([], list(self.folder.rglob("*")))

    def expect_yacht(self, result, folder, word="fetched"):
        code, printed, complaints = result
        self.assertEqual((0, ""), (code, complaints))
        self.assertEqual(f"{folder / YACHT_FILE}: {word}, its values are the published ones\n", printed)
        self.assertEqual((SHARED / YACHT_FILE).read_bytes(), (folder / YACHT_FILE).read_bytes())


class Good(FetchTest):
    @needs_data
    def test_the_original_archive(self):
        packed = archive({"yacht_hydrodynamics.data": (SHARED / YACHT_FILE).read_bytes()})
        with Server({YACHT_ARCHIVE: whole(packed)}) as server:
            words = ("yacht", "--data", self.data, "--from", server.address + "/")
            self.expect_yacht(self.fetch(*words), self.data)
            self.expect_yacht(self.fetch(*words), self.data, "already there")
            self.assertEqual([YACHT_ARCHIVE], server.requests)

    @needs_data
    def test_unpacked_files_of_a_server(self):
        text = (SHARED / YACHT_FILE).read_bytes()
        for path, content in ((f"/mirror/{YACHT_FILE}", text), ("/mirror/yacht_hydrodynamics.data.xz", lzma.compress(text))):
            with self.subTest(path), Server({path: whole(content)}) as server:
                data = self.data / Path(path).name
                self.expect_yacht(self.fetch("yacht", "--data", data, "--from", server.address + "/mirror"), data)

    @needs_data
    def test_a_mirror_folder(self):
        for name, file in (("yacht", YACHT_FILE), ("qsar", "qsar-aquatic-toxicity/qsar_aquatic_toxicity.csv")):
            code, printed, complaints = self.fetch(name, "--data", self.data, "--from", SHARED)
            self.assertEqual((0, ""), (code, complaints))
            self.assertIn("fetched, its values are the published ones", printed)
            self.assertEqual((SHARED / file).read_bytes(), (self.data / file).read_bytes())

    @needs_data
    def test_blog_in_its_original_and_its_joined_layout(self):
        folder = SHARED / "blog-feedback"
        train = lzma.decompress((folder / "blogData_train.csv.xz").read_bytes())
        test = lzma.decompress((folder / "blogData_test.csv.xz").read_bytes())
        lines = iter(test.splitlines(keepends=True))
        pieces = {}
        for entry in (folder / "blogData_test_files.txt").read_text(encoding="utf-8").splitlines():
            name, rows = entry.split()
            pieces[name] = b"".join(next(lines) for _ in range(int(rows)))
        self.assertEqual(60, len(pieces))
        mirror = self.folder / "mirror"
        mirror.mkdir()
        (mirror / "blogfeedback.zip").write_bytes(archive({"blogData_train.csv": train, **dict(reversed(pieces.items()))}))
        for source in (mirror, SHARED):
            data = self.data / source.name
            code, printed, complaints = self.fetch("blog", "--data", data, "--from", source)
            self.assertEqual((0, "", 2), (code, complaints, printed.count("fetched, its values are the published ones")))
            self.assertEqual(train, (data / "blog-feedback/blogData_train.csv").read_bytes())
            self.assertEqual(test, (data / "blog-feedback/blogData_test.csv").read_bytes())
        (data / "blog-feedback/blogData_test.csv").unlink()
        for name, content in pieces.items():
            (data / name).write_bytes(content)
        code, printed, complaints = self.fetch("blog", "--data", data, "--from", self.folder / "absent")
        self.assertEqual((0, "", 2), (code, complaints, printed.count("already there")))

    @needs_data
    def test_other_line_ends_are_the_same_values(self):
        file = self.data / "yacht_hydrodynamics.data"
        self.data.mkdir()
        content = (SHARED / YACHT_FILE).read_bytes().replace(b"\n", b"\r\n")
        file.write_bytes(content)
        code, printed, complaints = self.fetch("yacht", "--data", self.data)
        self.assertEqual((0, f"{file}: already there, its values are the published ones\n", ""), (code, printed, complaints))
        self.assertEqual(content, file.read_bytes())

    @needs_data
    def test_the_folder_without_data(self):
        cases = (({"CREDENS_DATA": str(self.folder / "here")}, "here"), ({}, "cache/credens/data"),
                 ({"XDG_CACHE_HOME": ""}, "home/.cache/credens/data"))
        for variables, place in cases:
            self.expect_yacht(self.fetch("yacht", "--from", SHARED, **variables), self.folder / place)

    @needs_data
    def test_progress_of_long_downloads(self):
        packed = archive({"yacht_hydrodynamics.data": (SHARED / YACHT_FILE).read_bytes()})
        with Server({YACHT_ARCHIVE: slow(packed, seconds=4)}) as server:
            code, _, complaints = self.fetch("yacht", "--data", self.data, "--from", server.address)
        self.assertEqual(0, code, complaints)
        self.assertRegex(complaints, r"\Acredens: downloading, 0\.0 of 0\.0 MB, [\d.]+ s left\n\Z")


class Bad(FetchTest):
    def test_a_connection_that_is_cut(self):
        with Server({YACHT_ARCHIVE: cut(os.urandom(100_000))}) as server:
            self.expect_failure(5, "yacht", "--from", server.address,
                                sentence="zip: cannot download: the connection broke off after [0-9]+ bytes")

    def test_wrong_content(self):
        page = whole(b"<html><body>Please log in</body></html>")
        for answer, sentence in ((whole(WRONG_YACHT), "these are not the published values of yacht_hydrodynamics.data: 300 rows"),
                                 (whole(WRONG_YACHT[:-30]), "the archive is truncated"),
                                 (whole(archive({"other.txt": "1"})), "the archive holds no yacht_hydrodynamics.data"),
                                 (page, 'starts with "<html><body>Plea", expected a whole zip archive')):
            with self.subTest(sentence), Server({YACHT_ARCHIVE: answer}) as server:
                self.expect_failure(3, "yacht", "--from", server.address, sentence=sentence)

    def test_year_by_size_and_digest(self):
        year = archive({"YearPredictionMSD.txt": "2001,1,2\n"})
        with Server({"/203/yearpredictionmsd.zip": whole(year)}) as server:
            self.expect_failure(3, "year", "--from", server.address,
                                sentence="9 bytes of text, expected the 448576698 of YearPredictionMSD.txt")

    def test_more_than_there_can_be(self):
        block = bytes(100_000)
        for answer in (whole(block * 20), endless(block, 20)):
            with Server({YACHT_ARCHIVE: answer}) as server:
                self.expect_failure(5, "yacht", "--from", server.address, sentence="the file has more than 1000000 bytes")

    def test_nothing_there(self):
        with Server({}) as server:
            self.expect_failure(5, "yacht", "--from", server.address,
                                sentence="neither 243/yacht[+]hydrodynamics.zip nor yacht_hydrodynamics.data is there")
            self.assertIn(f"/{YACHT_FILE}.xz", server.requests)

    def test_a_server_in_trouble(self):
        with Server({YACHT_ARCHIVE: status(503)}) as server:
            self.expect_failure(5, "yacht", "--from", server.address, sentence="the server answers with status 503")

    def test_no_server(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            address = f"http://127.0.0.1:{taken.getsockname()[1]}"
            self.expect_failure(5, "yacht", "--from", address, sentence="cannot download: no server answers there")

    def test_no_network(self):
        self.expect_failure(5, "yacht", "--from", "https://nobody.invalid",
                            sentence=r"the name of the server cannot be resolved \(is there a network\?\)")

    def test_the_original_without_a_network_names_the_way_out(self):
        self.environment["https_proxy"] = "http://127.0.0.1:1"
        self.expect_failure(5, "yacht", sentence=r"^credens: https://archive\.ics\.uci\.edu/static/public/243/yacht\+hydrodynamics\.zip: "
                                                 "cannot download: .*; --from takes it from a folder or another address$")

    def test_redirections_lead_to_https_only(self):
        with Server({"/elsewhere.zip": whole(WRONG_YACHT)}) as other:
            for target in (f"{other.address}/elsewhere.zip", "file:///etc/passwd"):
                with Server({YACHT_ARCHIVE: redirect(target)}) as server:
                    self.expect_failure(5, "yacht", "--from", server.address, sentence="redirected to an address that is not https")
            self.assertEqual([], other.requests)

    @unittest.skipUnless(shutil.which("openssl"), "there is no openssl to make a certificate")
    def test_a_certificate_that_nobody_vouches_for(self):
        with tempfile.TemporaryDirectory() as keys:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                            "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "certificate.pem"],
                           cwd=keys, check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(Path(keys, "certificate.pem"), Path(keys, "key.pem"))
        with Server({YACHT_ARCHIVE: whole(WRONG_YACHT)}, context) as server:
            self.expect_failure(5, "yacht", "--from", server.address, sentence="the certificate of the server is not trusted")
            self.assertEqual([], server.requests)

    def test_an_existing_wrong_file_is_left_alone(self):
        file = self.data / YACHT_FILE
        file.parent.mkdir(parents=True)
        for content, found in (("1 2 3 4 5 6 7\n", "these are not the published values"),
                               ("no numbers at all", "the table has 4 columns")):
            file.write_text(content, encoding="utf-8")
            with Server({}) as server:
                code, printed, complaints = self.fetch("yacht", "--data", self.data, "--from", server.address)
                self.assertEqual((3, "", []), (code, printed, server.requests), complaints)
            self.assertRegex(complaints, found)
            self.assertIn("it is left as it is: move it away to fetch yacht again\n", complaints)
            self.assertEqual(content, file.read_text(encoding="utf-8"))

    def test_a_folder_that_cannot_be_made(self):
        self.data.write_text("a file")
        with Server({YACHT_ARCHIVE: whole(WRONG_YACHT)}) as server:
            code, _, complaints = self.fetch("yacht", "--data", self.data, "--from", server.address)
            self.assertEqual([], server.requests)
        self.assertEqual(5, code, complaints)

    def test_interrupted(self):
        with Server({YACHT_ARCHIVE: slow(WRONG_YACHT, seconds=60)}) as server:
            process = self.start("yacht", "--data", self.data, "--from", server.address)
            while not server.requests:
                time.sleep(0.05)
            started = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=30)
        self.assertEqual(130, process.returncode)
        self.assertRegex(complaints, r"\Acredens: interrupted while downloading http://.*\n\Z")
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual([], list(self.folder.rglob("*")))

    def test_usage(self):
        self.expect_failure(2, "yach", sentence='there is no data set "yach", expected one of qsar, yacht, blog, year; did you mean yacht')
        self.expect_failure(2, "yacht", "--from", "ftp://nobody.invalid", sentence="expected a folder or an address that begins with https")
        self.expect_failure(5, "yacht", "--from", "absent", sentence="absent: not a folder")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
