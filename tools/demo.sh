#!/usr/bin/env bash
# Index the sample handbook and ask it one question in English and one in Traditional Chinese.
# No Ollama and no download: answers are extracted by the program itself.
set -euo pipefail

ask() {
    printf '\n$ rag ask --llm extractive "%s"\n' "$1"
    rag ask --llm extractive "$1"
}

printf '\n$ rag index\n'
rag index
ask "What does the code QS-AUTH-1007 mean?"
ask "特休最多可以遞延幾日？"
printf '\nThat is all. Next: put your own documents into knowledge/, run `rag index`, then `rag ask`.\n'
