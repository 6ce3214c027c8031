"""Workers of Dask keep memory while they compute: counted in pages that the system has to find."""

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
from fuzzyucs._util.memory import keeping_memory

def count_pages():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(2**17)  # a megabyte, which is free at once
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

count_pages()
first = count_pages()
with keeping_memory():
    with keeping_memory():
        count_pages()
    kept = count_pages()
print(first, kept, count_pages())
"""


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries have no such variable"
)
@pytest.mark.parametrize("is_set", [True, False])
def test_memory_serves_again_and_is_given_back(is_set):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    if is_set:
        environment["MALLOC_TRIM_THRESHOLD_"] = "65536"
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    before, kept, after = map(int, ran.stdout.split())
    # A megabyte has 256 pages.
    assert kept < 50 * 256 / 10
    if is_set:
        assert min(before, after) >= 50 * 256
    else:  # the library finds out by itself, and is left alone
        assert max(before, after) < 50 * 256 / 10
