// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace bochner {

/// Calls body(first, last) once for each block [0, block), [block, 2 block), ... of [0, n); the last may be shorter.
/// Blocks are the same for any number of threads, so a body that writes only what belongs to its block gives the same
/// bits on 1 or 100 threads. A call from inside a body runs inline: threads never oversubscribe.
/// If bodies throw, the exception of the lowest block is rethrown after all running blocks have ended; it is the one
/// that a serial loop would have met. Blocks above it may not have run.
///
/// Workers are kept between calls. One user thread at a time has them; a second one that calls meanwhile runs its
/// blocks itself, so no thread waits for another's work. A child process after fork() makes its own workers at first
/// use; a fork from inside a body must not return from that body in the child.
void parallel_for(std::size_t n, std::size_t block,
                  const std::function<void(std::size_t first, std::size_t last)>& body);

}  // namespace bochner
