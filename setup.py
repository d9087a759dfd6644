"""Builds the Cython modules. All other metadata stands in pyproject.toml.

Environment variables choose a variant, which needs a build folder of its own (`--build-base`, as in the Makefile):
  TDL_CHECKED=1                      the kernels check every index and stop at the first that is out of bounds
  TDL_SANITIZE=address,undefined     compiled with those sanitizers
  TDL_NATIVE=1                       compiled for this machine's CPU only
  TDL_PORTABLE=1                     plain C, without a single instruction that not every CPU has
  TDL_QUICK=1                        compiled sooner and not for speed, with the same results: for tests
  TDL_BUILT=1                        not compiled: what is installed is a folder whose modules are there
  TDL_LIMITED=1                      for Python's limited API: the same files for 3.11 and all later versions
"""

import gzip
import os
import sys
import sysconfig
import tarfile
from multiprocessing import get_start_method
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.sdist import sdist

portable = os.environ.get("TDL_PORTABLE") == "1"
# What the modules are for: a cross-build names it by _PYTHON_HOST_PLATFORM. The headers choose among x86, NEON and
# plain C by themselves.
x86 = sysconfig.get_platform().endswith(("x86_64", "amd64"))
checked = os.environ.get("TDL_CHECKED") == "1"
sanitize = os.environ.get("TDL_SANITIZE", "")
native = os.environ.get("TDL_NATIVE") == "1"
gcc = "clang" not in os.environ.get("CC", sysconfig.get_config_var("CC") or "")  # which does not know `--param`
quick = os.environ.get("TDL_QUICK") == "1" or bool(sanitize)

# A checkout has the modules of benchmarks, too; `make build` alone builds in place, and no distribution has them.
HOMES = ("tdl", "experiments") if "--inplace" in sys.argv else ("tdl",)
SOURCES = [path for home in HOMES for path in sorted(Path(home).rglob("*.pyx"))]
MODULES = {str(path.with_suffix("")).replace(os.sep, "."): str(path) for path in SOURCES}
HEADERS = sorted(str(path) for path in Path("tdl").rglob("*.h"))
cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
GENERATED = Path("build/cython")  # the C sources of all variants are the same

# What Cython needs of its own in every module, memory views above all, is compiled once: half of the compiler's time.
SHARED = "tdl.cython_shared"

# Compiled with -O3, which takes a third longer: a search of two plies executes 2% fewer instructions. Self-play
# executes 6% fewer with -O2. All else is called once a run, or by Python, whose calls take longer than what they do.
HOT = (
    "tdl.learning.merge",
    "tdl.search.expectimax",
    "tdl.solver.layers",
    "tdl.solver.layer_values",
    "tdl.game.batch",
    "tdl.training.batch_learner",
)

# Compiled once more as `NAME_avx2`, for CPUs with AVX2, from the same C source.
WIDE = {"tdl.training.selfplay", "tdl.training.batch_learner", "experiments.benchmarks.operations"} & MODULES.keys()
WIDE = WIDE if x86 and not portable else set()

# -ffp-contract=off: no fused multiply-adds, so that every build and every CPU computes the same bits.
compile_args = ["-ffp-contract=off", "-fno-math-errno"]
compile_args += ["-Wno-maybe-uninitialized"] * gcc  # of a line's slide, which is read only where it was made
# The episode loop is instantiated for each type of board and number of features: with gcc's usual limits to the growth
# of a file by inlining it trained 4x6 at 0.94 of the speed.
inline_args = ["--param=max-inline-insns-single=200", "--param=inline-unit-growth=200"]
link_args = []
macros = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")]
macros += [("TDL_CHECKED", "1")] * checked + [("TDL_PORTABLE", "1")] * portable
# One wheel for all versions; not by default, since single calls from Python take 1.1 to 1.3 times as long.
limited = os.environ.get("TDL_LIMITED") == "1"
macros += [("Py_LIMITED_API", "0x030B0000")] * limited
if native:
    compile_args.append("-march=native")
if sanitize:
    flags = [f"-fsanitize={sanitize}", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
    compile_args += ["-g1", *flags]
    link_args += flags
else:
    compile_args.append("-g0")  # debug information took ten times the room of the code


def extension(name: str, source: str, *more_args: str, depends: tuple[str, ...] = ()) -> Extension:
    """A module, compiled as it is used."""
    module = name.removesuffix("_avx2")
    level = "-O1" if quick else "-O3" if module in HOT else "-O2"
    return Extension(
        name,
        [source],
        include_dirs=[numpy.get_include(), *sorted({os.path.dirname(header) for header in HEADERS})],
        define_macros=macros,
        extra_compile_args=[
            level,
            *compile_args,
            *inline_args * (gcc and module == "tdl.training.selfplay"),
            *more_args,
        ],
        extra_link_args=link_args,
        depends=[*HEADERS, *depends],
        py_limited_api=limited,
    )


def avx2_twin(name: str) -> Extension:
    """The module `NAME_avx2`: the C source of NAME under another name."""
    last = name.rpartition(".")[2]
    source = GENERATED / f"{name.replace('.', os.sep)}_avx2.c"
    text = f'#define PyInit_{last} PyInit_{last}_avx2\n#include "{last}.c"\n'
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    return extension(f"{name}_avx2", str(source), "-mavx2", depends=(str(source.with_name(f"{last}.c")),))


def modules() -> list[Extension]:
    """All modules, those that take longest first."""
    if os.environ.get("TDL_BUILT") == "1":
        return []
    extensions = cythonize(
        [extension(SHARED, f"{SHARED.replace('.', os.sep)}.c"), *(extension(*module) for module in MODULES.items())],
        nthreads=cores if get_start_method() == "fork" else 0,  # others would run this file once more
        build_dir=str(GENERATED),
        shared_utility_qualified_name=SHARED,
        # Python's own checks of lists and views stay on everywhere: the hot loops use pointers and pay nothing.
        compiler_directives={
            "language_level": "3",
            "cdivision": True,
            "embedsignature": True,
            "show_performance_hints": False,
        },
    )
    extensions += [avx2_twin(name) for name in WIDE]
    return sorted(extensions, key=source_size, reverse=True)


def source_size(module: Extension) -> int:
    """Bytes of the C source that Cython makes of a module."""
    name = module.name.removesuffix("_avx2")
    return os.path.getsize(GENERATED / f"{name.replace('.', os.sep)}.c")


class SameBytes(sdist):
    """A source distribution that is the same for the same files: as old as SOURCE_DATE_EPOCH says, and of nobody."""

    def make_archive(self, base_name: str, format: str, *_: object, base_dir: str = "", **__: object) -> str:
        """Pack the files, in the order of their names."""
        path, old = f"{base_name}.tar.gz", int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))  # 1980

        def uniform(entry: tarfile.TarInfo) -> tarfile.TarInfo:
            entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime = 0, 0, "", "", old
            entry.mode = 0o755 if entry.mode & 0o100 else 0o644
            return entry

        os.makedirs(self.dist_dir or ".", exist_ok=True)
        with (
            open(path, "wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=old) as packed,
            tarfile.open(mode="w", fileobj=packed) as archive,
        ):
            archive.add(base_dir, filter=uniform)
        return path


setup(
    ext_modules=modules(),
    cmdclass={"sdist": SameBytes},
    options={
        "build_ext": {"parallel": cores},
        "bdist_wheel": {"py_limited_api": "cp311"} if limited else {},
    },
)
