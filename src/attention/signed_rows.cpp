// SPDX-License-Identifier: Apache-2.0
#include "attention/signed_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "features/scratch.h"

namespace bochner {
namespace {

constexpr std::size_t kBlock = 8;  // rows; small because hybrids have thousands of outputs

double largest_magnitude(std::span<const double> numbers) {
  double most = 0;
  for (const double number : numbers) most = std::max(most, std::abs(number));
  return most;
}

[[noreturn]] void refuse_row(std::string_view name, const RowPlace& place, std::size_t row) {
  throw std::invalid_argument(fmt::format(
      "{} has a row at [{}, {}, {}] whose features leave the range of float64; expected scale |x|^2 / 2 below 700, of "
      "hybrid_clustered below 6 to 700 by its centres",
      name, place.batch, place.head, row));
}

/// Features of a block. A row that the map refuses is refused with its position among the rows of the call if it is
/// `kept` (empty: all are), else its features are 0.
void transform_block(const Features& features, MatrixView<const double> X, MatrixView<double> Z,
                     std::span<const bool> kept, Side side, std::string_view name, const RowPlace& place) {
  try {
    features.transform(X, Z, side);
  } catch (const std::invalid_argument&) {
    if (X.rows() > 1) {
      for (std::size_t i = 0; i < X.rows(); ++i)
        transform_block(features, X.row_range(i, i + 1), Z.row_range(i, i + 1),
                        kept.empty() ? kept : kept.subspan(i, 1), side, name,
                        {place.batch, place.head, place.first + i, place.first + i + 1});
      return;
    }
    if (kept.empty() || kept[0]) refuse_row(name, place, place.first);
    std::ranges::fill(Z.row(0), 0.0);
  }
}

}  // namespace

template <class T>
void signed_rows(const HeadFeatures& head, MatrixView<const T> rows, std::span<const bool> kept, Side side,
                 std::string_view name, const RowPlace& place, MatrixView<T> Z, std::span<double> log_scale) {
  const std::size_t d = rows.cols(), m = head.features->outputs();
  Scratch<double> memory(kBlock * (d + m));
  double *X = memory.data(), *wide = X + kBlock * d;
  for (std::size_t first = 0; first < rows.rows(); first += kBlock) {
    const std::size_t count = std::min(kBlock, rows.rows() - first);
    for (std::size_t i = 0; i < count; ++i)
      std::copy(rows.row(first + i).begin(), rows.row(first + i).end(), X + i * d);
    transform_block(*head.features, MatrixView<const double>(X, count, d), MatrixView<double>(wide, count, m),
                    kept.empty() ? kept : kept.subspan(first, count), side, name,
                    {place.batch, place.head, place.first + first, place.first + first + count});
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = first + i;
      const double most = kept.empty() || kept[row] ? largest_magnitude({wide + i * m, m}) : 0.0;
      const double factor = most > 0 ? 1 / most : 0.0;
      log_scale[row] = most > 0 ? std::log(most) : 0.0;
      for (std::size_t j = 0; j < m; ++j) Z(row, j) = static_cast<T>(wide[i * m + j] * factor);
    }
  }
}

template void signed_rows(const HeadFeatures&, MatrixView<const float>, std::span<const bool>, Side, std::string_view,
                          const RowPlace&, MatrixView<float>, std::span<double>);
template void signed_rows(const HeadFeatures&, MatrixView<const double>, std::span<const bool>, Side, std::string_view,
                          const RowPlace&, MatrixView<double>, std::span<double>);

}  // namespace bochner
