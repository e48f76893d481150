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

/// The size of a target of a regression: sums of squares of larger ones overflow.
inline constexpr double kMostTarget = 1e150;
/// Why a larger one is refused, as the end of a sentence.
std::string huge_target(double value);

/// Maps rows as a reader gives them to rows as a model wants them.
class ColumnMap {
 public:
  /// `at` says in which column of the reader each input stands, `target` where the target does; without one, no value
  /// of it is asked for. `single`: numbers must be such that float holds them.
  ColumnMap(const Preprocessing& preprocessing, const RowSource& reader, std::vector<std::size_t> at,
            std::optional<std::size_t> target, bool single = false);

  /// `row` is that of the last block of the reader, for messages.
  void inputs(std::span<const double> raw, std::size_t row, std::span<double> out) const;
  double target(std::span<const double> raw, std::size_t row) const;
  /// To be called after every block: the reader may have met words it had not before.
  void learn_words();

 private:
  [[noreturn]] void refuse_value(std::size_t row, std::size_t column, const std::string& sentence) const;

  const Preprocessing& preprocessing_;
  const RowSource& reader_;
  std::vector<std::size_t> at_;
  std::optional<std::size_t> target_;
  double largest_;
  /// For each input of words and, at the end, the target: the category of each word of the reader; -1 for none.
  std::vector<std::vector<std::ptrdiff_t>> category_of_;
  std::map<double, std::size_t> class_of_;
};

}  // namespace bochner::data
