// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/matrix_view.h"
#include "features/scratch.h"
#include "tasks/attention_features.h"
#include "tasks/key_sums.h"

namespace bochner {

/// Where rows come from, for messages.
struct RowPlace {
  std::string_view name;
  std::size_t batch, head, first;
};

/// Refuses entries that are not finite, or so large (1e18 lengthscales in float, 1e150 in double; values: the range of
/// T) that features could not be computed; rows that are not `kept` (empty: all are) are not looked at.
template <class T>
void check_rows(MatrixView<const T> rows, std::span<const bool> kept, const RowPlace& place, double largest);

/// Features and values of the keys of a chunk.
template <class T>
class KeyChunk {
 public:
  KeyChunk(const PanelSizes<T>& sizes, std::size_t most_rows, std::size_t dim);

  /// Exponents of the keys, and the values in panels; `kept`: one per row, or empty for all.
  void load(const HeadFeatures& head, MatrixView<const T> k, MatrixView<const T> v, std::span<const bool> kept,
            const RowPlace& key_place, double largest);
  /// Adds all keys to the sums, in parts [first, last) of unchanged references: `before` is called before each.
  void add_to(KeySums<T>& sums, const std::function<void(std::size_t first, std::size_t last)>& before);

  /// Row i, once its part is announced.
  const T* features(std::size_t i) const { return features_ + i * sizes_.rows; }
  const T* values(std::size_t i) const { return values_ + i * sizes_.columns; }
  std::size_t panel_step() const { return most_rows_ * sizes_.columns; }
  /// Puts the features of keys [first, last) side by side in panels, what queries of the same part need: number (j, key
  /// first + i) is transposed()[i / columns outputs columns + j columns + i % columns].
  void transpose(std::size_t first, std::size_t last);
  const T* transposed() const { return transposed_; }

 private:
  void add_part(KeySums<T>& sums, std::size_t first, std::size_t last,
                const std::function<void(std::size_t, std::size_t)>& before);

  PanelSizes<T> sizes_;
  std::size_t most_rows_, dim_, count_ = 0;
  Scratch<T> memory_;
  T *features_, *values_, *transposed_, *rows_;
  std::vector<double> log_factor_;
  std::array<bool, kChunk> kept_;
  std::vector<T> mass_;
};

/// Queries of a chunk and their results.
template <class T>
class QueryChunk {
 public:
  QueryChunk(const PanelSizes<T>& sizes, std::size_t most_rows, bool causal);

  void load(const HeadFeatures& head, MatrixView<const T> q, const RowPlace& place, double largest);
  /// Results of rows [first, last): all keys of the sums and, if given, those of `own` in the same part up to the row
  /// itself, transposed before. Returns how many rows have no denominator; out has a row for each.
  std::size_t attend(const KeySums<T>& sums, std::size_t first, std::size_t last, const KeyChunk<T>* own,
                     MatrixView<T> out);

  /// Features of query i after `attend`, up to a factor.
  std::span<const T> features(std::size_t i) const { return {features_ + i * sizes_.rows, sizes_.outputs}; }

 private:
  void normalise(const KeySums<T>& sums, std::size_t first, std::size_t last);
  void add_products(const T* sums, bool resume, std::size_t first, std::size_t last);
  void add_own(const KeyChunk<T>& own, std::size_t first, std::size_t last);
  std::size_t finish(std::size_t first, std::size_t last, MatrixView<T> out) const;

  PanelSizes<T> sizes_;
  std::size_t rows_, score_step_;
  Scratch<T> memory_;
  T *features_, *results_, *scores_;
  std::vector<T> denominator_;
  std::vector<double> log_factor_;
};

}  // namespace bochner
