"""Nothing that we start listens beyond the loopback interface."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clusters import cluster, processes
from fuzzyucs.experiment.plan import plan
from fuzzyucs.experiment.run import run
from fuzzyucs.experiment.store import Store

LISTENING = "0A"
LOOPBACK = ("0100007F", "00000000000000000000000001000000")

pytestmark = pytest.mark.skipif(
    not Path("/proc/net/tcp").exists() or sys.byteorder != "little", reason="reads /proc/net"
)


def listening(pid):
    """Return the addresses at which a process listens, in the hexadecimal form of Linux."""
    own = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            own.add(os.readlink(link))
        except OSError:  # closed meanwhile
            continue
    found = []
    for name in ("tcp", "tcp6"):
        table = Path(f"/proc/{pid}/net/{name}")
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            cells = line.split()
            if cells[3] == LISTENING and f"socket:[{cells[9]}]" in own:
                found.append(cells[1].partition(":")[0])
    return found


def test_the_look_at_sockets_finds_open_ones():
    code = (
        "import socket, sys; s = socket.create_server(('0.0.0.0', 0)); print(flush=True);"
        "sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1) as process:
        process.stdout.readline()
        assert listening(process.pid) == ["00000000"]


def test_clusters_of_the_tests_and_their_dashboards_listen_here_alone():
    with cluster(1) as client:
        addresses = [a for pid in [os.getpid(), *processes(client)] for a in listening(pid)]
        assert addresses
        assert set(addresses) <= set(LOOPBACK)


def test_experiments_on_a_cluster_open_no_port(tmp_path):
    """A client of somebody's scheduler listens nowhere."""
    seen = []
    jobs = list(plan(["fuzzyucs"], ["can"], 1, [{"epochs": 1}]))  # it fails: there are no data
    with cluster(1) as client, Store(tmp_path / "store.db") as store:
        own = listening(os.getpid())  # the scheduler of the test is in this process
        run(
            jobs,
            store,
            data_dir=str(tmp_path),
            scheduler=client.scheduler.address,
            listener=lambda *_: seen.append(listening(os.getpid())),
        )
        assert [sorted(addresses) for addresses in seen] == [sorted(own)]


def test_no_cluster_is_started_for_want_of_an_address(tmp_path):
    with (
        Store(tmp_path / "store.db") as store,
        pytest.raises(ValueError, match="scheduler must be the address of a Dask scheduler"),
    ):
        run([], store, scheduler="")
