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

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "scancel")

CONFIGURATION = """\
ClusterName=tdl
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={next_port}
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
    """While this context is open, Slurm schedules on this machine; gives the environment that its programs need."""
    for name in ("state", "spool", "bin"):
        (place / name).mkdir(parents=True)
    port = _free_port()
    (place / "slurm.conf").write_text(
        CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=_user(), port=port, next_port=port + 1, place=place,
            cores=max(2, os.cpu_count() or 1),
        )
    )  # fmt: skip
    (place / "bin" / "sacct").write_text(SACCT)
    (place / "bin" / "sacct").chmod(0o755)
    path = f"{place / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin"
    environment = os.environ | {"SLURM_CONF": str(place / "slurm.conf"), "PATH": path}
    daemons = [subprocess.Popen([_found(name), "-D"], env=environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for name in ("slurmctld", "slurmd")]  # fmt: skip
    try:
        _wait_until_idle(environment, place)
        yield environment
    finally:
        cancel_all(environment)
        for daemon in reversed(daemons):
            daemon.terminate()
            daemon.wait()


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
    while any(job["JobState"] in ("RUNNING", "COMPLETING", "PENDING") for job in jobs(environment)):
        time.sleep(0.1)


def _wait_until_idle(environment, place):
    end = time.monotonic() + PATIENCE
    while ask(environment, "sinfo", "-h", "-o", "%T").strip() != "idle":
        if time.monotonic() > end:
            raise RuntimeError((place / "slurmctld.log").read_text()[-2000:])
        time.sleep(0.1)


def _found(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


def _user():
    return subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
