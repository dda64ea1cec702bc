# SPDX-License-Identifier: Apache-2.0
# The two commands that matter: `make run` and `make test`.  Both set up what they need.
MAKEFLAGS += --no-print-directory
BUILD ?= build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all run test test-long install format lint differential fuzz bench coverage deb site clean

all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j $(JOBS)

$(BUILD)/CMakeCache.txt: CMakeLists.txt
	@scripts/setup build
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null

run: $(BUILD)/CMakeCache.txt          # the program, without its tests
	@scripts/build $(BUILD) portolan runtime
	@scripts/demo $(BUILD)/portolan

test:
	@scripts/setup test
	@scripts/test $(BUILD)

test-long:                       # what takes longer than a test should
	@scripts/setup long
	@scripts/test $(BUILD) long

install:
	@scripts/setup build
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	cmake --install $(BUILD)
	@[ -n "$$DESTDIR" ] || ldconfig 2>/dev/null || true # the loader then finds the shared library under /usr/local

differential: all                # a long run: make differential NETS=1000000 SEED=7
	$(BUILD)/tests/differential --nets $(or $(NETS),200000) --seed $(or $(SEED),1)

bench: all                       # every table of bench/
	@scripts/setup bench
	@for table in full model cost reduction contest provisos lazy probe ltl native; do bench/$$table $(BUILD)/portolan || exit; done

deb:                             # Debian packages in build-deb/; `scripts/deb test` also tries them on a bare system
	@scripts/setup deb
	@scripts/deb

site:                            # the documentation as pages with search, in build-site/
	@scripts/setup site
	@scripts/site

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

lint:
	@scripts/setup test
	@scripts/lint

fuzz:                            # SECONDS=60 for each parser
	@scripts/setup test
	@scripts/fuzz $(or $(SECONDS),30)

coverage:
	@scripts/setup test
	@scripts/coverage

clean:
	rm -rf build build-*
