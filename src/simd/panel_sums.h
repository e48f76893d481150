// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::simd {

/// sums_c += sum_k weights[k weight_step] panel[k columns + c] for the panel_columns<T>() columns of a panel of
/// panel_product.h with `rows` rows. In double, one chain of fused multiply-adds over k in order for every column.
template <class T>
void add_weighted_lines(std::size_t rows, const double* weights, std::size_t weight_step, const T* panel, double* sums);

}  // namespace bochner::simd
