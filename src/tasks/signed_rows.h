// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "bochner/matrix_view.h"
#include "tasks/attention_features.h"
#include "tasks/attention_problem.h"

namespace bochner {

/// Signed features of rows as Z exp(log_scale), max |Z| = 1 in each row (a row of zeros has the log scale 0). They are
/// computed in double, where |x|^2/2 may be 700; beyond that a row is refused, by its name and place. What is not
/// `kept` (empty: all is) gets zeros.
template <class T>
void signed_rows(const HeadFeatures& head, MatrixView<const T> rows, std::span<const bool> kept, Side side,
                 std::string_view name, const RowPlace& place, MatrixView<T> Z, std::span<double> log_scale);

}  // namespace bochner
