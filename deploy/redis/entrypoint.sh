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

# Each user of users.acl gets the password that its secret holds, as a hash; one without a
# secret cannot log in. Arguments show in `ps`, so all of it goes through a private file.
secrets=${REDIS_SECRETS:-/run/secrets}
users=$(umask 077 && mktemp)
with_password=0
while read -r line; do
    name=${line#user }
    secret=$secrets/redis_${name%% *}
    if [ -s "$secret" ]; then
        hash=$(head -n 1 "$secret" | tr -d '\r\n' | sha256sum)
        line="$line #${hash%% *}"
        with_password=$((with_password + 1))
    fi
    printf '%s\n' "$line" >>"$users"
done <"${REDIS_USERS:-/etc/parley/users.acl}"
if [ "$with_password" = 0 ]; then
    echo "no user has a password: put secrets such as redis_worker into $secrets" >&2
    exit 1
fi

exec redis-server "$config" --dir "$data" --aclfile "$users" "$@"
