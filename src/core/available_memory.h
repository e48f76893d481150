// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

namespace bochner {

/// Bytes of memory that this process can ever have: the machine's memory, or the limit of its control group or of its
/// address space (RLIMIT_AS) if that is less.
std::size_t available_memory();

/// The same, but counting only the address space that is not mapped yet: what an allocation can still get.
std::size_t memory_left();

/// The least limit of the control groups, of either version, that `membership` (a file such as /proc/self/cgroup) names
/// below `root`, and of the groups above them; the largest number where there is no limit.
std::size_t group_limit(const std::filesystem::path& membership, const std::filesystem::path& root);

}  // namespace bochner
