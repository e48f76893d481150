// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "bochner/row_source.h"

namespace bochner::test {

/// All numbers of all rows that are left, in blocks of `rows`.
inline std::vector<double> read_all(RowSource& reader, std::size_t rows = 3) {
  std::vector<double> all;
  Matrix<double> block(rows, reader.columns());
  while (const std::size_t count = reader.next(block))
    all.insert(all.end(), block.data(), block.data() + count * reader.columns());
  return all;
}

}  // namespace bochner::test
