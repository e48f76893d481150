# SPDX-License-Identifier: Apache-2.0
"""Times that other programs on the machine change little."""

import time


def quickest(run, times=5):
    """Seconds of the thread, the least of some runs."""
    spent = []
    for _ in range(times):
        start = time.thread_time()
        run()
        spent.append(time.thread_time() - start)
    return min(spent)
