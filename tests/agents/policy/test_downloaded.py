"""Policies behind an address: what is fetched, from where, and that only the file that is meant is ever read."""

import hashlib
import io
import socketserver
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import agents
from agents import loading
from agents.policy import downloaded
from agents.policy.policy_file import PolicyError, save_policy
from tests.helpers.positions import a_card, some_weights
from train.cli.main import main
from uno_env import Rules


class Server(ThreadingHTTPServer):
    """Has one file, and says what else was asked for."""

    daemon_threads = True
    content: bytes
    scheme: str = "http"

    def address(self, path: str = "/p/policy.safetensors", digest: str | None = None) -> str:
        digest = hashlib.sha256(self.content).hexdigest() if digest is None else digest
        return f"{self.scheme}://localhost:{self.server_port}{path}#sha256={digest}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        kind, _, rest = self.path.removeprefix("/").partition("/")
        content = self.server.content
        if kind == "to":
            self.send_response(302)
            self.send_header("Location", rest.removesuffix(".safetensors"))
        elif kind == "gone":
            self.send_response(404)
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content) + (kind == "short")))
        self.end_headers()
        for start in range(0, len(content), 100 if kind == "slow" else 10**9):
            self.wfile.write(content[start : start + 100] if kind == "slow" else content)
            time.sleep(0.02 * (kind == "slow"))

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    card = a_card(Rules.preset("duel"))
    path = tmp_path_factory.mktemp("made") / "policy.safetensors"
    save_policy(path, some_weights(card), card)
    return path.read_bytes()


@pytest.fixture
def server(content: bytes) -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        running.content = content
        threading.Thread(target=partial(running.serve_forever, 0.01), daemon=True).start()
        yield running
        running.shutdown()


def kept() -> list[Path]:
    return [path for path in downloaded.cache_folder().rglob("*") if path.is_file()]


def refusal(address: str) -> str:
    """The sentence with which an address is refused; nothing may have been kept."""
    with pytest.raises(ValueError) as refused:
        agents.load(address)
    assert kept() == []
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert len(sentence) < 800
    return sentence


def test_a_policy_is_fetched_once_and_plays(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    address = server.address()
    agent = agents.load(address, rules="duel")
    assert agent.name == address
    assert agent.card is not None
    assert capsys.readouterr().err == f"uno-env: fetching {address.partition('#')[0]}, once\n"
    server.shutdown()
    server.server_close()
    assert agents.load(f"{address}?sample=1").name == address
    assert capsys.readouterr().err == ""
    with pytest.raises(PolicyError, match="was trained for other rules"):
        agents.load(address, rules="classic")


@pytest.mark.thorough
def test_commands_take_an_address(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", server.address(), "--against", "random-play", "--deals", "2"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert main(["play", server.address(), "--plain", "--rules", "duel"]) == 0
    assert "Goodbye." in capsys.readouterr().out


def test_another_file_is_not_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "load_policy", lambda path: pytest.fail("it was read"))
    said = refusal(server.address(digest="0" * 64))
    assert (
        f"is not the file that is meant: its SHA-256 is {hashlib.sha256(server.content).hexdigest()}, not 000" in said
    )


def test_a_kept_file_that_was_changed_is_fetched_again(server: Server) -> None:
    agents.load(server.address())
    (path,) = kept()
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    agents.load(server.address())
    assert path.read_bytes() == server.content


def test_a_redirect_is_followed_to_an_allowed_address_alone(server: Server) -> None:
    own = f"http://localhost:{server.server_port}/p"
    assert agents.load(server.address(f"/to/{own}.safetensors")).card is not None
    for path in kept():
        path.unlink()
    for target in ("http://203.0.113.1/p", "file:///etc/passwd", "https://localhost/p", "ftp://localhost/p"):
        assert "cannot be fetched" in refusal(server.address(f"/to/{target}.safetensors"))
    loop = f"http://localhost:{server.server_port}/to/"
    assert "cannot be fetched" in refusal(server.address(f"/to/{loop}.safetensors"))


@pytest.mark.parametrize(("path", "reason"), [("/gone/x.onnx", "status 404"), ("/short/x.onnx", "1 bytes too early")])
def test_what_a_server_does_wrong(server: Server, path: str, reason: str) -> None:
    assert f"cannot be fetched: {reason}" in refusal(server.address(path)).replace("it ended ", "")


def test_a_server_that_is_not_there() -> None:
    assert "cannot be fetched: [Errno" in refusal(f"http://127.0.0.1:9/x.onnx#sha256={'0' * 64}")


def test_bounds_of_size_and_time(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloaded, "MAX_BYTES", 1_000)
    assert "cannot be fetched: it has more than 1,000 bytes" in refusal(server.address())
    monkeypatch.setattr(downloaded, "MAX_BYTES", 10**9)
    monkeypatch.setattr(downloaded, "SECONDS", 0.1)
    assert "or not all of it in 0.1" in refusal(server.address("/slow/x.onnx"))


class Hostile(socketserver.BaseRequestHandler):
    """Answers each request with the beginning that its path names, and then with more of the same without an end, as
    fast as it is taken, or a little at a time.
    """

    server: "HostileServer"

    def handle(self) -> None:
        kind = self.request.recv(4096).split()[1].decode().split("/")[1]
        beginning, more = self.server.answers[kind]
        try:
            self.request.sendall(beginning)
            while not self.server.ended.wait(0.005 if len(more) < 100 else 0):
                self.request.sendall(more)
                self.server.sent += len(more)
        except OSError:
            self.server.hung_up.set()


class HostileServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    answers: dict[str, tuple[bytes, bytes]]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Hostile)
        self.ended, self.hung_up, self.sent = threading.Event(), threading.Event(), 0

    def address(self, kind: str) -> str:
        return f"http://localhost:{self.server_address[1]}/{kind}/policy.safetensors#sha256={'0' * 64}"


