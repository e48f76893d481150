// SPDX-License-Identifier: Apache-2.0
#include "features/sample_rows.h"

#include <set>

#include "core/stream.h"

namespace bochner {
namespace {

/// A whole number below `bound`: the high word of bits * bound.
std::uint64_t below(std::uint64_t bits, std::uint64_t bound) {
  const std::uint64_t low = (bits & 0xffffffffu) * (bound & 0xffffffffu);
  const std::uint64_t middle = (bits >> 32) * (bound & 0xffffffffu) + (low >> 32);
  const std::uint64_t other = (bits & 0xffffffffu) * (bound >> 32) + (middle & 0xffffffffu);
  return (bits >> 32) * (bound >> 32) + (middle >> 32) + (other >> 32);
}

}  // namespace

std::vector<std::size_t> sample_rows(std::size_t n, std::size_t most, std::uint64_t seed) {
  std::set<std::size_t> rows;
  const std::size_t free = n <= most ? 0 : n - most;
  const Stream stream(seed, Purpose::row_sample);
  for (std::size_t last = free; last < n; ++last) {
    const std::size_t candidate = free == 0 ? last : below(stream.bits(0, last - free), last + 1);
    if (!rows.insert(candidate).second) rows.insert(last);
  }
  return {rows.begin(), rows.end()};
}

}  // namespace bochner
