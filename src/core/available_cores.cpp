// SPDX-License-Identifier: Apache-2.0
#include "core/available_cores.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace bochner {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

int limit_of(const std::string& quota_and_period) {
  const int cores = quota_cores(quota_and_period);
  return cores == 0 ? kNoLimit : cores;
}

/// The smallest quota of the control group `path` and the groups above it, in version 2 (one file) or 1 (two files).
int group_limit(std::string path) {
  int limit = kNoLimit;
  for (bool more = true; more;) {
    limit = std::min(limit, limit_of(first_line("/sys/fs/cgroup" + path + "/cpu.max")));
    const std::string v1 = "/sys/fs/cgroup/cpu" + path;
    limit =
        std::min(limit, limit_of(first_line(v1 + "/cpu.cfs_quota_us") + " " + first_line(v1 + "/cpu.cfs_period_us")));
    more = !path.empty();
    path.erase(more ? path.rfind('/') : 0);
  }
  return limit;
}

/// Each line of /proc/self/cgroup reads "number:controllers:/path".
int quota_limit() {
  std::ifstream groups("/proc/self/cgroup");
  int limit = kNoLimit;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers == ",," || controllers.find(",cpu,") != std::string::npos)
      limit = std::min(limit, group_limit(line.substr(second + 1)));
  }
  return limit;
}

int affinity_cores() {
#if defined(__linux__)
  for (int cpus = 1024; cpus <= (1 << 20); cpus *= 4) {  // the kernel refuses a mask shorter than its own
    cpu_set_t* mask = CPU_ALLOC(cpus);
    const std::size_t size = CPU_ALLOC_SIZE(cpus);
    const int count = mask != nullptr && sched_getaffinity(0, size, mask) == 0 ? CPU_COUNT_S(size, mask) : 0;
    CPU_FREE(mask);
    if (count > 0) return count;
  }
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

int quota_cores(std::string_view quota_and_period) {
  const char* const end = quota_and_period.data() + quota_and_period.size();
  long long quota = 0, period = 0;
  const auto [space, quota_error] = std::from_chars(quota_and_period.data(), end, quota);
  if (quota_error != std::errc() || space == end || *space != ' ') return 0;
  const auto [stop, period_error] = std::from_chars(space + 1, end, period);
  if (period_error != std::errc() || stop != end || quota <= 0 || period <= 0) return 0;
  const long long cores = quota / period + (quota % period == 0 ? 0 : 1);
  return static_cast<int>(std::min<long long>(cores, kNoLimit));
}

int available_cores() { return std::min(affinity_cores(), quota_limit()); }

}  // namespace bochner
