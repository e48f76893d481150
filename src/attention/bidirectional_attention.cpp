// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "attention/attention_chunk.h"
#include "attention/attention_diagnostics.h"
#include "attention/attention_problem.h"
#include "bochner/threads.h"
#include "core/parallel.h"

namespace bochner {
namespace {

template <class T>
class BidirectionalCall {
 public:
  BidirectionalCall(const AttentionProblem<T>& problem, std::span<const HeadFeatures> heads, AttentionReport& report)
      : problem_(problem), heads_(heads), report_(report) {}

  RowCounts run() {
    sum_keys();
    answer_queries();
    return counts_;
  }

 private:
  PanelSizes<T> sizes(std::size_t head) const { return {heads_[head].features->outputs(), problem_.v.dim}; }
  std::size_t segment(std::size_t head) const { return segment_rows(heads_[head].features->outputs()); }
  std::size_t segments(std::size_t head) const {
    return std::max<std::size_t>(1, (problem_.k.length + segment(head) - 1) / segment(head));
  }

  /// Sums the segments on all threads, then joins them in order.
  void sum_keys() {
    std::vector<std::size_t> first(heads_.size() + 1, 0);
    for (std::size_t head = 0; head < heads_.size(); ++head) first[head + 1] = first[head] + segments(head);
    std::vector<std::unique_ptr<KeySums<T>>> parts(first.back());
    parallel_for(parts.size(), 1, [&](std::size_t i, std::size_t) {
      const std::size_t head = static_cast<std::size_t>(std::ranges::upper_bound(first, i) - first.begin()) - 1;
      parts[i] = std::make_unique<KeySums<T>>(sums_of_segment(head, i - first[head]));
    });
    sums_.resize(heads_.size());
    parallel_for(heads_.size(), 1, [&](std::size_t head, std::size_t) {
      sums_[head] = std::move(parts[first[head]]);
      for (std::size_t i = first[head] + 1; i < first[head + 1]; ++i) {
        sums_[head]->merge(*parts[i]);
        parts[i].reset();
      }
      sums_[head]->prepare();
    });
  }

  KeySums<T> sums_of_segment(std::size_t head, std::size_t number) const {
    KeySums<T> sums(sizes(head), heads_[head]);
    KeyChunk<T> chunk(problem_, sizes(head));
    const std::size_t begin = number * segment(head), end = std::min(begin + segment(head), problem_.k.length);
    for_each_chunk(begin, end, [&](std::size_t first, std::size_t last) {
      chunk.load(heads_[head], {head / problem_.k.heads, head % problem_.k.heads, first, last});
      chunk.add_to(sums, {});
      sums.settle();
    });
    sums.close();
    return sums;
  }

  /// Queries are independent of each other: jobs are as long as leaves several jobs for every thread, but at most 16
  /// chunks.
  void answer_queries() {
    const std::size_t heads = problem_.q.batch * problem_.q.heads, length = problem_.q.length;
    const std::size_t wanted = 4 * static_cast<std::size_t>(num_threads()) / std::max<std::size_t>(heads, 1) + 1;
    const std::size_t chunks = std::clamp<std::size_t>((length + kChunk - 1) / kChunk / wanted, 1, 16);
    const std::size_t rows = chunks * kChunk, jobs = (length + rows - 1) / rows;
    parallel_for(heads * jobs, 1, [&](std::size_t i, std::size_t) {
      const std::size_t first = i % jobs * rows;
      answer(i / jobs / problem_.q.heads, i / jobs % problem_.q.heads, first, std::min(first + rows, length));
    });
  }

  void answer(std::size_t b, std::size_t h, std::size_t begin, std::size_t end) {
    const std::size_t head = b * problem_.k.heads + h / problem_.group();
    const KeySums<T>& sums = *sums_[head];
    QueryChunk<T> chunk(problem_, sizes(head), false);
    const std::vector<double> mass(sums.total_mass().begin(), sums.total_mass().end());
    std::vector<double> log_floor(heads_[head].is_signed ? kChunk : 0);
    RowCounts counts;
    for_each_chunk(begin, end, [&](std::size_t first, std::size_t last) {
      chunk.load(heads_[head], {b, h, first, last});
      for (std::size_t i = 0; i < last - first && !log_floor.empty(); ++i)
        log_floor[i] = std::log(problem_.floor) + sums.mean().log_least(chunk.query(i), problem_.scale);
      counts.add(chunk.attend(sums, 0, last - first, nullptr, log_floor));
      for (std::size_t i = first; i < last && !report_.effective_features.empty(); ++i) {
        const TermStatistics found = term_statistics<T>(chunk.features(i - first), mass, heads_[head].features->m());
        const std::size_t row = (b * problem_.q.heads + h) * problem_.q.length + i;
        report_.effective_features[row] = found.effective;
        report_.relative_error[row] = found.relative_error;
      }
    });
    const std::lock_guard lock(mutex_);
    counts_.add(counts);
  }

  const AttentionProblem<T>& problem_;
  std::span<const HeadFeatures> heads_;
  AttentionReport& report_;
  std::vector<std::unique_ptr<KeySums<T>>> sums_;
  std::mutex mutex_;
  RowCounts counts_;
};

}  // namespace

template <class T>
AttentionReport bidirectional_attention(const AttentionProblem<T>& problem, const AttentionFeatures& features,
                                        bool diagnostics) {
  const std::vector<HeadFeatures> heads = features_of_heads(problem, features);
  AttentionReport report;
  if (diagnostics) {
    report.effective_features.resize(problem.queries());
    report.relative_error.resize(report.effective_features.size());
  }
  const RowCounts counts = BidirectionalCall<T>(problem, heads, report).run();
  report.undefined_rows = counts.undefined;
  report.negative_rows = counts.negative;
  report.floored_rows = counts.floored;
  for (const HeadFeatures& head : heads)
    if (head.A) report.A.push_back(*head.A);
  if (diagnostics) count_negative_weights<T>(problem, heads, false, report);
  return report;
}

template AttentionReport bidirectional_attention(const AttentionProblem<float>&, const AttentionFeatures&, bool);
template AttentionReport bidirectional_attention(const AttentionProblem<double>&, const AttentionFeatures&, bool);

}  // namespace bochner
