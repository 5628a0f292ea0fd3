#!/bin/sh
# An agent with nothing but curl and sed: it supports whatever is proposed, until the session closes.
#
#     sh examples/curl_agent.sh http://127.0.0.1:8000 harbour TOKEN
#
# `facts` of an entry say what it made of the memory: proposal.made comes with its handle.
set -eu
[ $# -eq 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
session="${1%/}/v1/sessions/$2"
token=$3

post() {
    curl --silent --show-error --fail-with-body --oauth2-bearer "$token" --json "$2" "$session/$1"
}

post seats '{"listens": "speaks", "answer_seconds": 60}'
curl --silent --no-buffer --oauth2-bearer "$token" "$session/events?after=0" |
while read -r line; do
    case $line in
    *'"kind":"session.closed"'*) exit 0 ;;
    *'"kind":"proposal.made"'*)
        handle=$(printf '%s\n' "$line" | sed 's/.*"kind":"proposal.made","ref":"\(P[0-9]*\)".*/\1/')
        post messages "{\"content\": \"I am for it.\", \"act\": \"support\", \"re\": \"$handle\"}"
        ;;
    esac
done
