// SPDX-License-Identifier: Apache-2.0
#include "core/available_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace bochner {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// The number in a one-line file; "max" and a missing file mean no limit.
std::size_t limit_in(const std::filesystem::path& path) {
  std::size_t bytes = 0;
  std::ifstream file(path);
  return file >> bytes ? bytes : kNoLimit;
}

/// The least limit of the group `name`, such as "/a/b", and of the groups above it. Inside a container, a name from
/// outside has no folder; the process's own group is then the root.
std::size_t least_limit(const std::filesystem::path& root, std::string_view name, const char* file) {
  std::size_t least = limit_in(root / file);
  for (; name.size() > 1; name = name.substr(0, name.rfind('/')))
    least = std::min(least, limit_in(root / name.substr(1) / file));
  return least;
}

std::size_t page_size() {
  const long bytes = sysconf(_SC_PAGESIZE);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 4096;
}

/// The machine's memory or its control group's limit; neither changes while a process runs.
std::size_t machine_limit() {
  static const std::size_t bytes = [] {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const std::size_t machine = pages > 0 ? static_cast<std::size_t>(pages) * page_size() : kNoLimit;
    return std::min(machine, group_limit("/proc/self/cgroup", "/sys/fs/cgroup"));
  }();
  return bytes;
}

std::size_t address_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return limit.rlim_cur;
}

/// Bytes of the address space in use: the first number of statm, in pages.
std::size_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream file("/proc/self/statm");
  return file >> pages ? pages * page_size() : 0;
}

}  // namespace

std::size_t group_limit(const std::filesystem::path& membership, const std::filesystem::path& root) {
  std::size_t least = std::min(limit_in(root / "memory.max"), limit_in(root / "memory/memory.limit_in_bytes"));
  std::ifstream file(membership);
  for (std::string line; std::getline(file, line);) {  // "0::/a/b" or "4:memory:/a/b"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string name = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, least_limit(root, name, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, least_limit(root / "memory", name, "memory.limit_in_bytes"));
  }
  return least;
}

std::size_t available_memory() { return std::min(machine_limit(), address_limit()); }

std::size_t memory_left() {
  const std::size_t limit = address_limit();
  if (limit == kNoLimit) return machine_limit();
  return std::min(machine_limit(), limit - std::min(limit, mapped_bytes()));
}

}  // namespace bochner
