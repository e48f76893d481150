# SPDX-License-Identifier: Apache-2.0
"""Times that hardly depend on other programs on the machine."""

import time


def quickest(run, times=5):
    """CPU seconds of the thread, the smallest of several runs."""
    spent = []
    for _ in range(times):
        start = time.thread_time()
        run()
        spent.append(time.thread_time() - start)
    return min(spent)
