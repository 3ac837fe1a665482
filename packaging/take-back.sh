#!/usr/bin/env bash
# Takes a release back: take-back.sh VERSION
# With DRY_RUN=1, it only prints the commands. Otherwise, log in first: cargo login, npm login, gh auth login.
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

# Prints the crates with the version of the release (`shared`), or those that have a version of their own (`own`). The
# command is first: it is what most people install.
crates() {
  cargo metadata --no-deps --format-version 1 | python3 -c '
import json, sys
packages = {p["name"]: p["version"] for p in json.load(sys.stdin)["packages"] if p["publish"] is None}
names = sorted(packages, key=lambda name: (name != "comity-cli", name))
is_shared = sys.argv[1] == "shared"
print(*(name for name in names if (packages[name] == packages["comity-cli"]) == is_shared), sep="\n")' "$1"
}
shared=$(crates shared)
own=$(crates own)
while IFS= read -r crate; do
  run cargo yank --version "$version" "$crate"
done <<< "$shared"

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
for crate in $own; do
  echo "- Yank $crate: cargo yank --version OWN $crate; 'git show v$version:crates/$crate/Cargo.toml' has the version OWN."
done
exit "$failed"
