#!/bin/sh
# Installs understudy @VERSION@ for you alone: sh install.sh
# PREFIX is where it goes (bin/understudy below it; default ~/.local), SITE the address
# of the folder with the packages, where this file does not know it.
set -eu

site=${SITE:-@SITE@}
prefix=${PREFIX:-$HOME/.local}

stop() {
	echo "install: $1" >&2
	exit 1
}

[ -n "$site" ] || stop "wanted the address of the packages, found none; set SITE, such as SITE=https://example.com/packages"
case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) stop "there is no package for $(uname -s); on Windows unpack the .zip" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) stop "there is no package for the processor $(uname -m); build it from the source" ;;
esac
name=understudy-@VERSION@-$system-$arch

fetch() {
	if command -v curl >/dev/null; then
		curl -fsSL -o "$2" "$1"
	else
		wget -q -O "$2" "$1"
	fi || stop "$1 could not be fetched"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fetch "$site/$name.tar.gz" "$name.tar.gz"
fetch "$site/SHA256SUMS" SHA256SUMS
grep "  $name.tar.gz\$" SHA256SUMS >wanted || stop "SHA256SUMS has no checksum of $name.tar.gz; nothing was installed"
if command -v sha256sum >/dev/null; then
	sha256sum --check --status wanted
else
	shasum -a 256 --check --status wanted
fi || stop "$name.tar.gz differs from its checksum in SHA256SUMS; nothing was installed"
tar -xzf "$name.tar.gz"
mkdir -p "$prefix/bin"
# A program that runs keeps its file: the new one takes the name.
cp "$name/understudy" "$prefix/bin/understudy.new"
mv "$prefix/bin/understudy.new" "$prefix/bin/understudy"
echo "installed $prefix/bin/understudy; next: $prefix/bin/understudy doctor"
