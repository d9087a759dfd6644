"""A real Slurm of one node, for tests: no root, no systemd, no munge, no database.

What a cluster's administrator writes, in the smallest form that schedules, requeues and kills jobs (man slurm.conf).
"""

import contextlib
import os
import shutil
import socket
import subprocess
import time

from support import PATIENCE

ATTEMPTS = 4  # at starting the daemons
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "scancel")

CONFIGURATION = """\
ClusterName=tdl
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={other_port}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.log
ReturnToService=2
KillWait=2
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory=4000 State=UNKNOWN
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""

# Slurm's record of ended jobs needs a database; this answers the one question that submitit asks of it.
SACCT = """\
#!/bin/sh
echo 'JobID|State|NodeList'
for word; do
  [ "$before" = -j ] && scontrol show job -o "$word" 2>/dev/null |
    sed -E 's/.*ArrayJobId=([0-9]+) ArrayTaskId=([0-9]+).*JobState=([A-Z_]+).*/\\1_\\2|\\3|/; t
             s/.*JobId=([0-9]+).*JobState=([A-Z_]+).*/\\1|\\2|/; t; d'
  before=$word
done
"""


def is_there():
    """Whether the programs of Slurm are installed."""
    return all(_found(name) for name in PROGRAMS)


@contextlib.contextmanager
def one_node(place):
    """While this context is open, Slurm schedules on this machine; gives the environment that its programs need.

    A port that is free when it is asked for can be another program's when Slurm binds it: then the daemons are started
    again, with other ports.
    """
    for attempt in range(ATTEMPTS):
        here = place / str(attempt)
        environment = _configured(here)
        with _daemons(environment) as daemons:
            if _is_idle_in_time(environment, daemons):
                try:
                    yield environment
                finally:
                    cancel_all(environment)
                return
    raise RuntimeError("\n".join(_end_of(path) for path in sorted(here.glob("*.log"))))


def ask(environment, *words):
    """What a program of Slurm says."""
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False).stdout


def jobs(environment):
    """The jobs that Slurm knows, as dictionaries of what it says about each."""
    lines = ask(environment, "scontrol", "show", "job", "-o").splitlines()
    return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines if "JobId=" in line]


def cancel_all(environment):
    """Cancel every job, and wait until none runs."""
    ask(environment, "scancel", f"--user={_user()}")
    end = time.monotonic() + PATIENCE
    while any(job["JobState"] in ("RUNNING", "COMPLETING", "PENDING") for job in jobs(environment)):
        assert time.monotonic() < end, jobs(environment)
        time.sleep(0.1)


def _configured(place):
    """Write what Slurm needs into the folder ``place``; give the environment of its programs."""
    for name in ("state", "spool", "bin"):
        (place / name).mkdir(parents=True)
    port, other_port = _free_ports(2)
    (place / "slurm.conf").write_text(
        CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=_user(), port=port, other_port=other_port, place=place,
            cores=max(2, os.cpu_count() or 1),
        )
    )  # fmt: skip
    (place / "bin" / "sacct").write_text(SACCT)
    (place / "bin" / "sacct").chmod(0o755)
    path = f"{place / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin"
    return os.environ | {"SLURM_CONF": str(place / "slurm.conf"), "PATH": path}


@contextlib.contextmanager
def _daemons(environment):
    daemons = [subprocess.Popen([_found(name), "-D"], env=environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for name in ("slurmctld", "slurmd")]  # fmt: skip
    try:
        yield daemons
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait()


def _is_idle_in_time(environment, daemons):
    """Whether the node waits for work before the time is over and while both daemons live."""
    end = time.monotonic() + PATIENCE / ATTEMPTS
    while time.monotonic() < end and all(daemon.poll() is None for daemon in daemons):
        if ask(environment, "sinfo", "-h", "-o", "%T").strip() == "idle":
            return True
        time.sleep(0.1)
    return False


def _end_of(path):
    return f"{path.name}:\n{path.read_text()[-2000:]}"


def _found(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def _user():
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


def _free_ports(number):
    """So many ports, held together while they are chosen: no two are the same."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for port in sockets:
            port.bind(("127.0.0.1", 0))
        return [port.getsockname()[1] for port in sockets]
