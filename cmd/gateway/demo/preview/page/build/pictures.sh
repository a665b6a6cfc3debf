#!/bin/sh
# Takes the pictures that the documentation shows, and puts them into docs/pictures with few colours. Needs pngquant.
set -eu
cd "$(dirname "$0")/.."
to=../../../../../docs/pictures
npx vitest run --config test/pictures.config.ts >/dev/null
for picture in screenshots/preview-*.png; do
	pngquant --force --strip --speed 1 --quality 60-92 --output "$to/$(basename "$picture")" 192 "$picture"
done
cp screenshots/preview.gif "$to/preview.gif"
ls -l "$to"/preview*
