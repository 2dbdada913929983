"""A language model that plays: :class:`ChatAgent`, and what its answers were like, :class:`Tally`."""

import random
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from msgspec import Meta

from agents.agent import Agent
from agents.chat.client import ChatClient, Reply
from agents.chat.exchanges import Exchanges
from agents.options import Amount, Count
from uno_env.core.arrays import Array, Bytes, Ints
from uno_env.history import EVENT_SIZE
from uno_env.observation import integer_form, rules_of
from uno_env.player import PlayerError
from uno_env.rules import Rules
from uno_env.text import EVENTS, prompt, read_answer, rules_text

KIND = "chat"
_CHARACTERS = 4
"""Characters of a token, about, for a server that does not report tokens, or too few."""
_LONGEST_REASON = 600


@dataclass(frozen=True)
class ChatOptions:
    """Options of ``chat:ADDRESS``."""

    model: str
    """The model's name, as the server knows it."""
    key: str = "UNO_CHAT_KEY"
    """The environment variable that holds the key."""
    temperature: Annotated[float, Meta(ge=0, le=10)] | None = None
    max_tokens: Count = 1024
    """Tokens of one answer."""
    rethinks: Annotated[int, Meta(ge=0, le=20)] = 2
    """The times that it may answer again at one decision, before a legal move is drawn for it."""
    timeout: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    retries: Annotated[int, Meta(ge=0, le=20)] = 4
    concurrency: Annotated[int, Meta(ge=1, le=256)] = 4
    """Requests at a time."""
    tokens: Annotated[int, Meta(ge=1, le=10**12)] = 1_000_000
    """Budget of a run, in tokens."""
    cost: Amount | None = None
    """Budget of a run in money, by the two prices."""
    price_in: Amount = 0.0
    """Price of a million tokens that are sent."""
    price_out: Amount = 0.0
    save: str | None = None
    """File of the exchanges."""


