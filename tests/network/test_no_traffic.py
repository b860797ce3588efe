"""Indexing and asking touch no address outside this machine, whatever the environment asks for."""

import json
import os
import subprocess
import sys
from pathlib import Path

# Python reports every connection and name look-up to audit hooks, from any library. In a child,
# so that the hook is there before the first import and ends with it.
WATCHED = """
import json, sys
seen = []
def watch(event, arguments):
    if event == "socket.connect":
        seen.append(str(arguments[1]))
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"):
        seen.append(str(arguments[0]))
sys.addaudithook(watch)
from rag.cli import run
codes = [run(arguments) for arguments in json.loads(sys.argv[1])]
with open(sys.argv[2], "w") as file:
    json.dump({"codes": codes, "seen": seen}, file)
"""
PAGE = """<html><head><link rel="stylesheet" href="http://169.254.169.254/style.css">
<script src="https://tracker.invalid/x.js"></script></head><body><h1>Badges</h1>
<p>Badge X1 expires in 90 days.</p><img src="http://169.254.169.254/x.png">
<svg><image href="http://169.254.169.254/y"/></svg><iframe src="http://10.0.0.1/"></iframe></body>"""
MARKDOWN = (
    "# Rooms\n\nRoom B2 seats 12. ![x](http://169.254.169.254/z.png)\n\n{% include http://x %}\n"
)


def test_no_command_looks_for_an_address_outside_this_machine(tmp_path: Path) -> None:
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "page.html").write_text(PAGE)
    (tmp_path / "knowledge" / "rooms.md").write_text(MARKDOWN)
    root = ["-C", str(tmp_path)]
    commands = [
        [*root, "index"],
        [*root, "search", "When does badge X1 expire?"],
        [*root, "ask", "When does badge X1 expire?"],
        [*root, "ask", "--llm", "extractive", "B2 有幾個座位？"],
        [*root, "trace", "list"],
        [*root, "doctor"],
    ]
    report = tmp_path / "report.json"
    environment = {
        **os.environ,
        # A closed port: `auto` may ask this machine for Ollama, and nothing else.
        "OLLAMA_HOST": "http://127.0.0.1:9",
        "LANGSMITH_TRACING": "true",
        "LANGCHAIN_TRACING_V2": "true",
        "LANGSMITH_API_KEY": "x",
        "ANONYMIZED_TELEMETRY": "True",
    }
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, json.dumps(commands), str(report)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(report.read_text())
    assert told["codes"] == [0] * len(commands), done.stdout + done.stderr
    outside = [
        address for address in told["seen"] if "127.0.0.1" not in address and "::1" not in address
    ]
    assert outside == []
