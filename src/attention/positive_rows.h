// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "attention/attention_features.h"
#include "attention/attention_problem.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// log phi(x) = Z + log_factor for rows of q or k, by Features::transform_log. An entry that the map refuses because it
/// is below its shift is refused with the name of its array and its position there.
template <class T>
void positive_rows(const HeadFeatures& head, MatrixView<const T> rows, Side side, std::string_view name,
                   const RowPlace& place, MatrixView<T> Z, std::span<double> log_factor);

}  // namespace bochner
