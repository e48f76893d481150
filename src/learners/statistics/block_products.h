// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <variant>

#include "bochner/matrix_view.h"

namespace bochner {

/// Rows in their own precision.
using RowPart = std::variant<MatrixView<const float>, MatrixView<const double>>;

/// Columns that are converted to double at once: 64 rows of them take 512 KB, ten functions 80 KB.
inline constexpr std::size_t kTileColumns = 1024;

/// Products of the features Z of a block of rows with one vector of doubles per function; all sums are double. If the
/// vectors have one number more than Z has columns, it is the intercept, and Z is extended by a column of ones. Columns
/// are processed in tiles that stay in cache.

/// How products are computed: for all rows by BLAS, or row by row and only for nonzero coefficients. Row by row, the
/// bits do not depend on which other rows Z has.
enum class Products { all, nonzero };

/// The faster way for a block of rows x functions coefficients.
Products faster_products(std::size_t nonzero, std::size_t rows, std::size_t functions);
Products faster_products(MatrixView<const double> coefficients);

/// scores(i, k) = Z_i . W_k.
void scores_of(const RowPart& Z, MatrixView<const double> W, MatrixView<double> scores);

/// coefficients(i, k) *= Z_i . V_k; zero coefficients stay zero.
void multiply_by_scores(Products products, const RowPart& Z, MatrixView<const double> V,
                        MatrixView<double> coefficients);

/// sums_k += sum_i coefficients(i, k) Z_i.
void add_rows(Products products, const RowPart& Z, MatrixView<const double> coefficients, MatrixView<double> sums);

/// sums_k += sum_i coefficients(i, k) Z_i^2, element by element.
void add_squared_rows(Products products, const RowPart& Z, MatrixView<const double> coefficients,
                      MatrixView<double> sums);

}  // namespace bochner
