// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "tasks/attention_diagnostics.h"
#include "tasks/attention_problem.h"

namespace bochner {
namespace {

/// The rows of one key head and the query heads that share it.
template <class T>
class CausalRows {
 public:
  CausalRows(const AttentionProblem<T>& problem, std::size_t b, std::size_t h, CausalHead<T>& head,
             AttentionReport& report)
      : problem_(problem),
        b_(b),
        h_(h),
        head_(head),
        report_(report),
        keys_(problem.sizes, problem.k.length, problem.k.dim) {
    for (std::size_t g = 0; g < problem.group(); ++g)
      queries_.push_back(std::make_unique<QueryChunk<T>>(problem.sizes, problem.q.length, true));
  }

  /// Returns the number of undefined rows.
  std::size_t run() {
    for (std::size_t first = 0; first < problem_.k.length;) {
      const std::size_t room = kChunk - head_.position % kChunk;
      const std::size_t last = std::min(first + room, problem_.k.length);
      chunk(first, last);
      head_.position += last - first;
      if (head_.position % kChunk == 0) head_.sums.settle();
      first = last;
    }
    return undefined_;
  }

 private:
  void chunk(std::size_t first, std::size_t last) {
    keys_.load(head_.features, problem_.k.head(b_, h_).row_range(first, last),
               problem_.v.head(b_, h_).row_range(first, last), problem_.kept(b_, first, last), {"k", b_, h_, first},
               problem_.largest);
    for (std::size_t g = 0; g < queries_.size(); ++g)
      queries_[g]->load(head_.features, problem_.q.head(b_, query_head(g)).row_range(first, last),
                        {"q", b_, query_head(g), first}, problem_.largest);
    keys_.add_to(head_.sums, [&](std::size_t from, std::size_t to) {
      head_.sums.prepare();
      keys_.transpose(from, to);
      for (std::size_t g = 0; g < queries_.size(); ++g) {
        const MatrixView<T> out = problem_.out.head(b_, query_head(g)).row_range(first + from, first + to);
        undefined_ += queries_[g]->attend(head_.sums, from, to, &keys_, out);
        if (!report_.effective_features.empty()) diagnose(g, first, from, to);
      }
    });
  }

  /// With the sums of key features up to each row.
  void diagnose(std::size_t g, std::size_t first, std::size_t from, std::size_t to) {
    const std::span<const T> total = head_.sums.total_mass(), recent = head_.sums.recent_mass();
    std::vector<double> mass(total.size());
    for (std::size_t j = 0; j < mass.size(); ++j)
      mass[j] = static_cast<double>(total[j]) + static_cast<double>(recent[j]);
    for (std::size_t i = from; i < to; ++i) {
      for (std::size_t j = 0; j < mass.size(); ++j) mass[j] += static_cast<double>(keys_.features(i)[j]);
      const auto found = term_statistics<T>(queries_[g]->features(i), mass, head_.features.features->m());
      const std::size_t row = (b_ * problem_.q.heads + query_head(g)) * problem_.q.length + first + i;
      report_.effective_features[row] = found.effective;
      report_.relative_error[row] = found.relative_error;
    }
  }

  std::size_t query_head(std::size_t g) const { return h_ * queries_.size() + g; }

  const AttentionProblem<T>& problem_;
  const std::size_t b_, h_;
  CausalHead<T>& head_;
  AttentionReport& report_;
  KeyChunk<T> keys_;
  std::vector<std::unique_ptr<QueryChunk<T>>> queries_;
  std::size_t undefined_ = 0;
};

}  // namespace

template <class T>
std::vector<CausalHead<T>> causal_heads(const AttentionFeatures& features, const PanelSizes<T>& sizes,
                                        std::size_t count) {
  std::vector<CausalHead<T>> heads;
  heads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    HeadFeatures common = features.common();
    KeySums<T> sums(sizes, common);
    heads.push_back({std::move(common), std::move(sums)});
  }
  return heads;
}

template <class T>
void causal_attention(const AttentionProblem<T>& problem, std::span<CausalHead<T>> heads, bool diagnostics,
                      AttentionReport& report) {
  if (diagnostics) {
    report.effective_features.resize(problem.q.batch * problem.q.heads * problem.q.length);
    report.relative_error.resize(report.effective_features.size());
  }
  std::atomic<std::size_t> undefined = 0;
  parallel_for(heads.size(), 1, [&](std::size_t head, std::size_t) {
    undefined += CausalRows<T>(problem, head / problem.k.heads, head % problem.k.heads, heads[head], report).run();
  });
  report.undefined_rows += undefined;
  for (const CausalHead<T>& head : heads)
    if (head.features.A) report.A.push_back(*head.features.A);
}

template std::vector<CausalHead<float>> causal_heads(const AttentionFeatures&, const PanelSizes<float>&, std::size_t);
template std::vector<CausalHead<double>> causal_heads(const AttentionFeatures&, const PanelSizes<double>&, std::size_t);
template void causal_attention(const AttentionProblem<float>&, std::span<CausalHead<float>>, bool, AttentionReport&);
template void causal_attention(const AttentionProblem<double>&, std::span<CausalHead<double>>, bool, AttentionReport&);

}  // namespace bochner
