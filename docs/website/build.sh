#!/bin/sh
# Build the web site into .cache/site/html: build.sh PYTHON, that of an environment with a Blender
# wheel. A dead link or anchor, a misspelled word, or a request to another server ends it.
set -eu
cd "$(dirname "$0")/../.."
python=$1
pages=.cache/site/pages
html=.cache/site/html

tests/setup/environment.sh site
"$python" docs/website/pages.py $pages
timeout 120 "$python" docs/website/references.py $pages
find $pages -name '*.md' -exec .venv/site/bin/codespell --ignore-words docs/website/words.txt {} +
NO_MKDOCS_2_WARNING=1 .venv/site/bin/mkdocs build --quiet --strict --clean --config-file docs/website/mkdocs.yml
"$python" docs/website/check.py $html
echo "The site: $html/index.html, $(find $html -name '*.html' | wc -l) pages, $(du -sm $html | cut -f1) MB"
