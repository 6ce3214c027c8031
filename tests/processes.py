"""Work in processes of their own, which may be killed."""

import os
import warnings


def in_child(work):
    """Do something in a process of its own, forked to save the imports; return its number."""
    with warnings.catch_warnings(action="ignore"):  # of threads, which the child does not need
        child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException:
        os._exit(1)
