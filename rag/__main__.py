"""`python -m rag` is `rag`."""

from rag.cli import main

main()
