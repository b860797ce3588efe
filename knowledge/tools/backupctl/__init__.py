"""backupctl: lists, checks, prunes and restores the database snapshots of Quayside."""

__version__ = "2.4.1"
