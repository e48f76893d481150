// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "attention/attention_chunk.h"
#include "attention/positive_rows.h"
#include "attention/signed_rows.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// The number of rows rounded up to whole tiles.
std::size_t tiles(std::size_t rows) {
  return (rows + simd::kProductRows - 1) / simd::kProductRows * simd::kProductRows;
}

}  // namespace

/// A part may begin at any row, and its last tile may end after the last row: hence one more tile of rows.
template <class T>
QueryChunk<T>::QueryChunk(const AttentionProblem<T>& problem, const PanelSizes<T>& sizes, bool causal)
    : problem_(problem),
      sizes_(sizes),
      rows_(tiles(std::min(problem.q.length, kChunk)) + simd::kProductRows),
      score_step_(causal ? (rows_ + sizes.columns - 1) / sizes.columns * sizes.columns : 0),
      memory_(lines<T>(rows_ * sizes.rows) + rows_ * (sizes.panels * sizes.columns + score_step_) + sizes.values +
              (problem.q.widens() || problem.has_padding() ? rows_ * problem.q.dim : 0)),
      denominator_(rows_),
      log_factor_(rows_),
      largest_(problem.out.largest()) {
  features_ = memory_.data();
  results_ = features_ + lines<T>(rows_ * sizes.rows);
  scores_ = results_ + rows_ * sizes.panels * sizes.columns;
  line_ = scores_ + rows_ * score_step_;
  query_rows_ = line_ + sizes.values;
  std::fill_n(features_, line_ - features_, T(0));
}

template <class T>
void QueryChunk<T>::load(const HeadFeatures& head, const RowPlace& place) {
  place_ = place;
  signed_ = head.is_signed;
  queries_ = read_queries(head, place);
  const MatrixView<T> Z(features_, queries_.rows(), sizes_.outputs, sizes_.rows);
  const std::span<double> factors(log_factor_.data(), queries_.rows());
  if (signed_) return signed_rows<T>(head, queries_, {}, Side::query, "q", place, Z, factors);
  positive_rows<T>(head, queries_, Side::query, "q", place, Z, factors);
  exact_.load(head, queries_, Z, factors, Side::query);
}

template <class T>
MatrixView<const T> QueryChunk<T>::read_queries(const HeadFeatures& head, const RowPlace& place) {
  const MatrixView<const T> queries = problem_.q.rows(place.batch, place.head, place.first, place.last, query_rows_);
  check_rows<T>(queries, {}, "q", place, problem_.largest);
  const std::span<const bool> counted = problem_.counted(place.batch, place.first, place.last);
  if (!head.raises_padding || counted.empty()) return queries;
  const std::size_t dim = queries.cols();
  for (std::size_t i = 0; i < queries.rows(); ++i)
    for (std::size_t c = 0; c < dim; ++c) {
      const T entry = queries(i, c);
      query_rows_[i * dim + c] = counted[i] ? entry : std::max(entry, static_cast<T>(head.blank[c]));
    }
  return {query_rows_, queries.rows(), dim};
}

template <class T>
RowCounts QueryChunk<T>::attend(const KeySums<T>& sums, std::size_t first, std::size_t last, const KeyChunk<T>* own,
                                std::span<const double> log_floor) {
  normalise(sums, first, last);
  add_products(sums.total(), false, first, last);
  if (sums.has_recent()) add_products(sums.recent(), true, first, last);
  if (own != nullptr) add_own(*own, first, last);
  RowCounts counts;
  for (std::size_t i = first; i < last; ++i) {
    if (signed_) raise_to_floor(i, log_floor[i] - log_factor_[i] - sums.reference(), counts);
    counts.undefined += finish(i) ? 0 : 1;
  }
  return counts;
}

/// Turns exponents into features whose maximum is 1 before they are multiplied by the masses of the keys; the log
/// factor, which all features of a query share, cancels.
template <class T>
void QueryChunk<T>::normalise(const KeySums<T>& sums, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const std::span<T> row(features_ + i * sizes_.rows, sizes_.outputs);
    if (signed_) {
      denominator_[i] = simd::dot<T>(row, sums.total_mass());
    } else if (exact_.has(i)) {
      sums.query_exponents(exact_.row(i), row);
      denominator_[i] = simd::exponentials_and_product<T>(sums.plain_exponents(), row, sums.total_mass());
    } else {
      const T top = simd::largest_exponent<T>(sums.query_exponents(0), row);
      if (top == -std::numeric_limits<T>::infinity()) {
        std::fill(row.begin(), row.end(), T(0));
        denominator_[i] = 0;
        continue;
      }
      denominator_[i] = simd::exponentials_and_product<T>(sums.query_exponents(-top), row, sums.total_mass());
    }
    if (sums.has_recent()) denominator_[i] += simd::dot<T>(row, sums.recent_mass());
  }
}

