#!/usr/bin/env bash
# Fetches the comity command of a release, checks its checksum, and prints the path of the command.
#
#   VERSION    the version, such as 0.1.0
#   CHECKSUM   the SHA-256 of this platform's archive; the file SHA256SUMS of the release has it if this is empty
#   MIRROR     the folder of all releases: an address, of which each release is a subfolder `vVERSION`
#   REPOSITORY the repository that attests the releases, as OWNER/NAME; empty if the action is a copy in a folder
#   CACHE      the folder in which archives are kept
#   FOLDER     the folder that the command is unpacked into
#   PLATFORM   the system and the architecture, as `uname` names them
#
# An archive is unpacked only if its checksum is right, also if it was kept. Without CHECKSUM, the release itself states
# it, so it is not fetched over http:, and never read from the cache. If `gh` is there, it also verifies that a workflow of
# REPOSITORY made the archive. If anything fails, nothing is installed.
set -euo pipefail

fail() {
  echo "::error title=comity is not installed::$1" >&2
  exit 2
}

[[ "$VERSION" =~ ^[0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.-]*$ ]] ||
  fail "version: expected a version such as 0.1.0, found '$VERSION'; 'build: true' builds the command instead"
CHECKSUM=$(tr A-F a-f <<< "$CHECKSUM")
[[ "$CHECKSUM" =~ ^([0-9a-f]{64})?$ ]] || fail "checksum: expected the 64 hexadecimal digits of a SHA-256, found '$CHECKSUM'"

# Whoever can change an answer can change the archive and its checksum alike.
if [ -z "$CHECKSUM" ] && [[ "$MIRROR" != https://* && "$MIRROR" != file://* ]]; then
  fail "mirror: expected an https: address, found '$MIRROR'; set 'checksum' to the SHA-256 of the archive to use it"
fi

case "${PLATFORM:-$(uname -s) $(uname -m)}" in
  "Linux x86_64") target=x86_64-unknown-linux-gnu program=comity ;;
  "Linux aarch64") target=aarch64-unknown-linux-gnu program=comity ;;
  "Darwin arm64") target=aarch64-apple-darwin program=comity ;;
  "Darwin x86_64") target=x86_64-apple-darwin program=comity ;;
  MINGW*" x86_64" | MSYS*" x86_64") target=x86_64-pc-windows-msvc program=comity.exe ;;
  *)
    fail "no release is made for ${PLATFORM:-$(uname -s) $(uname -m)}, only for Linux and macOS (x86_64, arm64) and \
Windows (x86_64); 'build: true' builds the command, which takes minutes and needs Rust"
    ;;
esac
name="comity-$VERSION-$target"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() {
  curl --fail --silent --show-error --location --proto '=https,http,file' --proto-redir '=https' --retry 3 \
    --connect-timeout 10 --max-time 120 --output "$2" "$MIRROR/v$VERSION/$1" ||
    fail "$MIRROR/v$VERSION/$1 could not be fetched; check the version, or set 'build: true'"
}

sha256() {
  if command -v sha256sum > /dev/null; then sha256sum < "$1"; else shasum -a 256 < "$1"; fi | cut -d ' ' -f 1
}

kept="$CACHE/comity-$VERSION/$name.tar.gz"
expected=$CHECKSUM
if [ -z "$expected" ]; then
  # Not from the cache: what can change an archive there can change its checksum beside it.
  fetch SHA256SUMS "$work/SHA256SUMS"
  expected=$(while read -r sum file; do if [ "$file" = "$name.tar.gz" ]; then echo "$sum"; fi; done < "$work/SHA256SUMS")
  [[ "$expected" =~ ^[0-9a-f]{64}$ ]] || fail "SHA256SUMS of version $VERSION has no checksum of $name.tar.gz"
fi

# A copy, which nobody else changes after it was checked. A kept archive that is not the expected one is fetched again.
archive="$work/$name.tar.gz"
is_kept=false
if [ -f "$kept" ] && cp "$kept" "$archive" && [ "$(sha256 "$archive")" = "$expected" ]; then
  is_kept=true
else
  fetch "$name.tar.gz" "$archive"
  found=$(sha256 "$archive")
  [ "$found" = "$expected" ] || fail "$name.tar.gz: expected the SHA-256 $expected, found $found; it is not unpacked"
fi

# A given checksum names one archive, so it is enough, also for releases that no attestation is made for.
if [ -z "$CHECKSUM" ] && [ -n "${REPOSITORY:-}" ] && gh attestation verify --help > /dev/null 2>&1; then
  gh attestation verify "$archive" --repo "$REPOSITORY" >&2 ||
    fail "$name.tar.gz: expected an attestation of $REPOSITORY, but gh could not verify one; without it, set 'checksum' \
to the SHA-256 of the archive"
fi

# Without a place for it, the archive is fetched each time.
if ! $is_kept && mkdir -p "${kept%/*}" 2> /dev/null && cp "$archive" "$kept.new" 2> /dev/null; then
  mv "$kept.new" "$kept"
fi

tar -xzf "$archive" -C "$work" || fail "$name.tar.gz could not be unpacked"
[ -x "$work/$name/$program" ] || fail "$name.tar.gz has no $program"
# Renamed in its folder, so that half of it is never there.
if ! mkdir -p "$FOLDER" || ! mv -f "$work/$name/$program" "$FOLDER/.$program" ||
  ! mv -f "$FOLDER/.$program" "$FOLDER/$program"; then
  rm -f "$FOLDER/.$program" || true
  fail "$FOLDER could not be written"
fi
echo "$FOLDER/$program"