@pytest.fixture
def hostile() -> Iterator[HostileServer]:
    with HostileServer() as running:
        own = f"Location: http://localhost:{running.server_address[1]}/"
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        running.answers = {
            "line": (b"", b"H"),
            "headers": (b"HTTP/1.1 200 OK\r\nX: ", b"x"),
            "continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 50),
            "body": (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
            "chunks": (chunked, b"1\r\nx\r\n"),
            "chunk-size": (chunked, b"0"),
            "trailers": (chunked + b"0\r\n", b"X: x\r\n" * 100),
            "redirect": (f"HTTP/1.1 302 Found\r\n{own}body/x\r\nX: ".encode(), b"x"),
            "loop": (f"HTTP/1.1 302 Found\r\n{own}headers/x\r\n\r\n".encode(), b"x" * 10_000),
        }
        threading.Thread(target=partial(running.serve_forever, 0.01), daemon=True).start()
        yield running
        running.ended.set()
        running.shutdown()


@pytest.mark.thorough
@pytest.mark.parametrize(
    "kind", ["line", "headers", "continue", "body", "chunks", "chunk-size", "trailers", "redirect", "loop"]
)
def test_no_server_makes_anybody_wait_longer_than_the_bound(
    kind: str, hostile: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does anything go on behind: the connection is hung up."""
    monkeypatch.setattr(downloaded, "SECONDS", 0.3)
    began = time.monotonic()
    assert "or not all of it in 0.3" in refusal(hostile.address(kind))
    assert time.monotonic() - began < 0.5 * downloaded.QUIET_SECONDS
    assert hostile.hung_up.wait(60)


def test_what_is_no_content_has_a_bound_of_size_too(hostile: HostileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloaded, "MAX_BYTES", 100_000)
    for kind in ("continue", "trailers"):
        assert "it has more than 100,000 bytes" in refusal(hostile.address(kind))


def test_what_comes_with_a_redirect_is_not_read(server: Server, hostile: HostileServer) -> None:
    answer = f"HTTP/1.1 302 Found\r\nLocation: {server.address().partition('#')[0]}\r\n\r\n"
    hostile.answers["endless"] = answer.encode(), b"x" * 100_000
    address = f"{hostile.address('endless').partition('#')[0]}#{server.address().partition('#')[2]}"
    assert agents.load(address).card is not None
    assert hostile.hung_up.wait(60)
    assert hostile.sent < 50_000_000, "more than what the system keeps for a connection"


def test_several_threads_load_one_address_at_once(server: Server) -> None:
    with ThreadPoolExecutor(12) as pool:
        for _ in range(3):
            loaded = list(pool.map(lambda _: agents.load(server.address()), range(12)))
            assert all(agent.card is not None for agent in loaded)
            (path,) = kept()
            path.unlink()


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("https://host/policy.safetensors", "does not say which file is meant: add #sha256="),
        (f"https://host/policy.safetensors#sha256={'A' * 64}", "does not say which file is meant"),
        (f"https://host/policy.safetensors#sha256={'0' * 63}", "does not say which file is meant"),
        (f"https://host/policy.safetensors?x=1#sha256={'0' * 64}", "has no option 'x'"),
        (f"https://host/policy.zip#sha256={'0' * 64}", "let it end in .safetensors or .onnx"),
        (f"http://host/policy.onnx#sha256={'0' * 64}", "without https, only this machine is asked"),
        (f"http://localhost.host/policy.onnx#sha256={'0' * 64}", "without https, only this machine is asked"),
        (f"https://me:secret@host/policy.onnx#sha256={'0' * 64}", "is no address: write https://HOST/policy"),
        (f"http://:secret@localhost/policy.onnx#sha256={'0' * 64}", "is no address: write https://HOST/policy"),
        (f"https://secret@host/policy.onnx#sha256={'0' * 64}", "is no address: write https://HOST/policy"),
        (f"https:policy.onnx#sha256={'0' * 64}", "is no address"),
        (f"https://host:x/policy.onnx#sha256={'0' * 64}", "is no address"),
        (f"https://ho st/policy.onnx#sha256={'0' * 64}", "is no address"),
        (f"https://{'h' * 2000}/policy.onnx", "does not say which file"),
    ],
)
def test_addresses_that_are_refused_unasked(
    address: str, sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(downloaded, "_fetch", lambda address: pytest.fail("it was asked"))
    said = refusal(address)
    assert sentence in said
    assert "secret" not in said


def test_https_needs_a_certificate_that_is_trusted(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    line = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    line += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(line, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("openssl is not there to make a certificate")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.scheme = "https"
    assert "CERTIFICATE_VERIFY_FAILED" in refusal(server.address())
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert agents.load(server.address()).card is not None
    for path in kept():
        path.unlink()
    assert "it leads to 'http://localhost/p', and an address of https was" in refusal(
        server.address("/to/http://localhost/p.safetensors")
    )
