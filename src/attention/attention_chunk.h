// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "attention/attention_features.h"
#include "attention/attention_problem.h"
#include "attention/exact_rows.h"
#include "attention/key_sums.h"
#include "bochner/matrix_view.h"
#include "features/scratch.h"

namespace bochner {

/// `count` numbers of T rounded up to whole cache lines.
template <class T>
constexpr std::size_t lines(std::size_t count) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  return (count + kLine - 1) / kLine * kLine;
}

/// Features and values of the keys of a chunk.
template <class T>
class KeyChunk {
 public:
  KeyChunk(const AttentionProblem<T>& problem, const PanelSizes<T>& sizes);

  /// Loads the exponents of the keys of a place, at most kChunk, and their values in panels.
  void load(const HeadFeatures& head, const RowPlace& place);
  /// Adds all keys to the sums, in parts [first, last) during which references do not change; `before` is called before
  /// each part.
  void add_to(KeySums<T>& sums, const std::function<void(std::size_t first, std::size_t last)>& before);

  /// Row i, valid once `before` has been called for its part.
  const T* features(std::size_t i) const { return features_ + i * sizes_.rows; }
  const T* values(std::size_t i) const { return values_ + i * sizes_.columns; }
  std::size_t panel_step() const { return most_rows_ * sizes_.columns; }
  std::span<const T> key(std::size_t i) const { return keys_.row(i); }
  bool kept(std::size_t i) const { return kept_[i]; }
  /// Stores the features of keys [first, last), each times its `factor` (none: 1), side by side in panels, as queries
  /// of the same part need them: number (j, key first + i) is
  /// transposed()[i / columns outputs columns + j columns + i % columns].
  void transpose(std::size_t first, std::size_t last, std::span<const T> factor);
  const T* transposed() const { return transposed_; }

 private:
  MatrixView<const T> read_keys(const HeadFeatures& head, const RowPlace& place, std::span<const bool> kept);
  void read_values(const RowPlace& place, std::span<const bool> kept);
  template <class Before>
  bool raise_reference(KeySums<T>& sums, std::size_t i, const Before& before);
  void exponentiate(KeySums<T>& sums, std::size_t i);
  void add_part(KeySums<T>& sums, std::size_t first, std::size_t last,
                const std::function<void(std::size_t, std::size_t)>& before);

  const AttentionProblem<T>& problem_;
  PanelSizes<T> sizes_;
  std::size_t most_rows_, count_ = 0;
  bool signed_ = false;
  Scratch<T> memory_;
  T *features_, *values_, *rows_, *value_rows_, *transposed_;
  MatrixView<const T> keys_;
  ExactRows<T> exact_;
  std::vector<double> log_factor_;
  std::array<bool, kChunk> kept_;
  std::vector<T> mass_;
};

/// How the rows of a chunk turned out.
struct RowCounts {
  std::size_t undefined = 0;  ///< no denominator, or no finite quotient
  std::size_t negative = 0;   ///< denominator < 0, of signed features
  std::size_t floored = 0;    ///< denominator below its floor, of signed features

  void add(const RowCounts& other) {
    undefined += other.undefined;
    negative += other.negative;
    floored += other.floored;
  }
};

/// The queries of a chunk and their results.
template <class T>
class QueryChunk {
 public:
  QueryChunk(const AttentionProblem<T>& problem, const PanelSizes<T>& sizes, bool causal);

  /// Loads the exponents of the queries of a place, at most kChunk.
  void load(const HeadFeatures& head, const RowPlace& place);
  /// Computes the results of rows [first, last) from all keys of the sums and, if `own` is given, from its keys in the
  /// same part up to the row itself, which must have been transposed before. `log_floor`, for signed features:
  /// logarithms of the least denominators of all rows.
  RowCounts attend(const KeySums<T>& sums, std::size_t first, std::size_t last, const KeyChunk<T>* own,
                   std::span<const double> log_floor);

  /// Features of query i after `attend`, up to a factor.
  std::span<const T> features(std::size_t i) const { return {features_ + i * sizes_.rows, sizes_.outputs}; }
  std::span<const T> query(std::size_t i) const { return queries_.row(i); }

 private:
  MatrixView<const T> read_queries(const HeadFeatures& head, const RowPlace& place);
  void normalise(const KeySums<T>& sums, std::size_t first, std::size_t last);
  void add_products(const T* sums, bool resume, std::size_t first, std::size_t last);
  void add_own(const KeyChunk<T>& own, std::size_t first, std::size_t last);
  void raise_to_floor(std::size_t i, double log_floor, RowCounts& counts);
  /// Writes row i. Returns whether its denominator can be divided by and its result is finite; if not, it writes zeros.
  bool finish(std::size_t i);

  const AttentionProblem<T>& problem_;
  PanelSizes<T> sizes_;
  std::size_t rows_, score_step_;
  bool signed_ = false;
  RowPlace place_ = {};
  Scratch<T> memory_;
  T *features_, *results_, *scores_, *query_rows_, *line_;
  MatrixView<const T> queries_;
  ExactRows<T> exact_;
  std::vector<T> denominator_;
  std::vector<double> log_factor_;
  T largest_;  ///< largest number that results can hold
};

}  // namespace bochner
