// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "attention/attention_features.h"
#include "attention/attention_problem.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// Signed features of rows as Z exp(log_scale), max |Z| = 1 in each row (a row of zeros has the log scale 0). They are
/// computed in double, and a row for which they overflow is refused with its name and position: |x|^2/2 may be up to
/// 700. Features of hybrid_clustered grow as exp(max(|a|, 1/|a|)^2 |x|^2/2), a the entries of its matrices, 1/10 to 10
/// depending on the centres, so that it may be up to 6 to 700. Rows that are not `kept` (empty: all are) become zeros.
template <class T>
void signed_rows(const HeadFeatures& head, MatrixView<const T> rows, std::span<const bool> kept, Side side,
                 std::string_view name, const RowPlace& place, MatrixView<T> Z, std::span<double> log_scale);

}  // namespace bochner
