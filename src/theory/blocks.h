// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace bochner::theory {

/// `count` independent blocks of `rows` rows each; any two rows of one block meet at an angle with this cosine.
struct BlockGroup {
  std::size_t count;
  std::size_t rows;
  double cosine;

  /// count rows (rows - 1): the number of ordered pairs of different rows in one block.
  double pairs() const;
};

/// What the second moment of an estimate needs to know about a coupling: which rows of W depend on each other, and how.
struct BlockStructure {
  std::size_t m = 0;  ///< rows of W, including those outside every group (they are independent)
  std::size_t d = 0;  ///< dimension in which a block is drawn: the padded one where inputs are padded with zeros
  std::vector<BlockGroup> groups;
};

/// (1/m) sum_b N_b term(c_b), N_b the number of ordered pairs of group b: what dependence adds to m times a variance.
template <class Term>
double pair_sum(const BlockStructure& blocks, const Term& term) {
  double sum = 0.0;
  for (const BlockGroup& group : blocks.groups)
    sum += group.pairs() / static_cast<double>(blocks.m) * term(group.cosine);
  return sum;
}

/// Independent rows: no group.
BlockStructure iid_blocks(std::size_t m, std::size_t d);
/// Blocks of d rows at right angles, the last one of m mod d rows.
BlockStructure orthogonal_blocks(std::size_t m, std::size_t d);
/// Blocks of d rows along the vertices of a regular simplex, cosine -1/(d-1); the last r = m mod d rows along those of
/// their own simplex of r vertices, cosine -1/(r-1).
BlockStructure simplex_blocks(std::size_t m, std::size_t d);

}  // namespace bochner::theory
