// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "bochner/matrix.h"
#include "core/law.h"

namespace bochner {

/// W of a geometric coupling: independent blocks of d rows (the last one of m mod d), each with unit directions from
/// `directions(block, rows of W)`, then row i multiplied by its own radius, drawn from the law for row i: blocks share
/// neither directions nor norms.
Matrix<double> draw_blocks(const Law& law, std::size_t d, std::size_t m, std::uint64_t seed,
                           const std::function<void(std::uint64_t block, MatrixView<double> rows)>& directions);

}  // namespace bochner