template <class T>
void QueryChunk<T>::add_products(const T* sums, bool resume, std::size_t first, std::size_t last) {
  simd::multiply<T>({.rows = tiles(last - first),
                     .depth = sizes_.outputs,
                     .panels = sizes_.panels,
                     .A = features_ + first * sizes_.rows,
                     .row_step = sizes_.rows,
                     .depth_step = 1,
                     .B = sums,
                     .B_panel_step = sizes_.rows * sizes_.columns,
                     .resume = resume,
                     .C = results_ + first * sizes_.columns,
                     .C_row_step = sizes_.columns,
                     .C_panel_step = rows_ * sizes_.columns});
}

/// Computes the scores of the part's queries and keys, a lower triangle of tiles, and multiplies them with the values.
/// In the tile on the diagonal, scores of later keys are set to 0.
template <class T>
void QueryChunk<T>::add_own(const KeyChunk<T>& own, std::size_t first, std::size_t last) {
  const std::size_t count = last - first, columns = sizes_.columns;
  for (std::size_t panel = 0; panel * columns < count; ++panel) {
    const std::size_t above = panel * columns / simd::kProductRows * simd::kProductRows;
    simd::multiply<T>({.rows = tiles(count - above),
                       .depth = sizes_.outputs,
                       .panels = 1,
                       .A = features_ + (first + above) * sizes_.rows,
                       .row_step = sizes_.rows,
                       .depth_step = 1,
                       .B = own.transposed() + panel * sizes_.outputs * columns,
                       .B_panel_step = 0,
                       .resume = false,
                       .C = scores_ + above * score_step_ + panel * columns,
                       .C_row_step = score_step_,
                       .C_panel_step = 0});
  }
  for (std::size_t tile = 0; tile < count; tile += simd::kProductRows) {
    const std::size_t depth = std::min(tile + simd::kProductRows, count);
    for (std::size_t i = tile; i < depth; ++i) {
      T* score = scores_ + i * score_step_;
      std::fill(score + i + 1, score + depth, T(0));
      denominator_[first + i] += simd::sum<T>({score, i + 1});
    }
    simd::multiply<T>({.rows = simd::kProductRows,
                       .depth = depth,
                       .panels = sizes_.panels,
                       .A = scores_ + tile * score_step_,
                       .row_step = score_step_,
                       .depth_step = 1,
                       .B = own.values(first),
                       .B_panel_step = own.panel_step(),
                       .resume = true,
                       .C = results_ + (first + tile) * columns,
                       .C_row_step = columns,
                       .C_panel_step = rows_ * columns});
  }
}

/// Raises a denominator of signed features to its floor, a logarithm in units of the row and the sums, if it is below.
template <class T>
void QueryChunk<T>::raise_to_floor(std::size_t i, double log_floor, RowCounts& counts) {
  constexpr double kLargest = std::is_same_v<T, float> ? 80 : 700;
  const T least = static_cast<T>(std::exp(std::min(log_floor, kLargest)));
  counts.negative += denominator_[i] < 0 ? 1 : 0;
  if (!(denominator_[i] < least)) return;
  denominator_[i] = least;
  ++counts.floored;
}

/// Adding 0 turns -0 into +0, because the sign of a zero is what later keys of a chunk or masked ones could change. The
/// quotient of signed features and a small floor may leave the range of T.
template <class T>
bool QueryChunk<T>::finish(std::size_t i) {
  bool defined = denominator_[i] >= std::numeric_limits<T>::min();
  const T factor = defined ? 1 / denominator_[i] : T(0);
  T* const to = problem_.out.row(place_.batch, place_.head, place_.first + i, line_);
  for (std::size_t p = 0; p < sizes_.panels && defined; ++p) {
    const std::size_t column = p * sizes_.columns, width = std::min(sizes_.columns, sizes_.values - column);
    const T* from = results_ + (p * rows_ + i) * sizes_.columns;
    for (std::size_t c = 0; c < width; ++c) to[column + c] = from[c] * factor + T(0);
  }
  for (std::size_t c = 0; c < sizes_.values && signed_; ++c) defined = defined && std::abs(to[c]) <= largest_;
  if (!defined) std::fill_n(to, sizes_.values, T(0));
  problem_.out.store(place_.batch, place_.head, place_.first + i, line_);
  return defined;
}

template class QueryChunk<float>;
template class QueryChunk<double>;

}  // namespace bochner
