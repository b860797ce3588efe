"""How `rag.llms.ollama` talks to the server: time limits, its state, its failures."""
