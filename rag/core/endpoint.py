"""The address of a model server, read as Ollama's own tools read `OLLAMA_HOST`."""

import ipaddress
from urllib.parse import urlsplit

from rag.domain.errors import SetupError

_OLLAMA_PORT = 11434
_SCHEME_PORTS = {"http": 80, "https": 443}
# Addresses that a server listens on, and nobody can connect to everywhere.
_UNSPECIFIED = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
# What people copy from other clients' settings; Ollama's own paths start at the root.
_OTHER_APIS = ("/v1", "/api")


def server_url(host: str) -> str:
    """`http://host:port` (and a path, for a server behind a proxy), without a slash at the end.

    Takes what people write: `localhost`, `:11434`, `10.0.0.5:11434`, `::1`, `https://host/ollama/`,
    `http://localhost:11434/v1`, and the `0.0.0.0` that a server is told to listen on. Without a
    scheme the port is Ollama's, with one the scheme's, as Ollama reads it.

    Raises:
        SetupError: not an address.
    """
    text = host.strip().rstrip("/")
    scheme, mark, rest = text.partition("://")
    if not mark:
        scheme, rest, port = "http", text, _OLLAMA_PORT
    elif scheme.lower() in _SCHEME_PORTS:
        scheme = scheme.lower()
        port = _SCHEME_PORTS[scheme]
    else:
        raise _not_an_address(host)
    try:
        parts = urlsplit(f"{scheme}://{_bracketed(rest)}")
        name = parts.hostname or ""
        port = parts.port or port
    except ValueError as error:
        raise _not_an_address(host) from error
    if parts.query or parts.fragment or any(char.isspace() for char in rest):
        raise _not_an_address(host)
    name = _UNSPECIFIED.get(name, name)
    path = parts.path.rstrip("/")
    for tail in _OTHER_APIS:
        path = path.removesuffix(tail)
    login = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return f"{scheme}://{login}{_bracketed(name)}:{port}{path}"


def is_loopback(url: str) -> bool:
    """Whether `url` names this machine, so that no proxy may stand between."""
    name = urlsplit(url).hostname or ""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def without_login(url: str) -> str:
    """`url` as it may be shown: no user name, no password."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def _bracketed(name: str) -> str:
    """An IPv6 address in the brackets that URLs want; anything else as it is."""
    try:
        ipaddress.IPv6Address(name)
    except ValueError:
        return name
    return f"[{name}]"


def _not_an_address(host: str) -> SetupError:
    return SetupError(f"{host!r} is not a server address", "write it like http://localhost:11434")
