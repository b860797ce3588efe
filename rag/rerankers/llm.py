"""Reranking by a language model, behind a guard: whatever the model does, no search fails."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rag.core.breaker import FAILURES, Breaker
from rag.core.plain import well_formed
from rag.core.prompt import messages_hash, prompt_language
from rag.core.ranking import PARSER_VERSION, parse_ranking
from rag.core.ranking_order import Batch, batches, merge_scores, rank_windows
from rag.core.ranking_prompt import build_messages, reply_schema, reply_tokens
from rag.domain.base import Value
from rag.domain.errors import ModelError, RagError
from rag.domain.models import GenerationParameters, Message, ModelIdentity, ModelRequest, Prompt
from rag.domain.ports import LanguageModel, PromptBook
from rag.domain.ranking import Ranking, RankingForm, RankingMode
from rag.domain.retrieval import Candidate
from rag.domain.trace import RerankCall, RerankTrace
from rag.rerankers._cache import RankingCache

Mode = Literal["ids", "scored", "rubric"]

# With less time left a second try would only be cut off.
_SHORTEST_RETRY = 1.0
# Failures that the same request may survive a moment later. A model that ran out of time has none
# left, and one that wrote nothing of use would, at temperature 0, write it again.
_PASSING = frozenset(("connection", "http_error", "incomplete"))


class RerankOptions(Value):
    mode: Mode = "ids"
    form: RankingForm = "array"
    """`object` where the backend enforces a schema: it is then sent along."""
    language: Literal["auto", "en", "zh-Hant"] = "auto"
    timeout: float = 15.0
    """Seconds for one call, its retry included; loading a cold model excepted."""
    batch_size: int = 5
    num_ctx: int = 8192
    """That of the chat model, so that one model serves both without being loaded again."""
    seed: int = 0
    patience: int = FAILURES
    """After how many failed calls in a row the stage is skipped for a while."""

    @property
    def reads(self) -> RankingMode:
        """How replies are read: the rubric's are ids."""
        return "scored" if self.mode == "scored" else "ids"


@dataclass
class _Run:
    """One request: what was asked and what the calls came to."""

    query: str
    candidates: Sequence[Candidate]
    prompt: Prompt
    model: LanguageModel
    identity: ModelIdentity
    calls: list[RerankCall] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    """The model's words, by position among the candidates."""


@dataclass(frozen=True)
class _Reply:
    """What one call brought: a text, or why there is none."""

    text: str | None
    failure: str | None = None
    cached: bool = False
    attempts: int = 1
    partial: str = ""


