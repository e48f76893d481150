// SPDX-License-Identifier: Apache-2.0
#include "attention/causal_attention.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "attention/causal_rows.h"
#include "core/parallel.h"

namespace bochner {
namespace {

template <class T>
KeySums<T> fresh_sums(const HeadFeatures& head, std::size_t value_dim) {
  return KeySums<T>(PanelSizes<T>(head.features->outputs(), value_dim), head);
}

/// Rows of one call that belong to one segment of a head.
struct Piece {
  std::size_t head, first, last;
};

template <class T>
class CausalCall {
 public:
  CausalCall(const AttentionProblem<T>& problem, std::span<CausalHead<T>> heads, AttentionReport& report)
      : problem_(problem), heads_(heads), report_(report) {}

  RowCounts run() {
    const bool one_piece = heads_.empty() || problem_.k.length <= segment_rows(heads_[0].features.features->outputs());
    const std::size_t whole = one_piece ? heads_.size() : heads_by_themselves(heads_.size(), 3, 2);
    parallel_for(whole, 1, [&](std::size_t i, std::size_t) {
      CausalRows<T> rows = rows_of(i);
      count(rows.run(heads_[i].sums, heads_[i].position, 0, problem_.k.length));
    });
    run_by_pieces(whole);
    return counts_;
  }

 private:
  CausalRows<T> rows_of(std::size_t head) {
    return CausalRows<T>(problem_, head / problem_.k.heads, head % problem_.k.heads, heads_[head].features, report_);
  }

  std::vector<Piece> pieces_from(std::size_t head) const {
    std::vector<Piece> pieces;
    for (std::size_t i = head; i < heads_.size(); ++i) {
      const std::size_t segment = segment_rows(heads_[i].features.features->outputs());
      for (std::size_t first = 0; first < problem_.k.length;) {
        const std::size_t room = segment - (heads_[i].position + first) % segment;
        pieces.push_back({i, first, std::min(first + room, problem_.k.length)});
        first = pieces.back().last;
      }
    }
    return pieces;
  }

  /// The sums of the piece's own segment alone, as known when the piece begins.
  KeySums<T> own_of(const Piece& piece) const {
    const CausalHead<T>& head = heads_[piece.head];
    return piece.first == 0 ? head.sums.own().copy() : fresh_sums<T>(head.features, problem_.v.dim);
  }

  void run_by_pieces(std::size_t first_head) {
    const std::vector<Piece> pieces = pieces_from(first_head);
    std::vector<std::unique_ptr<KeySums<T>>> sums(pieces.size());
    parallel_for(pieces.size(), 1, [&](std::size_t i, std::size_t) {
      if (pieces[i].last == problem_.k.length) return;
      KeySums<T> own = own_of(pieces[i]);
      CausalRows<T> rows = rows_of(pieces[i].head);
      rows.add(own, heads_[pieces[i].head].position + pieces[i].first, pieces[i].first, pieces[i].last);
      own.close();
      sums[i] = std::make_unique<KeySums<T>>(std::move(own));
    });
    std::vector<std::shared_ptr<const KeySums<T>>> before(pieces.size());
    parallel_for(heads_.size() - first_head, 1, [&](std::size_t h, std::size_t) {
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].head != first_head + h) continue;
        const CausalHead<T>& head = heads_[pieces[i].head];
        before[i] = pieces[i].first == 0 ? head.sums.before()
                                         : SegmentSums<T>::joined(before[i - 1], std::move(sums[i - 1]), head.features);
      }
    });
    answer(pieces, before);
  }

  /// The last piece of a head stores its sums in the head.
  void answer(const std::vector<Piece>& pieces, std::vector<std::shared_ptr<const KeySums<T>>>& before) {
    std::vector<std::size_t> positions;
    for (const CausalHead<T>& head : heads_) positions.push_back(head.position);
    parallel_for(pieces.size(), 1, [&](std::size_t i, std::size_t) {
      const Piece& piece = pieces[i];
      SegmentSums<T> sums(std::move(before[i]), own_of(piece));
      CausalRows<T> rows = rows_of(piece.head);
      std::size_t position = positions[piece.head] + piece.first;
      count(rows.run(sums, position, piece.first, piece.last));
      if (piece.last < problem_.k.length) return;
      const std::lock_guard lock(mutex_);
      last_.push_back({piece.head, std::move(sums), position});
    });
    for (Last& last : last_) {
      heads_[last.head].sums = std::move(last.sums);
      heads_[last.head].position = last.position;
    }
  }

  void count(const RowCounts& counts) {
    const std::lock_guard lock(mutex_);
    counts_.add(counts);
  }

  struct Last {
    std::size_t head;
    SegmentSums<T> sums;
    std::size_t position;
  };

  const AttentionProblem<T>& problem_;
  std::span<CausalHead<T>> heads_;
  AttentionReport& report_;
  std::mutex mutex_;
  RowCounts counts_;
  std::vector<Last> last_;
};

}  // namespace

template <class T>
std::vector<CausalHead<T>> causal_heads(const AttentionFeatures& features, std::size_t value_dim, std::size_t count) {
  std::vector<CausalHead<T>> heads;
  heads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    HeadFeatures common = features.common();
    KeySums<T> own = fresh_sums<T>(common, value_dim);
    heads.push_back({std::move(common), SegmentSums<T>(nullptr, std::move(own))});
  }
  return heads;
}

template <class T>
void causal_attention(const AttentionProblem<T>& problem, std::span<CausalHead<T>> heads, bool diagnostics,
                      AttentionReport& report) {
  if (diagnostics) {
    report.effective_features.resize(problem.queries());
    report.relative_error.resize(report.effective_features.size());
  }
  const RowCounts counts = CausalCall<T>(problem, heads, report).run();
  report.undefined_rows += counts.undefined;
  report.negative_rows += counts.negative;
  report.floored_rows += counts.floored;
  std::vector<HeadFeatures> features;
  for (const CausalHead<T>& head : heads) {
    features.push_back(head.features);
    if (head.features.A) report.A.push_back(*head.features.A);
  }
  if (diagnostics) count_negative_weights<T>(problem, features, true, report);
}

template std::vector<CausalHead<float>> causal_heads(const AttentionFeatures&, std::size_t, std::size_t);
template std::vector<CausalHead<double>> causal_heads(const AttentionFeatures&, std::size_t, std::size_t);
template void causal_attention(const AttentionProblem<float>&, std::span<CausalHead<float>>, bool, AttentionReport&);
template void causal_attention(const AttentionProblem<double>&, std::span<CausalHead<double>>, bool, AttentionReport&);

}  // namespace bochner
