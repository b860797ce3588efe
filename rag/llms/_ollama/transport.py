"""HTTP with limits that hold: to connect, to the first byte, between bytes, and in all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from urllib.request import getproxies, proxy_bypass

import httpx

from rag.core.endpoint import is_loopback

CONNECT_SECONDS = 5.0
# Between two tokens. The slowest machine that is of any use gives one every few seconds.
SILENCE_SECONDS = 30.0


def open_transport(url: str) -> httpx.HTTPTransport:
    """Connections to `url`: through the system's proxy, except to this machine.

    A client with a transport of its own does not look at proxy variables, so it is done here.
    """
    if is_loopback(url):
        # No TLS is spoken there as a rule, and reading the certificates takes 30 ms.
        return httpx.HTTPTransport(verify=url.startswith("https:"))
    parsed = httpx.URL(url)
    proxy = None if proxy_bypass(parsed.host) else getproxies().get(parsed.scheme)
    return httpx.HTTPTransport(proxy=proxy)


class DeadlineTransport(httpx.BaseTransport):
    """Requests that are over by `deadline`, as `time.monotonic` counts, whatever the server does.

    httpx limits the wait for each read, and a server that sends a byte now and then never exceeds
    that; here the clock is looked at after each read too, so a drip overruns by one read at most.
    """

    def __init__(self, url: str, deadline: float) -> None:
        self._inner = open_transport(url)
        self._deadline = deadline

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        left = max(self._deadline - time.monotonic(), 0.001)
        limits = {"connect": min(CONNECT_SECONDS, left), "read": left, "write": left, "pool": left}
        request.extensions = {**request.extensions, "timeout": limits}
        response = self._inner.handle_request(request)
        # Ollama sends its headers with the first token: from here on tokens follow one another.
        limits["read"] = max(min(SILENCE_SECONDS, self._deadline - time.monotonic()), 0.001)
        assert isinstance(response.stream, httpx.SyncByteStream)
        return httpx.Response(
            response.status_code,
            headers=response.headers,
            stream=_UntilDeadline(response.stream, self._deadline),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class _UntilDeadline(httpx.SyncByteStream):
    def __init__(self, stream: httpx.SyncByteStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            yield part
            if time.monotonic() > self._deadline:
                raise httpx.ReadTimeout("the time limit of the whole call has passed")

    def close(self) -> None:
        self._stream.close()
