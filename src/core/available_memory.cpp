// SPDX-License-Identifier: Apache-2.0
#include "core/available_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace bochner {
namespace {

/// The number in a one-line file, or nothing to say: "max" and a missing file are no limit.
std::size_t limit_in(const char* path) {
  std::size_t bytes = 0;
  std::ifstream file(path);
  return file >> bytes ? bytes : std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::size_t available_memory() {
  static const std::size_t bytes = [] {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    const std::size_t machine = pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                                                      : std::numeric_limits<std::size_t>::max();
    return std::min(
        {machine, limit_in("/sys/fs/cgroup/memory.max"), limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
  }();
  return bytes;
}

}  // namespace bochner
