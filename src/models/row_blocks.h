// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "bochner/preprocessing.h"

namespace bochner {

/// Prepared rows and their targets: numbers, class numbers, or none for components. Empty weights mean ones.
struct PreparedBlock {
  MatrixView<const double> X;
  std::span<const double> y, weights = {};
};
using RowBlock = std::function<void(const PreparedBlock& block)>;

/// One pass over the prepared rows of a file whose numbers are `wanted`, block by block; `single` is as in
/// PreparedRows, and `weight` is the column of weights.
void for_each_row_block(const Preprocessing& preprocessing, bool single, RowSource& rows,
                        const std::function<bool(std::uint64_t number)>& wanted, const Progress& progress,
                        std::string_view what, const RowBlock& use, std::optional<std::size_t> weight = {});

}  // namespace bochner
