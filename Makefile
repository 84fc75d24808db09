# `make help` lists the commands. Each of them makes what it needs: packages of the machine,
# environments in .venv/, a real Blender in ~/.cache/octree/.
export PYTHON ?= python3.11
.DEFAULT_GOAL := help
.PHONY: help demo kernel pictures test test-all test-tiles test-window test-blender blender lint bench bench-peers bench-dynamic \
	bench-pictures recipes site wheels zip sbom digests release-check draft clean machine

SETUP := tests/setup
LINT := .venv/lint/bin
# The environment of the newest Blender wheel that the Pythons at hand can have, made if need be.
WHEEL = wheel=$$($(SETUP)/newest_wheel.sh)
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' blender_manifest.toml)
SHIPPED = $(wildcard octree-$(VERSION)*.zip .cache/wheels/*)
SUITES := window core-oldest core-newest blender bpy-4.5 bpy-4.2 bpy-5.2

help: ## List the commands
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 20

demo: machine ## Build a room, its octree, a film and pictures into demo/out (BLEND=file.blend: your scene)
	@$(WHEEL) && $$wheel/bin/python demo/run.py $(if $(BLEND),--blend "$(BLEND)") --out demo/out

kernel: machine ## Compile the kernel for this machine, with pinned ziglang (CC=gcc: with your own)
	@$(SETUP)/kernel.sh $(if $(filter default,$(origin CC)),,"$(CC)")

test: machine ## Run the tests in the newest NumPy and the newest Blender wheel: ten minutes
	@$(WHEEL) && $(SETUP)/suites.sh core-newest $${wheel##*/}

test-all: ## Run every test in every Blender, in a window too (EXAMPLES=many: in a night)
	@$(SETUP)/machine.sh window
	@$(SETUP)/suites.sh $(SUITES)

test-tiles: ## Have exported chunks judged by validators, read by trimesh, shown in a Chromium
	@$(SETUP)/machine.sh tiles
	@$(WHEEL) && $(SETUP)/tiles.sh $$wheel/bin/python

test-window: blender ## Run the window tests in a real Blender
	@$(SETUP)/suites.sh window

test-blender: blender ## Run in a real Blender, in background, what a wheel cannot tell
	@$(SETUP)/suites.sh blender

blender: ## Fetch a real Blender from Debian, unless BLENDER= or the path has one
	@$(SETUP)/machine.sh window
	@$(SETUP)/fetch_blender.sh || [ $$? = 69 -a "$(CI)" != true ]

pictures: blender ## Take the pictures of the user guide anew, in a real Blender
	@$(SETUP)/environment.sh core-newest
	OCTREE_PICTURES=docs/guide .venv/core-newest/bin/python -m pytest tests/gui/test_guide.py -m window

lint: machine ## Check style, types and docstrings
	@$(SETUP)/environment.sh lint
	$(LINT)/ruff check
	$(LINT)/ruff format --check
	@# mypy wants the checkout to have the name of a package, whatever its folder is called.
	@mkdir -p .cache/package && ln -sfn ../.. .cache/package/octree
	cd .cache/package && ../../$(LINT)/mypy --config-file octree/pyproject.toml \
	    octree/__init__.py octree/core octree/octree_addon
	PYTHONPATH=. $(LINT)/python tests/setup/docstrings.py
	$(LINT)/python tests/setup/workflows.py

# What is shipped has the kernel: OCTREE_KERNEL=0 make bench measures NumPy alone.
bench bench-peers bench-dynamic bench-pictures: export OCTREE_KERNEL ?= $(CURDIR)/kernel/octree_kernel

bench: kernel ## Measure against what a Blender user has today
	@$(WHEEL) && $$wheel/bin/python benchmarks/run.py

bench-peers: kernel ## Measure against every library that a Python user can install
	-@$(SETUP)/machine.sh peers
	@$(SETUP)/peers.sh
	@.venv/peers-numpy1/bin/python benchmarks/run_peers.py

bench-dynamic: kernel ## Measure the dynamic octree against libraries whose trees can change
	-@$(SETUP)/machine.sh peers
	@$(SETUP)/peers.sh
	@.venv/peers-numpy1/bin/python benchmarks/run_peers.py \
	    --rows moving_one_box,moving_boxes,moving_pairs,changes

bench-pictures: kernel ## Measure what is seen in pictures against Embree and pyrender
	@$(SETUP)/peers.sh peers-pictures
	@$(WHEEL) && $$wheel/bin/python benchmarks/run.py --rows picture,objects,film,faces

recipes: machine ## Make the small files of the recipes and their pictures, into .cache/recipes
	@$(WHEEL) && $$wheel/bin/python demo/recipes.py --out .cache/recipes

site: zip ## Build the web site into .cache/site/html; a dead link or a misspelled word ends it
	@ls .cache/recipes/octree_of_a_mesh.blend >/dev/null 2>&1 || $(MAKE) --no-print-directory recipes
	@$(WHEEL) && docs/website/build.sh $$wheel/bin/python

wheels: machine ## Compile the kernel for six platforms with ziglang, and pack it for PyPI
	@$(SETUP)/wheels.sh

zip: machine ## Pack the extension: octree-<version>.zip with the kernel, octree-<version>-numpy.zip without
	@$(SETUP)/zip.sh

sbom: ## Write what is shipped as a bill of materials: octree-<version>.cdx.json (after make wheels zip)
	@$(PYTHON) tests/setup/sbom.py octree-$(VERSION).cdx.json $(SHIPPED)

digests: sbom ## Write the digests of all that is released into .cache/SHA256SUMS
	@cd .cache && sha256sum $(patsubst %,../%,$(SHIPPED) octree-$(VERSION).cdx.json) | \
	    sed 's#\.\./\(.*/\)\?##' >SHA256SUMS && cat SHA256SUMS

release-check: ## Say what keeps this from being published: placeholders, versions (TAG=v0.2.0)
	@$(PYTHON) tests/setup/release_check.py $(TAG)

draft: digests ## Draft a release of TAG= with all files, by GitHub's gh
	@awk '/^## / { ours = $$2 == "$(VERSION)" } ours' CHANGELOG.md >.cache/notes.md
	gh release create "$(TAG)" --draft --title "Octree $(VERSION)" --notes-file .cache/notes.md \
	    $(SHIPPED) octree-$(VERSION).cdx.json .cache/SHA256SUMS

clean: ## Remove what the commands made in the checkout, environments included
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis demo/out tests/out *.zip *.cdx.json
	rm -f kernel/octree_kernel/octree_kernel.*
	find . -name __pycache__ -prune -exec rm -rf {} +

machine:
	@$(SETUP)/machine.sh
