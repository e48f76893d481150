// SPDX-License-Identifier: Apache-2.0
#include "attention/causal_rows.h"

#include <algorithm>
#include <cmath>

#include "attention/attention_diagnostics.h"

namespace bochner {

template <class T>
CausalRows<T>::CausalRows(const AttentionProblem<T>& problem, std::size_t b, std::size_t h,
                          const HeadFeatures& features, AttentionReport& report)
    : problem_(problem),
      b_(b),
      h_(h),
      features_(features),
      report_(report),
      sizes_(features.features->outputs(), problem.v.dim),
      keys_(problem, sizes_),
      log_floor_(features.is_signed ? kChunk : 0) {}

template <class T>
RowCounts CausalRows<T>::run(SegmentSums<T>& sums, std::size_t& position, std::size_t first, std::size_t last) {
  counts_ = {};
  while (queries_.size() < problem_.group())
    queries_.push_back(std::make_unique<QueryChunk<T>>(problem_, sizes_, true));
  const std::size_t segment = segment_rows(sizes_.outputs);
  while (first < last) {
    const std::size_t end = std::min(first + kChunk - position % kChunk, last);
    answer(sums, first, end);
    position += end - first;
    if (position % kChunk == 0) sums.own().settle();
    if (position % segment == 0) sums.next(features_);
    first = end;
  }
  return counts_;
}

template <class T>
void CausalRows<T>::add(KeySums<T>& sums, std::size_t position, std::size_t first, std::size_t last) {
  while (first < last) {
    const std::size_t end = std::min(first + kChunk - position % kChunk, last);
    keys_.load(features_, place(h_, first, end));
    keys_.add_to(sums, {});
    position += end - first;
    if (position % kChunk == 0) sums.settle();
    first = end;
  }
}

template <class T>
void CausalRows<T>::answer(SegmentSums<T>& sums, std::size_t first, std::size_t last) {
  keys_.load(features_, place(h_, first, last));
  for (std::size_t g = 0; g < queries_.size(); ++g) queries_[g]->load(features_, place(query_head(g), first, last));
  keys_.add_to(sums.own(), [&](std::size_t from, std::size_t to) { answer_part(sums, first, from, to); });
}

template <class T>
void CausalRows<T>::answer_part(SegmentSums<T>& sums, std::size_t first, std::size_t from, std::size_t to) {
  const KeySums<T>& seen = sums.see(features_);
  keys_.transpose(from, to, sums.share());
  for (std::size_t g = 0; g < queries_.size(); ++g) {
    if (features_.is_signed) find_floors(seen, *queries_[g], from, to);
    counts_.add(queries_[g]->attend(seen, from, to, &keys_, log_floor_));
    if (!report_.effective_features.empty()) diagnose(seen, sums.share(), g, first, from, to);
  }
}

/// Finds the floors from the mean of the keys up to each row.
template <class T>
void CausalRows<T>::find_floors(const KeySums<T>& seen, const QueryChunk<T>& queries, std::size_t from,
                                std::size_t to) {
  KeyMean mean = seen.mean();
  for (std::size_t i = from; i < to; ++i) {
    if (keys_.kept(i)) mean.add(keys_.key(i));
    log_floor_[i] = std::log(problem_.floor) + mean.log_least(queries.query(i), problem_.scale);
  }
}

/// Computes diagnostics from the sums of key features up to each row.
template <class T>
void CausalRows<T>::diagnose(const KeySums<T>& seen, std::span<const T> share, std::size_t g, std::size_t first,
                             std::size_t from, std::size_t to) {
  const std::span<const T> total = seen.total_mass(), recent = seen.recent_mass();
  std::vector<double> mass(total.size());
  for (std::size_t j = 0; j < mass.size(); ++j)
    mass[j] = static_cast<double>(total[j]) + static_cast<double>(recent[j]);
  for (std::size_t i = from; i < to; ++i) {
    for (std::size_t j = 0; j < mass.size(); ++j)
      mass[j] += static_cast<double>(keys_.features(i)[j]) * (share.empty() ? 1.0 : static_cast<double>(share[j]));
    const auto found = term_statistics<T>(queries_[g]->features(i), mass, features_.features->m());
    const std::size_t row = (b_ * problem_.q.heads + query_head(g)) * problem_.q.length + first + i;
    report_.effective_features[row] = found.effective;
    report_.relative_error[row] = found.relative_error;
  }
}

template class CausalRows<float>;
template class CausalRows<double>;

}  // namespace bochner
