#!/bin/sh
# Whether Redis answers the user `reader`; over TLS where REDIS_TLS_CA names an authority.
set -eu

REDISCLI_AUTH=$(head -n 1 "${REDIS_SECRETS:-/run/secrets}/redis_reader")
export REDISCLI_AUTH
if [ -n "${REDIS_TLS_CA:-}" ]; then
    set -- --tls --cacert "$REDIS_TLS_CA" "$@"
fi
exec redis-cli --user reader -e "$@" ping
