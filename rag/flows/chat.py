"""A conversation: questions one after another, the earlier ones only there to be understood by."""

from collections.abc import Callable, Sequence
from typing import Protocol

from rag.core.followup import search_query
from rag.domain.answer import Answer
from rag.domain.models import Turn


class AskInContext(Protocol):
    """Answers one question, given earlier turns and what to search for."""

    def __call__(
        self, question: str, *, history: Sequence[Turn], search_query: str | None
    ) -> Answer: ...


class Conversation:
    """Keeps the latest turns. What was said never becomes a source; markers end with their turn."""

    def __init__(self, ask: AskInContext, *, max_turns: int = 6) -> None:
        self._ask = ask
        self._max_turns = max_turns
        self._turns: list[Turn] = []
        self.last: Answer | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(self._turns)

    def ask(self, question: str, on_search: Callable[[str], None] = lambda query: None) -> Answer:
        """The answer to `question` in this conversation. `on_search` hears the search query when
        it is not the question itself. A failure leaves the conversation as it was."""
        query = search_query(question, self._turns)
        if query != question:
            on_search(query)
        answer = self._ask(
            question, history=self.turns, search_query=query if query != question else None
        )
        self.last = answer
        self._turns = [*self._turns, Turn(question=question, answer=answer.answer or "")][
            -self._max_turns :
        ]
        return answer

    def forget(self) -> None:
        """Begin anew."""
        self._turns = []
        self.last = None
