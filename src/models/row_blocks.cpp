// SPDX-License-Identifier: Apache-2.0
#include "models/row_blocks.h"

#include <algorithm>
#include <vector>

namespace bochner {

void for_each_row_block(const Preprocessing& preprocessing, bool single, RowSource& rows,
                        const std::function<bool(std::uint64_t number)>& wanted, const Progress& progress,
                        std::string_view what, const RowBlock& use, std::optional<std::size_t> weight) {
  const bool with_target = preprocessing.task != Task::components;
  PreparedRows prepared(preprocessing, rows, with_target, single, weight);
  prepared.rewind();
  Matrix<double> X(rows_per_block(std::max(preprocessing.d(), rows.columns())), preprocessing.d());
  std::vector<double> y(with_target ? X.rows() : 0), weights(weight ? X.rows() : 0);
  std::uint64_t number = 0;
  while (const std::size_t count = prepared.next(X, y, weights)) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!wanted(number++)) continue;
      if (kept != i) std::ranges::copy(X.view().row(i), X.view().row(kept).begin());
      if (!y.empty()) y[kept] = y[i];
      if (!weights.empty()) weights[kept] = weights[i];
      ++kept;
    }
    use({X.view().row_range(0, kept), std::span(y).first(y.empty() ? 0 : kept),
         std::span(weights).first(weights.empty() ? 0 : kept)});
    if (progress) progress(rows.share(), what);
    if (count < X.rows()) break;
  }
}

}  // namespace bochner