@dataclass
class Tally:
    """Counts of the questions and answers of one spec's agents in this process."""

    decisions: int = 0
    """Decisions that it was asked for; where one move alone is legal, it is not asked."""
    rethinks: int = 0
    illegal: int = 0
    """Answers that named a move which may not be done."""
    unclear: int = 0
    """Answers without a move, or with more than one."""
    by_chance: int = 0
    """Decisions at which no answer was legal, so that a legal move was drawn."""
    resumed: int = 0
    """Answers that were saved before, and not asked for again."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0

    def sentence(self, spec: str) -> str:
        """The tally in a line."""
        of = f"{self.decisions:,} decisions" if self.decisions != 1 else "1 decision"
        share = 100 / max(self.decisions, 1)
        counts = (("rethinks", self.rethinks), ("illegal", self.illegal), ("unclear", self.unclear),
                  ("drawn by chance", self.by_chance))  # fmt: skip
        told = ", ".join(f"{name} {count:,} ({count * share:.1f} %)" for name, count in counts)
        spent = f"{self.tokens_in:,} tokens sent, {self.tokens_out:,} received, cost {self.cost:.4f}"
        return f"{spec}: {of}; {told}; {spent}; {self.resumed:,} answers were saved before."


TALLIES: dict[str, Tally] = {}
"""By spec, the tallies of this process."""


def report() -> dict[str, Any]:
    """The tallies of this process as plain values."""
    return {spec: asdict(tally) for spec, tally in TALLIES.items()}


class ChatAgent(Agent):
    """A model behind an address, by its spec and the spec's options. It is asked in words (:mod:`uno_env.text`), and
    only where it has a choice. ``seed`` is that of the moves that are drawn where no answer is legal. Raises ValueError
    if an argument is not allowed.
    """

    history = EVENTS
    is_remote = True

    def __init__(self, name: str, address: str, options: ChatOptions, seed: int = 0) -> None:
        self._client = ChatClient(address, options.key, options.timeout, options.retries)
        self._options, self._lock, self._reserved = options, threading.Lock(), 0
        words = re.sub(r"[^\w.]+", "-", f"{address.partition('//')[2]}-{options.model}")[:100]
        self._exchanges = Exchanges.of(Path(options.save or f"runs/chat/{words}.jsonl"))
        self.reasons: list[str] = []
        """The model's texts at its decisions, the newest last. The caller that shows them empties the list."""
        super().__init__(name, seed)

    def reset(self, seed: int) -> None:
        super().reset(seed)
        self._seed = seed

    def _choose(self, rows: Array, masks: Bytes) -> Ints:
        chosen = masks.argmax(axis=1).astype(np.int64)
        asked = np.flatnonzero(masks.sum(axis=1) > 1).tolist()
        questions = [question(rows[index], masks[index]) for index in asked]
        saved = self._files(lambda: [self._exchanges.take(self._request(question)) for question in questions])

        def ask(number: int) -> None:
            index = asked[number]
            legal, rules = np.flatnonzero(masks[index]).tolist(), rules_told(rows[index])
            chosen[index] = self._ask(questions[number], legal, rules, saved[number])

        in_parallel(ask, len(asked), self._options.concurrency)
        return chosen

    def _ask(self, messages: list[dict[str, str]], legal: Sequence[int], rules: Rules, saved: Reply | None) -> int:
        tally = TALLIES.setdefault(self.name, Tally())
        for attempt in range(self._options.rethinks + 1):
            request = self._request(messages)
            if attempt:
                saved = self._files(partial(self._exchanges.take, request))
            reply = self._reply(request) if saved is None else saved
            answer = read_answer(reply.text, legal, rules)
            with self._lock:
                self._count(tally, request, reply)
                tally.decisions += attempt == 0
                tally.rethinks += attempt > 0
                tally.resumed += saved is not None
                tally.illegal += answer.illegal
                tally.unclear += answer.action is None and not answer.illegal
            if saved is None:
                read = answer.problem if answer.action is None else str(answer.action)
                self._files(partial(self._exchanges.add, request, reply, read))
            if answer.action is not None:
                self.reasons = [*self.reasons[-99:], reply.text.strip()[-_LONGEST_REASON:]]
                return answer.action
            told = ({"role": "assistant", "content": reply.text}, {"role": "user", "content": answer.problem})
            messages = [*messages, *told]
        with self._lock:
            tally.by_chance += 1
        return random.Random(f"{self._seed} {messages[1]}").choice(list(legal))

    def _request(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        options = self._options
        more = {} if options.temperature is None else {"temperature": options.temperature}
        return {"model": options.model, "messages": list(messages), "max_tokens": options.max_tokens, **more}

    def _reply(self, request: dict[str, Any]) -> Reply:
        """Ask the server and return its answer. Raises PlayerError if there is none, or the budget is spent."""
        options, tally = self._options, TALLIES[self.name]
        most = tokens_of(request["messages"]) + options.max_tokens
        with self._lock:
            spent = tally.tokens_in + tally.tokens_out
            money = tally.cost + (self._reserved + most) * max(options.price_in, options.price_out) / 1e6
            if spent + self._reserved + most > options.tokens:
                raise PlayerError(f"the budget tokens={options.tokens} is spent: {spent:,} were used. {self._go_on()}")
            if options.cost is not None and money > options.cost:
                raise PlayerError(f"the budget cost={options.cost:g} is spent: {tally.cost:.4f} was. {self._go_on()}")
            self._reserved += most
        try:
            return self._client.ask(request)
        finally:
            with self._lock:
                self._reserved -= most

    def _count(self, tally: Tally, request: dict[str, Any], reply: Reply) -> None:
        sent, received = (
            max(reply.tokens_in, tokens_of(request["messages"])),
            max(reply.tokens_out, len(reply.text) // _CHARACTERS),
        )
        tally.tokens_in += sent
        tally.tokens_out += received
        tally.cost += (sent * self._options.price_in + received * self._options.price_out) / 1e6

    def _go_on(self) -> str:
        return f"The answers are in {str(self._exchanges.file)!r}: the same command with a larger budget goes on"

    def _files(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (OSError, ValueError) as error:
            raise PlayerError(
                f"the exchanges of {self.name!r} cannot be kept in {str(self._exchanges.file)!r}: {error}"
            ) from None


def question(row: Array, mask: Bytes) -> list[dict[str, str]]:
    """The messages that ask for a decision: an observation with the last events behind it, and the legal actions."""
    observation, history = _parts(row)
    return [
        {"role": "system", "content": rules_text(rules_told(row))},
        {"role": "user", "content": prompt(observation, mask, history)},
    ]


def rules_told(row: Array) -> Rules:
    """The rules that an observation with the last events behind it tells."""
    return rules_of(_parts(row)[0])


def _parts(row: Array) -> tuple[Bytes, Bytes]:
    """The observation in integer form, and the last events, that stand in a row."""
    columns = len(row) - EVENTS * EVENT_SIZE
    return integer_form(row[:columns]), row[columns:].reshape(EVENTS, EVENT_SIZE).astype(np.uint8)


def tokens_of(messages: Sequence[dict[str, str]]) -> int:
    """Tokens of messages, about."""
    return sum(len(message["content"]) for message in messages) // _CHARACTERS


def in_parallel(work: Callable[[int], object], number: int, workers: int) -> None:
    """Do ``work(0)`` to ``work(number - 1)`` on threads. The first error ends it.

    After an interrupt nothing more is begun; what is being asked then is still saved if the process lives on.
    """
    left, errors, lock = iter(range(number)), list[BaseException](), threading.Lock()

    def run() -> None:
        while not errors:
            with lock:
                index = next(left, None)
            if index is None:
                return
            try:
                work(index)
            except BaseException as error:
                errors.append(error)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(min(workers, number))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        errors.append(KeyboardInterrupt())
        raise
    if errors:
        raise errors[0]
