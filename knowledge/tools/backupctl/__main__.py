"""Where the program starts: `python -m backupctl`."""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

from backupctl.client import SnapshotClient, StoreError
from backupctl.config import ConfigError, load_config
from backupctl.retention import select_expired

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_REFUSED = 3


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="backupctl", description=__doc__)
    parser.add_argument("--config", type=Path, default=Path("/etc/backupctl.toml"))
    commands = parser.add_subparsers(dest="command", required=True)

    show = commands.add_parser("list", help="newest snapshots first")
    show.add_argument("--env", default="production")
    show.add_argument("--last", type=int, default=20)

    verify = commands.add_parser("verify", help="compare the checksum of one snapshot")
    verify.add_argument("snapshot_id")

    prune = commands.add_parser("prune", help="delete snapshots that the policy no longer keeps")
    prune.add_argument("--env", default="production")
    prune.add_argument("--dry-run", action="store_true")
    prune.add_argument("--confirm", action="store_true")

    restore = commands.add_parser("restore", help="restore into a fresh instance")
    restore.add_argument("snapshot_id")
    restore.add_argument("--target", required=True)
    restore.add_argument("--until", help="replay the log up to this time (RFC 3339)")

    replay = commands.add_parser("replay-erasures", help="erase again what a restore brought back")
    replay.add_argument("--since", required=True)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Runs one command. Returns the exit code: 0 done, 1 failed, 3 refused for safety."""
    args = build_parser().parse_args(argv)
    try:
        config = load_config(args.config)
        client = SnapshotClient(config.store_url, config.token, timeout=config.timeout_seconds)
        if args.command == "list":
            for snapshot in client.list_snapshots(args.env)[: args.last]:
                print(snapshot.id, snapshot.taken_at.isoformat(), snapshot.kind)
        elif args.command == "verify":
            return EXIT_OK if client.verify(args.snapshot_id) else EXIT_FAILED
        elif args.command == "prune":
            policy = config.policies[args.env]
            expired = select_expired(
                client.list_snapshots(args.env), policy, now=datetime.now(UTC)
            )
            for snapshot in expired:
                print("expired", snapshot.id)
            if args.dry_run or not args.confirm:
                return EXIT_OK
            for snapshot in expired:
                client.delete(snapshot.id)
        elif args.command == "restore":
            if args.target.startswith("prod-"):
                print("refused: the target is a production database", file=sys.stderr)
                return EXIT_REFUSED
            client.restore(args.snapshot_id, args.target, until=args.until)
        elif args.command == "replay-erasures":
            print(client.replay_erasures(args.since), "erasures replayed")
    except (ConfigError, StoreError) as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_FAILED
    return EXIT_OK


if __name__ == "__main__":
    raise SystemExit(main())
