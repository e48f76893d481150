// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "tasks/attention_problem.h"

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

/// mean |q + k|^2 over the queries and unmasked keys of a key head; none of either: 0, and nothing to compute.
template <class T>
double mean_squared_sum(const AttentionProblem<T>& problem, std::size_t b, std::size_t h) {
  const std::size_t d = problem.q.dim;
  RowMoments<T> queries(d), keys(d);
  for (std::size_t first = 0; first < problem.k.length; first += kChunk) {
    const std::size_t last = std::min(first + kChunk, problem.k.length);
    keys.add(problem.k.head(b, h).row_range(first, last), problem.kept(b, first, last));
  }
  for (std::size_t g = 0; g < problem.group(); ++g)
    for (std::size_t first = 0; first < problem.q.length; first += kChunk)
      queries.add(
          problem.q.head(b, h * problem.group() + g).row_range(first, std::min(first + kChunk, problem.q.length)), {});
  if (queries.count() == 0 || keys.count() == 0) return 0;
  double sum = 0;
  for (std::size_t l = 0; l < d; ++l)
    sum += queries.mean_square(l) + keys.mean_square(l) + 2 * queries.mean(l) * keys.mean(l);
  return sum;
}

/// Says which entry made a mean infinite or no number.
template <class T>
void check_head(const AttentionProblem<T>& problem, std::size_t b, std::size_t h) {
  check_rows<T>(problem.k.head(b, h), problem.kept(b, 0, problem.k.length), {"k", b, h, 0}, problem.largest);
  for (std::size_t g = h * problem.group(); g < (h + 1) * problem.group(); ++g)
    check_rows<T>(problem.q.head(b, g), {}, {"q", b, g, 0}, problem.largest);
}

}  // namespace

template <class T>
std::vector<HeadFeatures> features_of_heads(const AttentionProblem<T>& problem, const AttentionFeatures& features) {
  std::vector<HeadFeatures> heads(problem.key_heads(), features.common());
  if (!features.per_head()) return heads;
  const double unit = 1 / features.features().spec().lengthscale[0];
  parallel_for(heads.size(), 1, [&](std::size_t i, std::size_t) {
    const std::size_t b = i / problem.k.heads, h = i % problem.k.heads;
    const double mean = mean_squared_sum(problem, b, h);
    if (!std::isfinite(mean)) check_head(problem, b, h);
    if (mean > 0) heads[i] = features.for_mean_squared_sum(mean * unit * unit);
  });
  return heads;
}

template std::vector<HeadFeatures> features_of_heads(const AttentionProblem<float>&, const AttentionFeatures&);
template std::vector<HeadFeatures> features_of_heads(const AttentionProblem<double>&, const AttentionFeatures&);

}  // namespace bochner
