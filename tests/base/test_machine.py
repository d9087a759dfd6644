"""What Linux alone has, and what takes its place: the same results with either."""

import mmap
import os
import platform
import sys
from pathlib import Path

import numpy as np
import pytest

import tdl
from tdl.base import machine

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux's own means")


@pytest.fixture(params=[pytest.param(True, marks=on_linux, id="linux"), pytest.param(False, id="elsewhere")])
def linux(request, monkeypatch):
    """With Linux's own means, and without."""
    monkeypatch.setattr(machine, "LINUX", request.param)
    return request.param


def test_memory(linux):
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 2**20 < machine.peak_memory() < whole
    free = machine.available_memory()
    assert 2**20 < free < whole if linux else free == whole


def test_the_limit_of_a_container_counts(linux, monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "CGROUP", tmp_path)
    without = machine.available_memory()
    assert without > 2**20
    (tmp_path / "memory.current").write_text("1000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert machine.available_memory() > 2**20
    (tmp_path / "memory.max").write_text("5000\n")
    assert machine.available_memory() == (4000 if linux else without)


def test_cores(linux):
    allowed = len(os.sched_getaffinity(0)) if linux else os.cpu_count()
    assert machine.cores() == allowed


@pytest.mark.parametrize("name", ["Apple M2", ""])
def test_the_name_of_the_cpu(name, monkeypatch, tmp_path):
    """Elsewhere as the `sysctl` of macOS says it, or else the architecture."""
    (tmp_path / "sysctl").write_text(f"#!/bin/sh\necho '{name}'\n")
    (tmp_path / "sysctl").chmod(0o755)
    monkeypatch.setattr(machine, "LINUX", False)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    assert machine.cpu_name() == (name or platform.processor() or platform.machine())
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert machine.cpu_name() == (platform.processor() or platform.machine())


@on_linux
def test_the_name_of_the_cpu_on_linux():
    assert machine.LINUX
    assert machine.cpu_name() in Path("/proc/cpuinfo").read_text() or machine.cpu_name() == platform.machine()


def test_huge_pages_are_asked_for_on_linux_alone(linux):
    asked = []

    class Memory:
        def madvise(self, advice):
            asked.append(advice)

    machine.ask_for_huge_pages(Memory())
    assert asked == [mmap.MADV_HUGEPAGE] * linux


def test_freed_memory(linux, monkeypatch):
    """A C library is asked for on Linux alone, and one without `mallopt` is no error."""
    asked = []
    monkeypatch.setattr(machine.ctypes, "CDLL", asked.append)
    machine.keep_freed_memory()
    assert asked == ["libc.so.6"] * linux


def test_training_is_the_same(monkeypatch):
    weights = []
    for linux in (sys.platform == "linux", False):
        monkeypatch.setattr(machine, "LINUX", linux)
        network = tdl.NTupleNetwork(tdl.Rules(), tdl.tuple_set("2x4"))
        tdl.Trainer(network, alpha=0.1, seed=1).train(20)
        weights.append(np.array(network.weights))
    assert np.any(weights[0])
    assert np.array_equal(*weights)
