#!/usr/bin/env bash
# Prints the text of a release, which is its section of the changelog: notes.sh VERSION REPOSITORY < CHANGELOG.md
# REPOSITORY is its address. Links to files lead to those of the release, since it is read on another page.
set -euo pipefail
version=$1 repository=$2
section=$(awk -v heading="## $version" '
  /^## / { is_in = $0 == heading || index($0, heading " ") == 1; next }
  is_in' | sed -E "s#\]\(([^):]+\.md)#](${repository}/blob/v${version}/\1#g")
if [ -z "$section" ]; then
  echo "notes.sh: CHANGELOG.md has no section of $version" >&2
  exit 1
fi
echo "$section"
