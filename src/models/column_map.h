// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bochner/preprocessing.h"

namespace bochner::data {

/// The largest size of a regression target: sums of squares of larger ones overflow.
inline constexpr double kMostTarget = 1e150;
/// Why a larger target is refused, as the end of a sentence.
std::string huge_target(double value);

/// Turns rows from a reader into rows for a model.
class ColumnMap {
 public:
  /// `at` has the reader's column of each input, `target` that of the target; if it is empty, `target()` must not be
  /// called. `single`: numbers must not overflow float.
  ColumnMap(const Preprocessing& preprocessing, const RowSource& reader, std::vector<std::size_t> at,
            std::optional<std::size_t> target, bool single = false);

  /// `row` is the row within the last block of the reader, for messages.
  void inputs(std::span<const double> raw, std::size_t row, std::span<double> out) const;
  double target(std::span<const double> raw, std::size_t row) const;
  /// Must be called after every block, since the reader may have met new words.
  void learn_words();

 private:
  [[noreturn]] void refuse_value(std::size_t row, std::size_t column, const std::string& sentence) const;

  const Preprocessing& preprocessing_;
  const RowSource& reader_;
  std::vector<std::size_t> at_;
  std::optional<std::size_t> target_;
  double largest_;
  /// For each input of words and, last, the target: the category of each word of the reader; -1 for none.
  std::vector<std::vector<std::ptrdiff_t>> category_of_;
  std::map<double, std::size_t> class_of_;
};

}  // namespace bochner::data
