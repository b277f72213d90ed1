"""What an annotator may cost, kept to the request."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final

from corpuskit.errors import ConfigurationError

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """What one call may cost at most; None is no limit.

    Attributes:
        requests: HTTP requests, those that failed and were sent again among them; of a function, texts.
        tokens: of prompts and answers.
        money: in the currency of the annotator's prices.

    Raises:
        ConfigurationError: a limit is negative.
    """

    requests: int | None = None
    tokens: int | None = None
    money: float | None = None

    def __post_init__(self) -> None:
        for name in ("requests", "tokens", "money"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ConfigurationError(f"budget: {name}={value!r}, expected a number from 0 on, or None")


@dataclass(frozen=True, slots=True)
class Price:
    """What a million tokens cost.

    Args:
        prompt: Of a million tokens of prompts, in your currency.
        answer: Of a million tokens of answers.
    """

    prompt: float = 0.0
    answer: float = 0.0

    def of(self, prompt: int, answer: int) -> float:
        """Return the price of some tokens.

        Args:
            prompt: Number of tokens of the prompt.
            answer: Number of tokens of the answer.
        """
        return (prompt * self.prompt + answer * self.answer) / MILLION


class BudgetSpentError(Exception):
    """Nothing more may be asked."""


class Purse:
    """Counts what is spent; safe to use from several threads.

    Before a request is sent, the most that it can cost is set aside; so requests under way cannot overspend together.
    """

    def __init__(self, budget: Budget, price: Price) -> None:
        self._budget = budget
        self._price = price
        self._changed = threading.Condition()
        self._is_closed = False
        self._under_way = 0
        self._held_tokens, self._held_money = 0, 0.0
        self.requests, self.tokens, self.money = 0, 0, 0.0

    def reserve(self, prompt: int, answer: int) -> None:
        """Sets a request with at most so many tokens aside; waits while requests under way may leave room for it.

        Raises:
            BudgetSpentError: there is no room, or the purse was closed.
        """
        tokens, money = prompt + answer, self._price.of(prompt, answer)
        with self._changed:
            while not self._is_closed and not self._has_room(tokens, money):
                if not self._under_way or self._is_out_of_requests():
                    raise BudgetSpentError
                self._changed.wait()
            if self._is_closed:
                raise BudgetSpentError
            self._under_way += 1
            self.requests += 1
            self._held_tokens += tokens
            self._held_money += money

    def _is_out_of_requests(self) -> bool:
        return self._budget.requests is not None and self.requests >= self._budget.requests

    def _has_room(self, tokens: int, money: float) -> bool:
        budget = self._budget
        return (
            not self._is_out_of_requests()
            and (budget.tokens is None or self.tokens + self._held_tokens + tokens <= budget.tokens)
            and (budget.money is None or self.money + self._held_money + money <= budget.money)
        )

    def settle(self, prompt: int, answer: int, spent: tuple[int, int]) -> None:
        """What was set aside becomes what was spent: tokens of the prompt and of the answer."""
        with self._changed:
            self._under_way -= 1
            self._held_tokens -= prompt + answer
            self._held_money -= self._price.of(prompt, answer)
            self.tokens += sum(spent)
            self.money += self._price.of(*spent)
            self._changed.notify_all()

    def close(self) -> None:
        """Nothing more may be asked."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
