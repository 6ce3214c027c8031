# make demo    set everything up and see the library at work
# make test    set everything up and run all tests
# make lint    style, types, formatting
# make docs    build the documentation into build/docs
# make bench   speed beside other libraries (installs them)
# make sanitize, make package   what continuous integration runs besides

PYTHON ?= python3
VENV := .venv
SANITIZED := .venv-sanitized
NATIVE_TESTS := tests/test_differential.py tests/test_inference.py tests/test_weighting.py \
                tests/test_forest.py tests/test_missing.py \
                tests/test_evidential.py
SOURCES := pyproject.toml CMakeLists.txt $(wildcard cpp/*)

.PHONY: demo test lint docs bench sanitize package stubs clean

# An environment is ready once its stamp exists and is newer than the native sources. Building
# without isolation keeps the paths of the build tools, so that only what changed is compiled.
$(VENV)/build: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet "scikit-build-core>=1.0" "nanobind>=3.1,<4" cmake ninja
	touch $@

$(VENV)/run: $(VENV)/build $(SOURCES)
	$(VENV)/bin/pip install --quiet --no-build-isolation --editable . pandas
	touch $@

$(VENV)/dev: $(VENV)/run
	$(VENV)/bin/pip install --quiet --no-build-isolation --editable ".[dev]"
	touch $@

$(VENV)/docs: $(VENV)/run
	$(VENV)/bin/pip install --quiet --no-build-isolation --editable ".[docs]"
	touch $@

demo: $(VENV)/run
	$(VENV)/bin/python examples/quickstart.py

# Tests of pages need a browser. Without one, and without the right to install it, they are skipped.
test: $(VENV)/dev
	command -v chromium >/dev/null || test -n "$$CHROMIUM" || \
	    { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && \
	      apt-get install -qq --yes --no-install-recommends chromium >/dev/null; } || \
	    echo "no Chromium: tests of pages will be skipped"
	$(VENV)/bin/python -m pytest -n auto

lint: $(VENV)/dev
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/clang-format --dry-run --Werror cpp/*.h cpp/*.cpp

# Warnings are errors. Pages of the gallery and of the reference are written anew each time.
docs: $(VENV)/docs
	rm -rf build/docs docs/gallery docs/api/generated
	$(VENV)/bin/sphinx-build --quiet --fail-on-warning --keep-going docs build/docs
	@echo "Open build/docs/index.html in a browser."

bench: $(VENV)/dev
	$(VENV)/bin/pip install --quiet --requirement benchmarks/requirements.txt
	$(VENV)/bin/python benchmarks/speed.py

# The type stub of the native module is committed; a test tells when it is out of date.
stubs: $(VENV)/dev
	$(VENV)/bin/python -m nanobind.stubgen -q -m fuzzyucs._core -o src/fuzzyucs/_core.pyi

# Strict warnings, then the native tests under the address and undefined-behaviour sanitizers.
sanitize:
	$(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/pip install --quiet evidencelib hypothesis pandas pytest
	$(SANITIZED)/bin/pip install --quiet . \
	    -C build-dir=build/sanitized \
	    -C cmake.define.FUZZYUCS_WERROR=ON -C cmake.define.FUZZYUCS_SANITIZE=ON
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libstdc++.so)" \
	    $(SANITIZED)/bin/python -m pytest -q -s -p no:cacheprovider $(NATIVE_TESTS)

# A source archive, a wheel made of it, and the wheel at work: with the oldest versions of what it
# requires and nothing else, and with the newest versions of everything that users may want.
OLDEST := numpy==1.26.* scipy==1.11.* scikit-learn==1.7.*
package:
	rm -rf build/package
	$(PYTHON) -m venv build/package/tools
	build/package/tools/bin/pip install --quiet build
	build/package/tools/bin/python -m build --outdir build/package/dist
	for file in py.typed _core.pyi report/page.html report/page.js; do \
	    $(PYTHON) -m zipfile -l build/package/dist/*.whl | grep "fuzzyucs/$$file" || exit 1; done
	$(PYTHON) -m venv build/package/oldest
	build/package/oldest/bin/pip install --quiet $(OLDEST) build/package/dist/*.whl
	build/package/oldest/bin/python tests/smoke.py --alone
	$(PYTHON) -m venv build/package/newest
	build/package/newest/bin/pip install --quiet --upgrade "$$(ls build/package/dist/*.whl)[all]"
	build/package/newest/bin/python tests/smoke.py

clean:
	rm -rf $(VENV) $(SANITIZED) build dist docs/gallery docs/api/generated
