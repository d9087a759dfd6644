"""Builds the Cython modules. All other metadata stands in pyproject.toml.

Environment variables choose a variant, which needs a build folder of its own (`--build-base`, as in the Makefile):
  TDL_CHECKED=1                      the kernels check every index and stop at the first that is out of bounds
  TDL_SANITIZE=address,undefined     compiled with those sanitizers
  TDL_NATIVE=1                       compiled for this machine's CPU only
  TDL_PORTABLE=1                     plain C, without a single instruction that not every CPU has
  TDL_QUICK=1                        compiled sooner and not for speed, with the same results: for tests
  TDL_LIMITED=1                      for Python's limited API: the same files for 3.11 and all later versions
"""

import os
import platform
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

portable = os.environ.get("TDL_PORTABLE") == "1" or platform.machine().lower() not in ("x86_64", "amd64")
checked = os.environ.get("TDL_CHECKED") == "1"
sanitize = os.environ.get("TDL_SANITIZE", "")
native = os.environ.get("TDL_NATIVE") == "1"
quick = os.environ.get("TDL_QUICK") == "1" or bool(sanitize)

# `NAME_avx2.pyx` is `NAME.pyx` once more, for CPUs with AVX2.
MODULES = sorted(str(path) for path in Path("tdl").rglob("*.pyx") if not (portable and path.stem.endswith("_avx2")))
HEADERS = sorted(str(path) for path in Path("tdl").rglob("*.h"))

# -ffp-contract=off: no fused multiply-adds, so that every build and every CPU computes the same bits.
compile_args = ["-O3", "-ffp-contract=off", "-fno-math-errno"]
# The episode loop is instantiated for each type of board and number of features: with gcc's usual limits to the growth
# of a file by inlining it trained 4x6 at 0.94 of the speed.
inline_args = ["--param=max-inline-insns-single=200", "--param=inline-unit-growth=200"]
link_args = []
macros = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")]
macros += [("TDL_CHECKED", "1")] * checked + [("TDL_PORTABLE", "1")] * portable
# One wheel for all versions; not by default, since single calls from Python take 1.1 to 1.3 times as long.
limited = os.environ.get("TDL_LIMITED") == "1"
macros += [("Py_LIMITED_API", "0x030B0000")] * limited
if quick:
    compile_args.append("-O1")
if native:
    compile_args.append("-march=native")
if sanitize:
    flags = [f"-fsanitize={sanitize}", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
    compile_args += ["-g", *flags]
    link_args += flags

extensions = [
    Extension(
        module.removesuffix(".pyx").replace(os.sep, "."),
        [module],
        include_dirs=[numpy.get_include(), *sorted({os.path.dirname(header) for header in HEADERS})],
        define_macros=macros,
        extra_compile_args=[
            *compile_args,
            *inline_args * ("selfplay" in module),
            *["-mavx2"] * module.endswith("_avx2.pyx"),
        ],
        extra_link_args=link_args,
        depends=HEADERS,
        py_limited_api=limited,
    )
    for module in MODULES
]

setup(
    ext_modules=cythonize(
        extensions,
        build_dir="build/cython",  # the C sources of all variants are the same
        # Python's own checks of lists and views stay on everywhere: the hot loops use pointers and pay nothing.
        compiler_directives={"language_level": "3", "cdivision": True, "embedsignature": True},
    ),
    options={
        "build_ext": {"parallel": True},  # the two builds of self-play take the longest
        "bdist_wheel": {"py_limited_api": "cp311"} if limited else {},
    },
)
