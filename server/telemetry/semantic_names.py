"""The names of OpenTelemetry's semantic conventions, those for generative AI among them.

The latter are in development: who calls them by other names changes them here.
"""

from __future__ import annotations

from typing import Final

CONVERSATION: Final = "gen_ai.conversation.id"
OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_MOST: Final = "gen_ai.request.max_tokens"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
KIND_OF_TOKENS: Final = "gen_ai.token.type"
CHAT: Final = "chat"
UPSERT_MEMORY: Final = "upsert_memory"
OPENAI: Final = "openai"  # the protocol that every endpoint is asked by
CALL_SECONDS: Final = "gen_ai.client.operation.duration"
CALL_TOKENS: Final = "gen_ai.client.token.usage"

SYSTEM: Final = "messaging.system"
DESTINATION: Final = "messaging.destination.name"
MESSAGE_ID: Final = "messaging.message.id"
BATCH: Final = "messaging.batch.message_count"
STEP: Final = "messaging.operation.name"
STEP_TYPE: Final = "messaging.operation.type"
SENT: Final = "messaging.client.sent.messages"
CONSUMED: Final = "messaging.client.consumed.messages"

SERVER_ADDRESS: Final = "server.address"
ERROR_TYPE: Final = "error.type"

EFFECT: Final = "parley.effect.id"  # no convention has a name for it