class LLMReranker:
    """Shows the candidates to a language model and takes its order, as far as it gave one."""

    def __init__(
        self,
        model: Callable[[], LanguageModel],
        prompts: PromptBook,
        options: RerankOptions | None = None,
        *,
        cache: RankingCache | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`model` is opened at the first request with two candidates or more."""
        self._model = model
        self._prompts = prompts
        self._options = options or RerankOptions()
        self._cache = cache
        self._clock = clock
        self._breaker = Breaker()
        self._counting = threading.Lock()

    def rerank(
        self, query: str, candidates: Sequence[Candidate], limit: int = 5
    ) -> tuple[tuple[Candidate, ...], RerankTrace]:
        """The `limit` best of `candidates`, and what happened. Never raises, never loses one: every
        failure is the order received."""
        started = self._clock()
        received = tuple(candidates)
        try:
            ordered, trace = self._rerank(well_formed(query), received)
        except RagError as error:
            reason = error.reason if isinstance(error, ModelError) else "no_model"
            ordered, trace = received, self._fallback(reason)
        except Exception:  # a search must not fail for whatever a model's library raises
            ordered, trace = received, self._fallback("error")
        ms = round((self._clock() - started) * 1000, 2)
        return ordered[:limit], trace.model_copy(update={"ms": ms})

    def build_prompt(self, query: str, candidates: Sequence[Candidate]) -> tuple[Message, ...]:
        """System and user message for at most a window of candidates."""
        return self._messages(query, candidates, self._prompt(query))

    def parse_ranking(self, reply: str, n: int) -> Ranking:
        """What the guard makes of `reply` to `n` candidates; see `core.ranking`."""
        return parse_ranking(reply, n, self._options.reads, self._options.form)

    # One request --------------------------------------------------------------------------------

    def _rerank(
        self, query: str, candidates: tuple[Candidate, ...]
    ) -> tuple[tuple[Candidate, ...], RerankTrace]:
        if len(candidates) < 2:
            return candidates, RerankTrace(mode=self._options.mode, form=self._options.form)
        breaker = self._breaker
        if pause := breaker.pause(self._clock()):
            skipped = self._fallback(breaker.reason or "error")
            return candidates, skipped.model_copy(
                update={"status": "skipped", "pause_seconds": round(pause, 1)}
            )
        model = self._model()
        run = _Run(query, candidates, self._prompt(query), model, model.identity)
        if self._options.mode == "scored":
            order, scores = self._by_score(run)
        else:
            order, scores = self._by_windows(run), {}
        trace = self._trace(run)
        if trace.fallback:
            return candidates, trace
        return _placed(candidates, order, scores, run.reasons), trace

    def _by_windows(self, run: _Run) -> tuple[int, ...]:
        def rank(positions: Sequence[int]) -> Sequence[int] | None:
            ranking = self._call(run, positions)
            return ranking.order if ranking.accept else None

        return rank_windows(len(run.candidates), rank)

    def _by_score(self, run: _Run) -> tuple[tuple[int, ...], dict[int, float]]:
        n = len(run.candidates)
        scored = []
        for members in batches(n, self._options.batch_size):
            ranking = self._call(run, members)
            scored.append(Batch(members, ranking if ranking.accept else None))
            for place, reason in ranking.reasons.items():
                run.reasons.setdefault(members[place], reason)
        return merge_scores(n, scored)

    def _call(self, run: _Run, positions: Sequence[int]) -> Ranking:
        """One window or batch: the model's ranking of it, refused where there is none."""
        started = self._clock()
        shown = [run.candidates[position] for position in positions]
        breaker = self._breaker
        if breaker.pause(started):
            reply = _Reply(None, breaker.reason, attempts=0)
        else:
            reply = self._reply(run, shown, started)
        ranking = self.parse_ranking(reply.text or "", len(shown))
        reason = reply.failure or ranking.reason
        run.calls.append(
            RerankCall(
                ids=tuple(candidate.chunk.chunk_id for candidate in shown),
                raw=reply.text if reply.text is not None else reply.partial or None,
                order=ranking.order,
                counts=ranking.counts.model_dump() if reply.text is not None else {},
                fallback=not ranking.accept,
                reason=reason,
                cached=reply.cached,
                ms=round((self._clock() - started) * 1000, 2),
                clean=ranking.clean and ranking.accept,
                attempts=reply.attempts,
            )
        )
        if reply.attempts:
            self._count(reason)
        return ranking

    def _count(self, failure: str | None) -> None:
        """Requests of several threads fail one after another too: none may be forgotten."""
        with self._counting:
            self._breaker = (
                self._breaker.succeeded()
                if failure is None
                else self._breaker.failed(self._clock(), failure, self._options.patience)
            )

    def _reply(self, run: _Run, shown: Sequence[Candidate], started: float) -> _Reply:
        """The text for one call, from the cache or from the model."""
        request = self._request(run, shown)
        key = self._key(run, shown, request)
        if self._cache and key and (kept := self._cache.get(key)) is not None:
            return _Reply(kept, cached=True, attempts=0)
        reply = self._ask(run.model, request, started)
        text = reply.text
        if self._cache and key and text and self.parse_ranking(text, len(shown)).accept:
            self._cache.put(key, text)
        return reply

    def _ask(self, model: LanguageModel, request: ModelRequest, started: float) -> _Reply:
        """Call the model, a second time where that may help and the time allows. Never raises."""
        attempts = 0
        while True:
            attempts += 1
            left = self._options.timeout - (self._clock() - started)
            timed = request.model_copy(update={"timeout": max(left, 0.001)})
            try:
                text = well_formed(model.complete(timed).text)
                return _Reply(text, attempts=attempts)
            except ModelError as error:
                left = self._options.timeout - (self._clock() - started)
                if attempts == 2 or error.reason not in _PASSING or left < _SHORTEST_RETRY:
                    partial = well_formed(error.partial)
                    return _Reply(None, error.reason, attempts=attempts, partial=partial)
            except Exception:  # an adapter's own fault counts like the model's
                return _Reply(None, "error", attempts=attempts)

    # Parts of a request -------------------------------------------------------------------------

    def _prompt(self, query: str) -> Prompt:
        language = prompt_language(query, self._options.language)
        return self._prompts.get(f"rerank/{self._options.mode}", language)

    def _messages(
        self, query: str, shown: Sequence[Candidate], prompt: Prompt
    ) -> tuple[Message, ...]:
        room = self._options.num_ctx - self._parameters(len(shown)).num_predict
        return build_messages(query, shown, prompt, form=self._options.form, room=room)

    def _parameters(self, n: int) -> GenerationParameters:
        return GenerationParameters(
            temperature=0.0,
            seed=self._options.seed,
            num_ctx=self._options.num_ctx,
            num_predict=reply_tokens(n, self._options.reads),
        )

    def _request(self, run: _Run, shown: Sequence[Candidate]) -> ModelRequest:
        n, options = len(shown), self._options
        return ModelRequest(
            messages=self._messages(run.query, shown, run.prompt),
            reply_schema=reply_schema(n, options.reads) if options.form == "object" else None,
            parameters=self._parameters(n),
            timeout=options.timeout,
        )

    def _key(self, run: _Run, shown: Sequence[Candidate], request: ModelRequest) -> str | None:
        """None for a model that cannot say which weights it has: it may change unnoticed."""
        if run.identity.digest is None:
            return None
        parts = [
            str(run.identity),
            run.prompt.version,
            PARSER_VERSION,
            self._options.form,
            request.parameters.model_dump(),
            run.query,
            messages_hash(request.messages),
            [
                [
                    candidate.chunk.chunk_id,
                    hashlib.sha256(candidate.chunk.text.encode()).hexdigest(),
                ]
                for candidate in shown
            ],
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    # What is told -------------------------------------------------------------------------------

    def _trace(self, run: _Run) -> RerankTrace:
        calls = run.calls
        failed = [call for call in calls if call.fallback]
        status: Literal["ok", "partial", "fallback"] = "ok"
        if failed:
            status = "fallback" if len(failed) == len(calls) else "partial"
        counts = {
            "clean": sum(call.clean for call in calls),
            "repaired": sum(not (call.clean or call.fallback) for call in calls),
            "fallback": len(failed),
        }
        for call in calls:
            for name, count in call.counts.items():
                counts[name] = counts.get(name, 0) + count
        return RerankTrace(
            mode=self._options.mode,
            form=self._options.form,
            status=status,
            model=str(run.identity),
            prompt_version=run.prompt.version,
            parameters=self._parameters(len(calls[0].ids)),
            calls=tuple(calls),
            counts=counts,
            fallback=status == "fallback",
            reason=failed[0].reason if failed else None,
            cached=all(call.cached for call in calls),
        )

    def _fallback(self, reason: str) -> RerankTrace:
        """Of a request that came to no call."""
        return RerankTrace(
            mode=self._options.mode,
            form=self._options.form,
            status="fallback",
            fallback=True,
            reason=reason,
        )


def _placed(
    candidates: Sequence[Candidate],
    order: Sequence[int],
    scores: dict[int, float],
    reasons: dict[int, str],
) -> tuple[Candidate, ...]:
    """The candidates in their new order, with their new places."""
    return tuple(
        candidates[position].model_copy(
            update={
                "ranks": candidates[position].ranks.model_copy(update={"reranked": place}),
                "relevance": scores.get(position),
                "reason": reasons.get(position),
            }
        )
        for place, position in enumerate(order, start=1)
    )
