// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "bochner/preprocessing.h"

namespace bochner {

/// Called with a block of prepared rows and their targets: numbers, or numbers of classes.
using RowBlock = std::function<void(MatrixView<const double> X, std::span<const double> y)>;

/// One pass over those prepared rows of a file whose number is `wanted`, block by block; `single` as in PreparedRows.
void for_each_row_block(const Preprocessing& preprocessing, bool single, RowSource& rows,
                        const std::function<bool(std::uint64_t number)>& wanted, const Progress& progress,
                        std::string_view what, const RowBlock& use);

}  // namespace bochner
