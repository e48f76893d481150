// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "couplings/coupling.h"

namespace bochner {

/// Fills the rows of one block of W (the first d of the D = `block` columns), given its number and r <= D rows.
using BlockDirections = std::function<void(std::uint64_t block, MatrixView<double> rows)>;

/// Rows of Haar matrices in R^D, D = `block`: the directions from which the geometric couplings start.
BlockDirections haar_directions(const DrawRequest& request);

/// W of a geometric coupling: independent blocks of D = `block` rows (the last one of m mod D), each with directions
/// from `directions`. Row i is then multiplied by its own radius in R^D, drawn from the law for row i: blocks share
/// neither directions nor norms. Each row keeps its law, since the first d coordinates of an isotropic row in R^D have
/// the law in R^d.
std::unique_ptr<Projection> draw_blocks(const DrawRequest& request, const BlockDirections& directions);

/// The same with rows of the norm sqrt(D).
std::unique_ptr<Projection> draw_fixed_blocks(const DrawRequest& request, const BlockDirections& directions);

}  // namespace bochner
