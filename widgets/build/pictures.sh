#!/bin/sh
# Puts the browser tests' screenshots that the documentation shows into docs/pictures, with few colours and so small.
# Run npm run test:browser before. Needs pngquant.
set -eu
cd "$(dirname "$0")/.."
to=../docs/pictures
mkdir -p "$to"
for picture in screenshots/*.png; do
	grep -q "pictures/$(basename "$picture")" ../README.md ../docs/*.md || continue
	pngquant --force --strip --speed 1 --quality 50-85 --output "$to/$(basename "$picture")" 96 "$picture"
done
du -ch "$to"/*.png | tail -1
