#!/usr/bin/env bash
# Makes the golden session of this fold version: make.sh FOLD, with PARLEY_DATA set to an empty
# folder, and `parley` on the PATH. It leaves fold-FOLD.json, the session's file, and
# memory-FOLD.json, the canonical bytes of its memory.
set -euo pipefail
cd "$(dirname "$0")"
version="$1"

parley worker &
worker=$!
trap 'kill "$worker"; wait "$worker" || true' EXIT

say() { # who, what, options
    parley say golden "$2" --as "$1" "${@:3}" >/dev/null
}

parley session new golden --title "Where tea is kept" --summary-interval 6
say ana "I propose we keep the tea in the kitchen."
say bo "I support P1."
say cy "I oppose P1 because the kitchen is damp."
say cy "I propose we store it in tins instead."
say ana "I agree with P2."
say bo "+1"
say dee "The tins are on the top shelf."
parley vote call golden "Tins?" --proposal P2 --as ana >/dev/null
for voter in ana bo cy dee; do
    parley vote cast golden V1 accept --as "$voter" >/dev/null
done
say bo "We have decided to label every tin."
say dee "I propose we buy no more bags."
say ana "I support P3."
say dee $'## Plan for the shelf\n\n1. Measure the shelf\n2. Order twelve tins from the shop\n\nWho knows the shop?'
say ana "@dee I will order them by Friday."
say cy "[WITHDRAW P1]"
say ana "Let us stop here."
sleep 5 # the worker writes what is due
parley session close golden --reason done
sleep 2
parley session export golden -o "fold-$version.json"
parley memory golden --json >"memory-$version.json"
