"""Every library's reports home, switched off. Nothing here asks for leave to switch them on."""

import os

# Read by the libraries when they are imported or first used, hence set before.
_OFF = {
    # LangSmith: langchain posts whole runs, prompts included, when one of these says "true".
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_TRACING_V2": "false",
    "LANGCHAIN_TRACING": "false",
    "LANGCHAIN_TRACING_V2": "false",
    "ANONYMIZED_TELEMETRY": "False",  # Chroma
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime; it also leaves files in the home folder
}


def silence() -> None:
    """Sets the environment of this process so that no library reports home.

    To be called before any backend is imported. What the surrounding shell has set is overruled:
    a variable left over from another project must not send a team's documents away.
    """
    os.environ.update(_OFF)
