"""Budget of an annotator, enforced before each request."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Final

from corpuskit.errors import ConfigurationError

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Budget:
    """Maximum cost of one call. None: unlimited.

    Attributes:
        requests: HTTP requests, including retries. For a function: texts.
        tokens: Tokens of prompts and answers.
        money: In the currency of the annotator's prices.

    Raises:
        ConfigurationError: A limit is negative.
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
    """Prices per million tokens.

    Args:
        prompt: Price of a million prompt tokens, in your currency.
        answer: Price of a million answer tokens.
    """

    prompt: float = 0.0
    answer: float = 0.0

    def of(self, prompt: int, answer: int) -> float:
        """Return the price of a request.

        Args:
            prompt: Number of tokens of the prompt.
            answer: Number of tokens of the answer.
        """
        return (prompt * self.prompt + answer * self.answer) / MILLION


class BudgetExceededError(Exception):
    """The budget does not allow another request."""


class BudgetTracker:
    """Spent and reserved part of a budget. Safe to use from several threads.

    The maximum cost of a request is reserved before it is sent. Concurrent requests cannot overspend together.
    """

    def __init__(self, budget: Budget, price: Price) -> None:
        self._budget = budget
        self._price = price
        self._changed = threading.Condition()
        self._is_closed = False
        self._pending = 0
        self._reserved_tokens, self._reserved_money = 0, 0.0
        self.requests, self.tokens, self.money = 0, 0, 0.0

    def reserve(self, prompt: int, answer: int) -> None:
        """Reserve the maximum number of tokens of one request. Block while pending requests may release enough budget.

        Raises:
            BudgetExceededError: The budget is too small for the request, or the tracker was closed.
        """
        tokens, money = prompt + answer, self._price.of(prompt, answer)
        with self._changed:
            while not self._is_closed and not self._is_affordable(tokens, money):
                if not self._pending or self._is_out_of_requests():
                    raise BudgetExceededError
                self._changed.wait()
            if self._is_closed:
                raise BudgetExceededError
            self._pending += 1
            self.requests += 1
            self._reserved_tokens += tokens
            self._reserved_money += money

    def _is_out_of_requests(self) -> bool:
        return self._budget.requests is not None and self.requests >= self._budget.requests

    def _is_affordable(self, tokens: int, money: float) -> bool:
        budget = self._budget
        return (
            not self._is_out_of_requests()
            and (budget.tokens is None or self.tokens + self._reserved_tokens + tokens <= budget.tokens)
            and (budget.money is None or self.money + self._reserved_money + money <= budget.money)
        )

    def commit(self, prompt: int, answer: int, spent: tuple[int, int]) -> None:
        """Replace the reservation of a request by its cost: tokens of prompt and answer."""
        with self._changed:
            self._pending -= 1
            self._reserved_tokens -= prompt + answer
            self._reserved_money -= self._price.of(prompt, answer)
            self.tokens += sum(spent)
            self.money += self._price.of(*spent)
            self._changed.notify_all()

    def close(self) -> None:
        """Allow no more requests."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
