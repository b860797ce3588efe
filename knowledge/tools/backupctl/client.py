"""Talks to the snapshot store over HTTP."""

import json
import urllib.error
import urllib.request
from datetime import datetime
from typing import Any

from backupctl.retention import Snapshot

USER_AGENT = "backupctl/2.4"
MAX_ATTEMPTS = 3


class StoreError(Exception):
    """The store did not answer, or answered with an error."""


class SnapshotClient:
    """One store, one token. Reads are tried three times; writes are sent once."""

    def __init__(self, base_url: str, token: str, timeout: float) -> None:
        self._base_url = base_url.rstrip("/")
        self._token = token
        self._timeout = timeout

    def list_snapshots(self, env: str) -> list[Snapshot]:
        """Snapshots of one environment, newest first."""
        rows = self._request("GET", f"/v1/snapshots?env={env}")
        found = [
            Snapshot(
                id=row["id"],
                kind=row["kind"],
                taken_at=datetime.fromisoformat(row["taken_at"]),
                legal_hold=bool(row.get("legal_hold", False)),
            )
            for row in rows
        ]
        return sorted(found, key=lambda snapshot: snapshot.taken_at, reverse=True)

    def verify(self, snapshot_id: str) -> bool:
        """True when the stored checksum equals the one computed again by the store."""
        reply = self._request("GET", f"/v1/snapshots/{snapshot_id}/checksum")
        return bool(reply["recorded"] == reply["computed"])

    def delete(self, snapshot_id: str) -> None:
        """Deletes one snapshot. The store refuses while its object lock of 35 days holds."""
        self._request("DELETE", f"/v1/snapshots/{snapshot_id}")

    def restore(self, snapshot_id: str, target: str, until: str | None = None) -> None:
        """Starts a restore into `target`, replaying the log up to `until` when that is given."""
        body = {"snapshot": snapshot_id, "target": target, "until": until}
        self._request("POST", "/v1/restores", body)

    def replay_erasures(self, since: str) -> int:
        """Erases again everything on the erasure list after snapshot `since`; returns the count."""
        return int(self._request("POST", "/v1/erasures/replay", {"since": since})["count"])

    def _request(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base_url + path, data=data, method=method)
        request.add_header("Authorization", f"Bearer {self._token}")
        request.add_header("User-Agent", USER_AGENT)
        attempts = MAX_ATTEMPTS if method == "GET" else 1
        for attempt in range(1, attempts + 1):
            try:
                with urllib.request.urlopen(request, timeout=self._timeout) as reply:
                    return json.loads(reply.read() or b"null")
            except (urllib.error.URLError, TimeoutError) as error:
                if attempt == attempts:
                    raise StoreError(f"{method} {path} failed: {error}") from error
        raise AssertionError("unreachable")
