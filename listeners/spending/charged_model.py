"""A model that an account pays for."""

from __future__ import annotations

from parley.listeners.models.model_port import Completion, Model, ModelError, OverBudget, Prompt
from parley.listeners.spending.accounts import PARLEY, Account, charge_of, outcome_of


class ChargedModel:
    """`model`, asked only once `account` holds what the call may cost, on behalf of `participant`.

    `call` names what the calls are for, one after the other. A cancelled call
    stays reserved: whoever does the same again takes it up.
    """

    def __init__(
        self, model: Model, account: Account, call: str, participant: str = PARLEY
    ) -> None:
        self._model, self._account = model, account
        self._call, self._participant = call, participant

    async def complete(self, prompt: Prompt) -> Completion:
        """The answer; raises `ModelError`, `OverBudget` where nobody was asked."""
        estimate = charge_of(prompt, self._call, self._participant, self._account.prices)
        charge = await self._account.reserve(estimate)
        if charge is None:
            raise OverBudget(f"the account of {self._participant!r} has no room for this call")
        try:
            answer = await self._model.complete(prompt)
        except ModelError as error:
            completion, outcome = outcome_of(error)
            await self._account.settle(charge, completion, outcome)
            raise
        await self._account.settle(charge, answer)
        return answer
