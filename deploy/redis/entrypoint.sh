#!/bin/sh
# Repairs a torn append-only file, then starts Redis in its place.
#
# After a crash the file may end inside a transaction. Redis cuts it after the
# last whole command, which leaves the transaction open; what is written next
# lands inside it, and the second restart replays something else than was
# acknowledged. redis-check-aof cuts before the transaction. It is given the
# manifest, never the incremental file, which it would take for a whole one.
set -eu

data=${REDIS_DATA:-/data}
config=${REDIS_CONFIG:-/etc/parley/redis.conf}
manifest=$data/appendonlydir/appendonly.aof.manifest

if [ -s "$manifest" ]; then
    yes | redis-check-aof --fix "$manifest"
elif [ -s "$data/appendonly.aof" ]; then # written by a Redis before 7
    yes | redis-check-aof --fix "$data/appendonly.aof"
fi

# The password goes through a file of this user's own: arguments show in `ps`.
# redis-cli reads REDISCLI_AUTH by itself, which serves the health check.
if [ -n "${REDISCLI_AUTH:-}" ]; then
    secret=$(umask 077 && mktemp)
    printf 'requirepass "%s"\n' "$REDISCLI_AUTH" >"$secret"
    set -- --include "$secret" "$@"
fi

exec redis-server "$config" --dir "$data" "$@"
