import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.endpoint import is_loopback, server_url, without_login
from rag.domain.errors import SetupError


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("", "http://127.0.0.1:11434"),
        ("localhost", "http://localhost:11434"),
        (":9999", "http://127.0.0.1:9999"),
        ("10.0.0.5", "http://10.0.0.5:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("http://0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("[::]:11434", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:80", "http://[::1]:80"),
        ("http://[fe80::1]:11434/", "http://[fe80::1]:11434"),
        ("http://localhost:11434/v1/", "http://localhost:11434"),
        ("http://localhost:11434/api", "http://localhost:11434"),
        ("https://gpu.example", "https://gpu.example:443"),
        ("HTTPS://gpu.example/ollama/", "https://gpu.example:443/ollama"),
        ("http://me:pass@gpu.example:1", "http://me:pass@gpu.example:1"),
        ("  localhost:11434\n", "http://localhost:11434"),
    ],
)
def test_reads_what_people_write(written: str, meant: str) -> None:
    assert server_url(written) == meant


@pytest.mark.parametrize(
    "written", ["ftp://x", "http://x:port", "http://x:99999", "a b", "http://[::1", "x?y=1"]
)
def test_refuses_what_is_no_address(written: str) -> None:
    with pytest.raises(SetupError):
        server_url(written)


@given(st.text(max_size=30))
def test_any_text_is_an_address_or_a_setup_fault(text: str) -> None:
    try:
        url = server_url(text)
    except SetupError:
        return
    assert server_url(url) == url


def test_tells_this_machine_from_others() -> None:
    mine = ["http://localhost:1", "http://127.0.0.9:1", "http://[::1]:1"]
    others = ["http://10.0.0.5:1", "http://localhost.example:1", "https://gpu.example:443"]
    assert all(map(is_loopback, mine)) and not any(map(is_loopback, others))


def test_a_login_is_never_shown() -> None:
    assert without_login("http://me:p@ss@host:1/x") == "http://host:1/x"
