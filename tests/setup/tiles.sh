#!/bin/sh
# Have what chunks are exported as judged by Khronos' glTF validator, where npm can have it.
# tests/setup/tiles.sh PYTHON: that of an environment with a Blender wheel.
set -eu
home=.cache/tiles
validator=gltf-validator@2.0.0-dev.3.10

skip() {
    echo "test-tiles: skipped: $1"
    exit 0
}

command -v node > /dev/null || skip "there is no Node.js"
if [ ! -d "$home/node_modules/gltf-validator" ]; then
    command -v npm > /dev/null || skip "there is no npm"
    mkdir -p "$home"
    npm install --silent --no-save --prefix "$home" "$validator" || skip "npm cannot have $validator"
fi
exec "$1" tests/run_in_blender.py -- tests/addon/test_chunk_validator.py -n 0
