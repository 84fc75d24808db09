#!/bin/sh
# Pack the extension twice: without the kernel, and with its wheels; the latter if there is ziglang.
set -eu
cd "$(dirname "$0")/../.."
python=$(tests/setup/newest_wheel.sh)/bin/python
scripts=$(echo "${python%/bin/python}"/lib/python*/site-packages/bpy/[0-9]*/scripts)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' blender_manifest.toml)

extension() {
    "$python" "$scripts/addons_core/bl_pkg/cli/blender_ext.py" "$@" \
        --valid-tags "$scripts/modules/_bpy_internal/extensions/tags.py"
}

packed=.cache/packed.zip
mkdir -p .cache
rm -f "octree-$version.zip"
extension build --source-dir . --output-filepath "$packed"
"$python" tests/setup/zip_with_wheels.py "$packed" "octree-$version-numpy.zip"
extension validate "octree-$version-numpy.zip"
if ! tests/setup/environment.sh kernel; then
    echo "Without its compiler, there is no octree-$version.zip with the kernel" >&2
    exit 0
fi
tests/setup/wheels.sh
"$python" tests/setup/zip_with_wheels.py "$packed" "octree-$version.zip" \
    .cache/wheels/*.whl
extension validate "octree-$version.zip"
