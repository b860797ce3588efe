#!/usr/bin/env bash
# Index the sample handbook and ask it one question in English and one in Traditional Chinese.
# No Ollama and no download: answers are extracted by the program itself.
set -euo pipefail

show() { printf '\n$ %s\n' "$*"; "$@"; }

show rag index
show rag ask --llm extractive "How long are nightly backups kept?"
show rag ask --llm extractive "特休假要提前幾天申請？"
printf '\nThat is all. Next: put your own documents into knowledge/, run `rag index`, then `rag ask`.\n'
