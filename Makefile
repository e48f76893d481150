# SPDX-License-Identifier: Apache-2.0
# The front door: installs what is missing, then hands over to CMake, ctest and pip. `make help` lists the targets.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
CMAKE_FLAGS ?=
PYTHON := build/venv/bin/python
HAS_PYTHON := $(wildcard python/CMakeLists.txt)
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

.DEFAULT_GOAL := help
.PHONY: help demo test bench python format style lint install sanitize arm soak clean build program wheel configured-with-tests \
  bootstrap-demo bootstrap-test

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

# $(call compile,PRESET,FOLDER,TARGETS): configures once (ninja does it again when a CMake file changes), then builds;
# silent when everything is up to date.
define compile
	@test -f $(2)/build.ninja || cmake --preset $(1) $(CMAKE_FLAGS)
	@ninja -C $(2) -j$(JOBS) $(3) | sed -u '/^ninja: \(Entering\|no work\)/d; /Re-checking globbed/d'
endef

# $(call run_tests,PRESET,FOLDER,BEFORE): ctest, then how many tests were skipped and why.
define run_tests
	@status=0; $(3) ctest --preset $(1) -j$(JOBS) --output-junit tests.xml --test-output-size-passed 10000000 || status=$$?; \
	  python3 tests/skips/count.py $(2)/tests.xml || status=1; exit $$status
endef

bootstrap-demo:
	@scripts/bootstrap.sh build

bootstrap-test:
	@scripts/bootstrap.sh build python test

# Library and command line, without the tests where none were built before.
program: bootstrap-demo
	@test -f build/build.ninja || cmake --preset default -DBOCHNER_BUILD_TESTS=OFF $(CMAKE_FLAGS)
	$(call compile,default,build,bochner bin/bochner)

demo: program  ## build the command line, run the main job on embedded data: build/demo/report.html
	@build/bin/bochner demo --out build/demo

# A folder that was configured without tests gets them.
configured-with-tests: bootstrap-test
	@test ! -f build/build.ninja || grep -q BOCHNER_BUILD_TESTS:BOOL=ON build/CMakeCache.txt || \
	  cmake --preset default -DBOCHNER_BUILD_TESTS=ON

build: configured-with-tests
	$(call compile,default,build)

test: build $(if $(HAS_PYTHON),wheel)  ## every test of C++ and Python, on every instruction set of this machine
	$(call run_tests,default,build,$(if $(HAS_PYTHON),BOCHNER_REQUIRE_PYTHON=1))

python: bootstrap-test program wheel  ## the wheel in build/wheel, installed into build/venv

wheel:
	@scripts/bootstrap.sh build python
	@scripts/build_wheel.sh

bench: python  ## build and run the benchmarks
	@scripts/bootstrap.sh build python test bench
	$(call compile,bench,build/bench)
	@bench/run

install: program  ## library, headers and command line into PREFIX (default /usr/local)
	@cmake --install build --prefix $(PREFIX)

sanitize: bootstrap-test  ## the C++ tests under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
	$(call compile,asan,build/asan)
	$(call run_tests,asan,build/asan)
	$(call compile,tsan,build/tsan)
	$(call run_tests,tsan,build/tsan,$(NO_ASLR))

arm: bootstrap-test  ## the library compiled for arm64, its lanes, couplings and maps tested under QEMU
	@scripts/bootstrap.sh arm64
	@scripts/arm64_libraries.sh
	$(call compile,arm64,build/arm64/build,simd_test couplings_test maps_test)
	$(call run_tests,arm64,build/arm64/build)

soak: configured-with-tests  ## property tests in their long form: twenty times the cases of `make test`
	$(call compile,default,build,properties_test)
	@BOCHNER_TEST_SCALE=$${BOCHNER_TEST_SCALE:-20} build/tests/properties_test

# ThreadSanitizer of g++ 12 and 13 does not start where the kernel randomises addresses by more than 28 bits.
NO_ASLR = $(shell setarch -R true 2>/dev/null && echo setarch -R)

CPP_FILES := $(shell find $(wildcard include src cli python tests bench examples cmake) -name '*.h' -o -name '*.cpp')
TIDY_FILES = $(filter src/%.cpp cli/%.cpp,$(CPP_FILES))

format:  ## rewrite sources in the house style
	@scripts/bootstrap.sh python lint
	@clang-format -i $(CPP_FILES)
	@$(PYTHON) -m ruff check --quiet --fix .

style:  ## check style alone (clang-format, ruff): seconds
	@scripts/bootstrap.sh python lint
	@clang-format --dry-run --Werror $(CPP_FILES)
	@$(PYTHON) -m ruff check --quiet .

lint: style build  ## check style, and sources by clang-tidy, only what changed
	@$(MAKE) --no-print-directory -j$(JOBS) $(TIDY_FILES:%=build/lint/%.tidy)

build/lint/%.tidy: % .clang-tidy $(filter %.h,$(CPP_FILES))
	@mkdir -p $(@D)
	@echo clang-tidy $<
	@clang-tidy --quiet -p build $< 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

clean:  ## remove what was built; the Python environment stays
	@find build -mindepth 1 -maxdepth 1 ! -name venv -exec rm -rf {} + 2>/dev/null || true
