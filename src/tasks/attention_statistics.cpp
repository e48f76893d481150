// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "bochner/matrix.h"
#include "core/parallel.h"
#include "tasks/attention_problem.h"
#include "tasks/key_sums.h"

namespace bochner {
namespace {

/// Sums of rows and of their squares, coordinate by coordinate: in T within a chunk, in double over chunks.
template <class T>
class RowMoments {
 public:
  explicit RowMoments(std::size_t dim) : sums_(dim, 0.0), squares_(dim, 0.0), sum_(dim), square_(dim) {}

  void add(MatrixView<const T> rows, std::span<const bool> kept) {
    std::fill(sum_.begin(), sum_.end(), T(0));
    std::fill(square_.begin(), square_.end(), T(0));
    T* sum = sum_.data();
    T* square = square_.data();
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      if (!kept.empty() && !kept[i]) continue;
      const T* row = rows.row(i).data();
      for (std::size_t l = 0; l < sum_.size(); ++l) {
        sum[l] += row[l];
        square[l] += row[l] * row[l];
      }
      ++count_;
    }
    for (std::size_t l = 0; l < sum_.size(); ++l) {
      sums_[l] += static_cast<double>(sum_[l]);
      squares_[l] += static_cast<double>(square_[l]);
    }
  }

  std::size_t count() const { return count_; }
  double mean(std::size_t l) const { return sums_[l] / static_cast<double>(count_); }
  double mean_square(std::size_t l) const { return squares_[l] / static_cast<double>(count_); }

 private:
  std::vector<double> sums_, squares_;
  std::vector<T> sum_, square_;
  std::size_t count_ = 0;
};

/// `use(rows, first, last)` for the chunks of a head.
template <class T, class Use>
void for_each_chunk_of(const HeadsSource<T>& source, std::size_t b, std::size_t h, const Use& use) {
  Matrix<T> room(source.widens() ? kChunk : 0, source.dim);
  for_each_chunk(0, source.length, [&](std::size_t first, std::size_t last) {
    use(source.rows(b, h, first, last, room.data()), first, last);
  });
}

/// mean |q + k|^2 over the queries and unmasked keys of a key head; none of either: 0, and nothing to compute.
template <class T>
double mean_squared_sum(const AttentionProblem<T>& problem, std::size_t b, std::size_t h) {
  const std::size_t d = problem.q.dim;
  RowMoments<T> queries(d), keys(d);
  for_each_chunk_of(problem.k, b, h, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
    keys.add(rows, problem.kept(b, first, last));
  });
  for (std::size_t g = h * problem.group(); g < (h + 1) * problem.group(); ++g)
    for_each_chunk_of(problem.q, b, g,
                      [&](MatrixView<const T> rows, std::size_t, std::size_t) { queries.add(rows, {}); });
  if (queries.count() == 0 || keys.count() == 0) return 0;
  double sum = 0;
  for (std::size_t l = 0; l < d; ++l)
    sum += queries.mean_square(l) + keys.mean_square(l) + 2 * queries.mean(l) * keys.mean(l);
  return sum;
}

/// Says which entry made a mean infinite or no number.
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

/// Parameters from all queries and unmasked keys of a key head; where there are none, from one row of zeros.
template <class T>
HeadFeatures fitted_features(const AttentionProblem<T>& problem, const AttentionFeatures& features, std::size_t b,
                             std::size_t h) {
  check_head(problem, b, h);
  const std::size_t d = problem.q.dim;
  std::vector<T> queries, keys;
  for_each_chunk_of(problem.k, b, h, [&](MatrixView<const T> rows, std::size_t first, std::size_t last) {
    const std::span<const bool> kept = problem.kept(b, first, last);
    for (std::size_t i = 0; i < rows.rows(); ++i)
      if (kept.empty() || kept[i]) keys.insert(keys.end(), rows.row(i).begin(), rows.row(i).end());
  });
  for (std::size_t g = h * problem.group(); g < (h + 1) * problem.group(); ++g)
    for_each_chunk_of(problem.q, b, g, [&](MatrixView<const T> rows, std::size_t, std::size_t) {
      for (std::size_t i = 0; i < rows.rows(); ++i)
        queries.insert(queries.end(), rows.row(i).begin(), rows.row(i).end());
    });
  for (std::vector<T>* rows : {&queries, &keys})
    if (rows->empty()) rows->resize(d, T(0));
  return features.fitted_to<T>(MatrixView<const T>(queries.data(), queries.size() / d, d),
                               MatrixView<const T>(keys.data(), keys.size() / d, d));
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
