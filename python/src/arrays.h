// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"
#include "result_memory.h"

namespace bochner::python {

namespace nb = nanobind;

/// A two-dimensional Python array, used without a copy; `const T` accepts read-only memory.
template <class T>
using Array = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
/// An array made here and owned by Python.
template <class T>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<const double> span_of(const Numbers& numbers) { return {numbers.data(), numbers.size()}; }
inline std::span<const std::int64_t> span_of(const Labels& labels) { return {labels.data(), labels.size()}; }

/// The array as a view. Its rows must be contiguous and must not overlap; the package converts anything else
/// beforehand.
template <class T>
MatrixView<T> view(const Array<T>& array) {
  const std::size_t rows = array.shape(0), cols = array.shape(1);
  const bool whole_rows = rows == 0 || cols <= 1 || array.stride(1) == 1;
  const bool apart = rows <= 1 || array.stride(0) >= static_cast<std::int64_t>(cols);
  if (!whole_rows || !apart)
    throw std::invalid_argument("an array has strided or overlapping rows; expected contiguous rows");
  return {array.data(), rows, cols, rows <= 1 ? cols : static_cast<std::size_t>(array.stride(0))};
}

inline Matrix<double> copy_of(MatrixView<const double> from) {
  Matrix<double> copy(from.rows(), from.cols());
  for (std::size_t i = 0; i < from.rows(); ++i) std::copy_n(from.row(i).data(), from.cols(), copy.view().row(i).data());
  return copy;
}

/// Hands a matrix to numpy without a copy.
template <class T>
Result<T> release(Matrix<T>&& matrix) {
  auto kept = std::make_unique<Matrix<T>>(std::move(matrix));
  T* data = kept->data();
  const std::size_t rows = kept->rows(), cols = kept->cols();
  nb::capsule owner(kept.get(), [](void* held) noexcept { delete static_cast<Matrix<T>*>(held); });
  kept.release();
  return Result<T>(data, {rows, cols}, owner);
}

/// Hands the first rows x cols numbers of a block to numpy.
template <class T>
Result<T> release(ResultMemory&& memory, std::size_t rows, std::size_t cols) {
  auto kept = std::make_unique<ResultMemory>(std::move(memory));
  T* data = static_cast<T*>(kept->data());
  nb::capsule owner(kept.get(), [](void* held) noexcept { delete static_cast<ResultMemory*>(held); });
  kept.release();
  return Result<T>(data, {rows, cols}, owner);
}

}  // namespace bochner::python
