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


@pytest.fixture
def control_groups(monkeypatch, tmp_path):
    """Write files of control groups, by their names; this process is in /pod/job, and all are in the whole."""
    monkeypatch.setattr(machine, "LINUX", True)
    monkeypatch.setattr(machine, "CGROUP", tmp_path / "groups")
    monkeypatch.setattr(machine, "OWN_GROUPS", tmp_path / "own")
    (tmp_path / "own").write_text("4:memory:/pod/job\n2:cpu,cpuacct:/pod/job\n0::/pod/job\n")

    def write(files):
        for name, text in files.items():
            path = tmp_path / "groups" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


ONE, HALF = str(1 << 20), str(1 << 19)
UNLIMITED_1 = "9223372036854771712\n"


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({"memory.max": ONE, "memory.current": HALF}, 1 << 19),
        ({"memory.max": ONE, "memory.current": ONE, "memory.stat": "anon 5\ninactive_file 4096\n"}, 4096),
        ({"memory.max": ONE, "memory.current": ONE, "memory.stat": "inactive_file 4096\nactive_file 96\n"}, 4192),
        ({"memory.max": ONE, "memory.current": ONE, "memory.stat": "slab_reclaimable 4096\n"}, 4096),
        ({"memory.max": "max\n", "memory.high": ONE, "memory.current": HALF}, 1 << 19),
        ({"memory.max": HALF, "memory.current": ONE}, 0),
        ({"memory.max": ONE}, 1 << 20),
        ({"memory.max": "", "memory.current": ""}, None),
        ({"memory.max": "max\n", "memory.current": HALF}, None),
        ({"memory.max": "much", "memory.current": "?", "memory.stat": "inactive_file\n\n"}, None),
        ({"pod/memory.max": ONE, "pod/memory.current": HALF, "pod/job/memory.max": "max"}, 1 << 19),
        ({"pod/job/memory.max": ONE, "pod/job/memory.current": HALF, "memory.max": "max"}, 1 << 19),
        ({"pod/other/memory.max": ONE, "pod/other/memory.current": HALF}, None),
        ({"memory/memory.limit_in_bytes": ONE, "memory/memory.usage_in_bytes": HALF}, 1 << 19),
        ({"memory/pod/memory.limit_in_bytes": ONE, "memory/pod/memory.usage_in_bytes": ONE,
          "memory/pod/memory.stat": "inactive_file 1\ntotal_inactive_file 64\n"}, 64),
        ({"memory/memory.limit_in_bytes": UNLIMITED_1, "memory/memory.usage_in_bytes": HALF}, None),
    ],
)  # fmt: skip
def test_memory_of_a_container(control_groups, files, free):
    """The limit of each group around counts; what the disk is cached in can be taken back. None: no limit."""
    whole = machine.available_memory()
    control_groups(files)
    found = machine.available_memory()
    assert found == free if free is not None else found > whole // 2


@pytest.mark.skipif(sys.platform != "linux", reason="of Linux")
def test_memory_of_a_process(monkeypatch):
    """What `ulimit -v` leaves of it."""
    monkeypatch.setattr(machine.resource, "getrlimit", lambda _: (1 << 20, 1 << 20))
    assert machine.available_memory() == 0


def test_cores(linux, control_groups, monkeypatch):
    monkeypatch.setattr(machine, "LINUX", linux)
    allowed = len(os.sched_getaffinity(0)) if linux else os.cpu_count()
    assert machine.cores() == allowed


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "max 100000\n"}, 64),
        ({"cpu.max": "300000 100000\n"}, 3),
        ({"cpu.max": "150000 100000\n"}, 2),
        ({"cpu.max": "1000 100000\n"}, 1),
        ({"cpu.max": "6400000 50000\n"}, 64),
        ({"cpu.max": ""}, 64),
        ({"cpu.max": "0 0"}, 64),
        ({"pod/cpu.max": "200000 100000", "pod/job/cpu.max": "max 100000"}, 2),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, 64),
        ({"cpu/pod/job/cpu.cfs_quota_us": "250000\n", "cpu/pod/job/cpu.cfs_period_us": "100000\n"}, 3),
    ],
)
def test_cores_of_a_container(control_groups, monkeypatch, files, cores):
    """As many as it has the time of, and never more than the process is kept to."""
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda _: range(64), raising=False)
    control_groups(files)
    assert machine.cores() == cores


def test_the_group_of_a_process_may_be_out_of_sight(control_groups, monkeypatch, tmp_path):
    """In a container its path can begin outside of what is seen."""
    (tmp_path / "own").write_text("0::/../../elsewhere\nno line of the system\n")
    control_groups({"memory.max": ONE})
    assert machine.available_memory() == 1 << 20


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
