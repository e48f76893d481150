// SPDX-License-Identifier: Apache-2.0
#include "theory/blocks.h"

namespace bochner::theory {
namespace {

/// Whole blocks of d rows, then the remaining rows; a block of one row depends on nothing and is left out.
BlockStructure split(std::size_t m, std::size_t d, double (*cosine)(std::size_t rows)) {
  BlockStructure blocks = iid_blocks(m, d);
  const std::size_t whole = m / d;
  const std::size_t rest = m % d;
  if (whole > 0 && d > 1) blocks.groups.push_back({whole, d, cosine(d)});
  if (rest > 1) blocks.groups.push_back({1, rest, cosine(rest)});
  return blocks;
}

double right_angle(std::size_t) { return 0.0; }

double simplex_angle(std::size_t rows) { return -1.0 / (static_cast<double>(rows) - 1.0); }

}  // namespace

double BlockGroup::pairs() const {
  return static_cast<double>(count) * static_cast<double>(rows) * (static_cast<double>(rows) - 1.0);
}

BlockStructure iid_blocks(std::size_t m, std::size_t d) { return {.m = m, .d = d, .groups = {}}; }

BlockStructure orthogonal_blocks(std::size_t m, std::size_t d) { return split(m, d, right_angle); }

BlockStructure simplex_blocks(std::size_t m, std::size_t d) { return split(m, d, simplex_angle); }

}  // namespace bochner::theory
