#!/bin/sh
# Have what chunks are exported as judged by Khronos' glTF validator and CesiumGS' validator of 3D
# Tiles, read by trimesh, and shown by the page of the demo in a Chromium; what cannot be had is
# named, and with CI=true that has failed. tests/setup/tiles.sh PYTHON: that of an environment with a
# Blender wheel.
set -eu
cd "$(dirname "$0")/../.."
python=$1
home=.cache/tiles
gltf=gltf-validator@2.0.0-dev.3.10
tiles=https://github.com/CesiumGS/3d-tiles-validator
tiles_commit=7fa62c5f792069b077f174b477aab85dd7fecf22 # 0.6.1

without() {
    echo "test-tiles: without $1" >&2
    [ "${CI:-}" != true ] || exit 1
}

# Its own pins want a sharp that fetches a library while it is installed.
tiles_validator() {
    rm -rf "$home/3d-tiles-validator.part"
    git clone -q "$tiles" "$home/3d-tiles-validator.part" || return
    cd "$home/3d-tiles-validator.part"
    git checkout -q "$tiles_commit" || return
    node -e '
        const fs = require("fs"), known = JSON.parse(fs.readFileSync("package.json"));
        known.dependencies["3d-tiles-tools"] = "0.5.4";
        known.dependencies.sharp = "0.33.5";
        known.overrides = { sharp: "0.33.5" };
        known.devDependencies = { "@types/minimatch": "5.1.2", "@types/node": "22.9.0", typescript: "4.9.5" };
        fs.writeFileSync("package.json", JSON.stringify(known));' || return
    npm install --silent --no-audit --no-fund || return
    node_modules/.bin/tsc >/dev/null || [ -f build/main.js ] || return # types of packages differ
    cd - >/dev/null
    mv "$home/3d-tiles-validator.part" "$home/3d-tiles-validator"
}

mkdir -p "$home"
if command -v node >/dev/null && command -v npm >/dev/null; then
    [ -d "$home/node_modules/gltf-validator" ] ||
        npm install --silent --no-save --prefix "$home" "$gltf" || without "$gltf"
    [ -d "$home/3d-tiles-validator" ] || (tiles_validator) || without "3d-tiles-validator"
    [ -f "$home/page/index.html" ] || "$python" -c '
import sys
from pathlib import Path
from demo import tiles
print(tiles.fetch(Path(sys.argv[1])))' "$home/page"
    [ -f "$home/page/index.html" ] || without "the page of the demo"
else
    without "validators and the page of the demo: there is no Node.js with npm"
fi
[ -d "$home/packages/trimesh" ] ||
    "$python" -m pip install -q --no-deps --target "$home/packages" --group pyproject.toml:tiles ||
    without trimesh
command -v chromium >/dev/null || command -v google-chrome >/dev/null || without "a Chromium"
PYTHONPATH=$PWD/$home/packages exec "$python" tests/run_in_blender.py -- -n 0 -rs \
    tests/addon/test_chunk_validator.py tests/addon/test_chunk_browser.py \
    tests/addon/test_chunks_read_again.py
