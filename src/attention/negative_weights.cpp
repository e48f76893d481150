// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>
#include <vector>

#include "attention/attention_problem.h"
#include "attention/signed_rows.h"
#include "bochner/matrix.h"
#include "core/blas.h"
#include "core/parallel.h"

namespace bochner {
namespace {

constexpr std::size_t kMost = 64;

/// Some rows of a head, evenly spaced, with their features up to positive factors.
template <class T>
struct Sample {
  std::vector<std::size_t> rows;
  Matrix<double> features;

  Sample(const HeadsSource<T>& source, const RowPlace& head, std::span<const bool> kept, const HeadFeatures& of,
         Side side) {
    for (std::size_t i = 0; i < source.length; ++i)
      if (kept.empty() || kept[i]) rows.push_back(i);
    const std::size_t all = rows.size(), count = std::min(all, kMost);
    for (std::size_t i = 0; i < count; ++i) rows[i] = rows[i * all / count];
    rows.resize(count);
    Matrix<double> X(count, source.dim);
    std::vector<T> room(source.dim);
    for (std::size_t i = 0; i < count; ++i)
      std::ranges::copy(source.rows(head.batch, head.head, rows[i], rows[i] + 1, room.data()).row(0),
                        X.view().row(i).begin());
    features = Matrix<double>(count, of.features->outputs());
    std::vector<double> log_scale(count);
    signed_rows<double>(of, X.view(), {}, side, side == Side::key ? "k" : "q", head, features.view(), log_scale);
  }
};

}  // namespace

template <class T>
void count_negative_weights(const AttentionProblem<T>& problem, std::span<const HeadFeatures> heads, bool causal,
                            AttentionReport& report) {
  std::mutex mutex;
  parallel_for(problem.q.batch * problem.q.heads, 1, [&](std::size_t i, std::size_t) {
    const std::size_t b = i / problem.q.heads, h = i % problem.q.heads, g = h / problem.group();
    const HeadFeatures& head = heads[b * problem.k.heads + g];
    if (!head.is_signed) return;
    const Sample<T> queries(problem.q, {b, h, 0, problem.q.length}, {}, head, Side::query);
    const Sample<T> keys(problem.k, {b, g, 0, problem.k.length}, problem.kept(b, 0, problem.k.length), head, Side::key);
    if (queries.rows.empty() || keys.rows.empty()) return;
    Matrix<double> weights(queries.rows.size(), keys.rows.size());
    blas::gemm_nt<double>(1, queries.features, keys.features, 0, weights);
    std::size_t looked = 0, negative = 0;
    for (std::size_t t = 0; t < weights.rows(); ++t)
      for (std::size_t k = 0; k < weights.cols(); ++k) {
        if (causal && keys.rows[k] > queries.rows[t]) continue;
        ++looked;
        negative += weights(t, k) < 0 ? 1 : 0;
      }
    const std::lock_guard lock(mutex);
    report.sampled_weights += looked;
    report.negative_weights += negative;
  });
}

template void count_negative_weights(const AttentionProblem<float>&, std::span<const HeadFeatures>, bool,
                                     AttentionReport&);
template void count_negative_weights(const AttentionProblem<double>&, std::span<const HeadFeatures>, bool,
                                     AttentionReport&);

}  // namespace bochner
