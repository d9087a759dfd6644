"""What a process of a job may do; one that starts anew finds it here by name."""

import os
import signal
import time

from tdl.sweeps.job import Outcome


def good():
    print("said")
    return Outcome(3, "a line")


def bad():
    raise ValueError("a fault")


def dies():
    os.kill(os.getpid(), signal.SIGKILL)


def sleeps():
    time.sleep(60)
