#!/bin/sh
# Makes the passwords of compose.yaml that are not there yet, in deploy/secrets (or the folder
# named). The folder is its owner's alone; the files in it can be read, since a container reads
# them as a user of its own.
set -eu
umask 077

folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
chmod 700 "$folder"
for name in redis_reader redis_publisher redis_worker redis_gateway redis_operator grafana_admin; do
    if [ ! -s "$folder/$name" ]; then
        od -An -N 32 -t x1 /dev/urandom | tr -d ' \n' >"$folder/$name"
        chmod 444 "$folder/$name"
    fi
done
