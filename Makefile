# `make help` lists the commands. Each of them makes what it needs: packages of the machine,
# environments in .venv/, a real Blender in ~/.cache/octree/.
export PYTHON ?= python3.11
.DEFAULT_GOAL := help
.PHONY: help demo kernel pictures test test-all test-tiles test-window blender lint bench bench-peers bench-dynamic \
	bench-pictures wheels zip clean machine

SETUP := tests/setup
LINT := .venv/lint/bin
# The environment of the newest Blender wheel that the Pythons at hand can have, made if need be.
WHEEL = wheel=$$($(SETUP)/newest_wheel.sh)
SUITES := core-oldest core-newest blender window bpy-5.2 bpy-4.5 bpy-4.2

help: ## List the commands
	@sed -n 's/^\([a-z-]*\):.*## /make \1\t/p' Makefile | expand -t 20

demo: machine ## Build a room, its octree, a film and pictures into demo/out (BLEND=file.blend: your scene)
	@$(WHEEL) && $$wheel/bin/python demo/run.py $(if $(BLEND),--blend "$(BLEND)") --out demo/out

kernel: machine ## Compile the kernel for this machine, with pinned ziglang (CC=gcc: with your own)
	@$(SETUP)/kernel.sh $(if $(filter default,$(origin CC)),,"$(CC)")

test: machine ## Run the tests in the newest NumPy and the newest Blender wheel: eight minutes
	@$(WHEEL) && $(SETUP)/suites.sh core-newest $${wheel##*/}

test-all: ## Run every test in every Blender, in a window too (BLENDER=/path/to/blender: in it)
	@$(SETUP)/machine.sh window
	@$(SETUP)/fetch_blender.sh || true  # the suites that lack it say so
	@EXAMPLES=many $(SETUP)/suites.sh $(SUITES)

test-tiles: machine ## Have exported chunks judged by validators, read by trimesh, shown in a Chromium
	@$(WHEEL) && $(SETUP)/tiles.sh $$wheel/bin/python

test-window: blender ## Run the window tests in a real Blender
	@$(SETUP)/suites.sh window

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

bench: machine ## Measure against what a Blender user has today
	@$(WHEEL) && $$wheel/bin/python benchmarks/run.py

bench-peers: machine ## Measure against every library that a Python user can install
	-@$(SETUP)/machine.sh peers
	@$(SETUP)/peers.sh
	@.venv/peers-numpy1/bin/python benchmarks/run_peers.py

bench-dynamic: machine ## Measure the dynamic octree against libraries whose trees can change
	-@$(SETUP)/machine.sh peers
	@$(SETUP)/peers.sh
	@.venv/peers-numpy1/bin/python benchmarks/run_peers.py \
	    --rows moving_one_box,moving_boxes,moving_pairs,changes

bench-pictures: machine ## Measure what is seen in pictures against Embree and pyrender
	@$(SETUP)/peers.sh peers-pictures
	@$(WHEEL) && $$wheel/bin/python benchmarks/run.py --rows picture,objects,film,faces

wheels: machine ## Compile the kernel for six platforms with ziglang, and pack it for PyPI
	@$(SETUP)/environment.sh kernel
	@rm -rf .cache/wheels
	@.venv/kernel/bin/python kernel/backend.py .cache/wheels

zip: machine ## Pack the extension: octree-<version>.zip with the kernel, octree-<version>-numpy.zip without
	@$(SETUP)/zip.sh

clean: ## Remove what the commands made in the checkout, environments included
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis demo/out tests/out *.zip
	rm -f kernel/octree_kernel/octree_kernel.*
	find . -name __pycache__ -prune -exec rm -rf {} +

machine:
	@$(SETUP)/machine.sh
