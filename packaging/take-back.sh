#!/usr/bin/env bash
# Takes a release back: take-back.sh VERSION
# With DRY_RUN=1, it only prints the commands.
set -euo pipefail
version=${1:?"expected the version, such as 0.1.0"}
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.-]*$ ]] || {
  echo "take-back.sh: expected a version such as 0.1.0, found '$version'" >&2
  exit 2
}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Goes on if a command fails: the others are needed all the more.
failed=0
run() {
  echo "\$ $*"
  if [ -z "${DRY_RUN:-}" ]; then "$@" || failed=1; fi
}

# The command first: it is what most people install.
crates=$(cargo metadata --no-deps --format-version 1 | python3 -c '
import json, sys
names = [p["name"] for p in json.load(sys.stdin)["packages"] if p["publish"] is None]
print(*sorted(names, key=lambda name: (name != "comity-cli", name)), sep="\n")')
while IFS= read -r crate; do
  run cargo yank --version "$version" "$crate"
done <<< "$crates"

run npm deprecate "comity@$version" "taken back: use another version"
run gh release edit "v$version" --draft

major="v${version%%.*}"
before=$(git tag --list 'v[0-9]*.[0-9]*.[0-9]*' --sort=-version:refname | grep -vxF "v$version" | head -n 1 || true)
if [ -n "$before" ]; then
  run git push --force origin "$before^{commit}:refs/tags/$major"
else
  run git push --delete origin "$major"
fi

cat << END
By hand:
- PyPI has no command for it: yank $version of comity, comity-client, comity-columns and comity-cli on their pages, with the reason.
- Delete the version $version of the image on the page of the repository's packages.
- Set the formula of the tap back.
END
exit "$failed"
