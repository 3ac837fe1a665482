#!/usr/bin/env bash
# Prints the formula of Homebrew for a release: formula.sh VERSION ADDRESS < SHA256SUMS
# ADDRESS is the folder of the archives. The formula belongs into a tap: a repository named homebrew-tap.
set -euo pipefail
version=$1 address=$2
sums=$(cat)

sum() {
  local line
  line=$(grep "  comity-$version-$1.tar.gz\$" <<< "$sums") || {
    echo "formula.sh: SHA256SUMS has no comity-$version-$1.tar.gz" >&2
    exit 1
  }
  echo "${line%% *}"
}

mac_arm=$(sum aarch64-apple-darwin)
mac_intel=$(sum x86_64-apple-darwin)
linux_arm=$(sum aarch64-unknown-linux-gnu)
linux_intel=$(sum x86_64-unknown-linux-gnu)

cat <<FORMULA
class Comity < Formula
  desc "May this crawler fetch this URL, and exactly why? A robots.txt engine"
  homepage "${address%/releases/download/*}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "$address/comity-$version-aarch64-apple-darwin.tar.gz"
      sha256 "$mac_arm"
    end
    on_intel do
      url "$address/comity-$version-x86_64-apple-darwin.tar.gz"
      sha256 "$mac_intel"
    end
  end
  on_linux do
    on_arm do
      url "$address/comity-$version-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "$linux_arm"
    end
    on_intel do
      url "$address/comity-$version-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "$linux_intel"
    end
  end

  def install
    bin.install "comity"
    man1.install Dir["man1/*.1"]
    bash_completion.install "completions/comity.bash" => "comity"
    fish_completion.install "completions/comity.fish"
    zsh_completion.install "completions/_comity"
  end

  test do
    (testpath/"robots.txt").write("User-agent: *\nDisallow: /private/\n")
    assert_match "Disallow: /private/",
      shell_output("#{bin}/comity check --robots robots.txt --agent a /private/b", 1)
  end
end
FORMULA
