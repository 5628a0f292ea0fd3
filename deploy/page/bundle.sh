#!/bin/sh
# Bundles the page's Markdown parser into server/page/vendor from the exact versions of package.json.
# Needs npm. tests/page/test_vendor.py has the sums: a newer version needs new ones.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vendor="$here/../../server/page/vendor"
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cp "$here/package.json" "$here/micromark.js" "$build"
cd "$build"
npm install --ignore-scripts --no-audit --no-fund --no-package-lock --silent
# "worker": the decoder of entities that has a table, not the one that asks innerHTML.
npx --no-install esbuild micromark.js --bundle --minify --format=esm --platform=neutral \
    --conditions=worker --legal-comments=none --log-level=warning \
    --outfile=micromark.min.js
cp micromark.min.js "$vendor/micromark.min.js"
{ cat node_modules/micromark/license; echo; cat node_modules/character-entities/license; } >"$vendor/LICENSE-micromark.txt"
sha256sum "$vendor/micromark.min.js" "$vendor/LICENSE-micromark.txt"
