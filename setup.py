"""Builds the Cython modules. All other metadata stands in pyproject.toml.

Environment variables choose a variant, each with its own build folder:
  TDL_CHECKED=1                      the kernels check every index and stop at the first that is out of bounds
  TDL_SANITIZE=address,undefined     compiled with those sanitizers
  TDL_NATIVE=1                       compiled for this machine's CPU only
"""

import os
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

MODULES = sorted(str(path) for path in Path("tdl").rglob("*.pyx"))

checked = os.environ.get("TDL_CHECKED") == "1"
sanitize = os.environ.get("TDL_SANITIZE", "")
native = os.environ.get("TDL_NATIVE") == "1"
variant = "-".join(filter(None, ["checked" * checked, sanitize.replace(",", "-"), "native" * native])) or "plain"

# -ffp-contract=off: no fused multiply-adds, so that every build and every CPU computes the same bits.
compile_args = ["-O3", "-ffp-contract=off", "-fno-math-errno"]
link_args = []
if native:
    compile_args.append("-march=native")
if sanitize:
    flags = [f"-fsanitize={sanitize}", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"]
    compile_args += ["-O1", "-g", *flags]
    link_args += flags

extensions = [
    Extension(
        module.removesuffix(".pyx").replace(os.sep, "."),
        [module],
        include_dirs=[numpy.get_include(), "tdl/network"],
        define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"), *[("TDL_CHECKED", "1")] * checked],
        extra_compile_args=compile_args,
        extra_link_args=link_args,
        depends=["tdl/network/index.h"],
    )
    for module in MODULES
]

setup(
    ext_modules=cythonize(
        extensions,
        build_dir=f"build/cython-{variant}",
        # Python's own checks of lists and views stay on everywhere: the hot loops use pointers and pay nothing.
        compiler_directives={"language_level": "3", "cdivision": True, "embedsignature": True},
    )
)
