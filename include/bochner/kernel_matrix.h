// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "bochner/export.h"
#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "bochner/parameters.h"

namespace bochner {

/// The exact Gram matrix K(i, j) = k(x_i, y_j), n x n': what random features approximate, and the reference of every
/// test. `lengthscale` holds one number or one per coordinate, `parameters` the other parameters of the kernel (`nu`).
/// Computed in double whatever T is; O(n n' d).
template <class T>
BOCHNER_EXPORT Matrix<T> kernel_matrix(MatrixView<const T> X, MatrixView<const T> Y, std::string_view kernel,
                                       std::span<const double> lengthscale, const Parameters& parameters = {});

extern template Matrix<float> kernel_matrix<float>(MatrixView<const float>, MatrixView<const float>, std::string_view,
                                                   std::span<const double>, const Parameters&);
extern template Matrix<double> kernel_matrix<double>(MatrixView<const double>, MatrixView<const double>,
                                                     std::string_view, std::span<const double>, const Parameters&);

}  // namespace bochner
