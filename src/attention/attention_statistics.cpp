// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "attention/attention_problem.h"
#include "attention/key_sums.h"
#include "bochner/matrix.h"
#include "core/parallel.h"

namespace bochner {
namespace {

/// Sums of rows and of their squares, coordinate by coordinate, in double: squares of small floats leave the range of
/// float, although a large scale may turn them into numbers of ordinary size.
template <class T>
class RowMoments {
 public:
  explicit RowMoments(std::size_t dim) : sums_(dim, 0.0), squares_(dim, 0.0) {}

  void add(MatrixView<const T> rows, std::span<const bool> kept) {
    double *sum = sums_.data(), *square = squares_.data();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      if (!kept.empty() && !kept[i]) continue;
      const T* row = rows.row(i).data();
      for (std::size_t l = 0; l < sums_.size(); ++l) {
        const auto entry = static_cast<double>(row[l]);
        sum[l] += entry;
        square[l] += entry * entry;
      }
      ++count_;
    }
  }

  std::size_t count() const { return count_; }
  double mean(std::size_t l) const { return sums_[l] / static_cast<double>(count_); }
  double mean_square(std::size_t l) const { return squares_[l] / static_cast<double>(count_); }

 private:
  std::vector<double> sums_, squares_;
  std::size_t count_ = 0;
};

/// Calls use(rows, first, last) for the chunks of a head.
template <class T, class Use>
void for_each_chunk_of(const HeadsSource<T>& source, std::size_t b, std::size_t h, const Use& use) {
  Matrix<T> room(source.widens() ? kChunk : 0, source.dim);
  for_each_chunk(0, source.length, [&](std::size_t first, std::size_t last) {
    use(source.rows(b, h, first, last, room.data()), first, last);
  });
}

/// mean |q + k|^2 over the queries that count and the unmasked keys of a key head; 0, without computing anything, if
/// there are none of either.
template <class T>
double mean_squared_sum(const AttentionProblem<T>& problem, std::size_t b, std::size_t h) {
  const std::size_t d = problem.q.dim;
  RowMoments<T> queries(d), keys(d);
  for_each_chunk_of(problem.k, b, h, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
    keys.add(rows, problem.kept(b, first, last));
  });
  for (std::size_t g = h * problem.group(); g < (h + 1) * problem.group(); ++g)
    for_each_chunk_of(problem.q, b, g, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
      queries.add(rows, problem.counted(b, first, last));
    });
  if (queries.count() == 0 || keys.count() == 0) return 0;
  double sum = 0;
  for (std::size_t l = 0; l < d; ++l)
    sum += queries.mean_square(l) + keys.mean_square(l) + 2 * queries.mean(l) * keys.mean(l);
  return sum;
}

/// Refuses the entry that made a mean infinite or NaN.
template <class T>
void check_head(const AttentionProblem<T>& problem, std::size_t b, std::size_t h) {
  for_each_chunk_of(problem.k, b, h, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
    check_rows<T>(rows, problem.kept(b, first, last), "k", {b, h, first, last}, problem.largest);
  });
  for (std::size_t g = h * problem.group(); g < (h + 1) * problem.group(); ++g)
    for_each_chunk_of(problem.q, b, g, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
      check_rows<T>(rows, {}, "q", {b, g, first, last}, problem.largest);
    });
}

/// Appends the rows that are `kept` (empty: all).
template <class T>
void append(std::vector<T>& to, MatrixView<const T> rows, std::span<const bool> kept) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (kept.empty() || kept[i]) to.insert(to.end(), rows.row(i).begin(), rows.row(i).end());
}

/// Parameters from the queries that count and the unmasked keys of a key head; from one row of zeros if there are none.
template <class T>
HeadFeatures fitted_features(const AttentionProblem<T>& problem, const AttentionFeatures& features, std::size_t b,
                             std::size_t h) {
  check_head(problem, b, h);
  const std::size_t d = problem.q.dim;
  std::vector<T> queries, keys;
  for_each_chunk_of(problem.k, b, h, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
    append(keys, rows, problem.kept(b, first, last));
  });
  for (std::size_t g = h * problem.group(); g < (h + 1) * problem.group(); ++g)
    for_each_chunk_of(problem.q, b, g, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
      append(queries, rows, problem.counted(b, first, last));
    });
  for (std::vector<T>* rows : {&queries, &keys})
    if (rows->empty()) rows->resize(d, T(0));
  try {
    return features.fitted_to<T>(MatrixView<const T>(queries.data(), queries.size() / d, d),
                                 MatrixView<const T>(keys.data(), keys.size() / d, d));
  } catch (const std::invalid_argument& refusal) {
    std::string_view why = refusal.what();
    if (why.starts_with("X has ")) why.remove_prefix(std::string_view("X has ").size());
    throw std::invalid_argument(
        fmt::format("k has a head [{}, {}] to which, with its queries, map '{}' cannot be fitted: it has {} "
                    "(the lengthscale is 1/sqrt(scale))",
                    b, h, features.features().spec().map, why));
  }
}

}  // namespace

template <class T>
std::vector<HeadFeatures> features_of_heads(const AttentionProblem<T>& problem, const AttentionFeatures& features) {
  std::vector<HeadFeatures> heads(problem.key_heads(), features.fits_rows() ? HeadFeatures{} : features.common());
  if (!features.per_head() && !features.fits_rows()) return heads;
  const double unit = 1 / features.features().spec().lengthscale[0];
  parallel_for(heads.size(), 1, [&](std::size_t i, std::size_t) {
    const std::size_t b = i / problem.k.heads, h = i % problem.k.heads;
    if (features.fits_rows()) {
      heads[i] = fitted_features(problem, features, b, h);
      return;
    }
    const double mean = mean_squared_sum(problem, b, h);
    if (!std::isfinite(mean)) check_head(problem, b, h);
    if (mean > 0) heads[i] = features.for_mean_squared_sum(mean * unit * unit);
  });
  return heads;
}

template std::vector<HeadFeatures> features_of_heads(const AttentionProblem<float>&, const AttentionFeatures&);
template std::vector<HeadFeatures> features_of_heads(const AttentionProblem<double>&, const AttentionFeatures&);

}  // namespace bochner
