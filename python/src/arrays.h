// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner::python {

namespace nb = nanobind;

/// A two-dimensional array of Python's, looked at where it lies; `const T` accepts read-only memory.
template <class T>
using Array = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;
/// An array of ours, owned by Python.
template <class T>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

/// The array as a view. Its rows must be contiguous and must not overlap; the package converts anything else before.
template <class T>
MatrixView<T> view(const Array<T>& array) {
  const std::size_t rows = array.shape(0), cols = array.shape(1);
  const bool whole_rows = rows == 0 || cols <= 1 || array.stride(1) == 1;
  const bool apart = rows <= 1 || array.stride(0) >= static_cast<std::int64_t>(cols);
  if (!whole_rows || !apart)
    throw std::invalid_argument("an array has strided or overlapping rows; expected contiguous rows");
  return {array.data(), rows, cols, rows <= 1 ? cols : static_cast<std::size_t>(array.stride(0))};
}

/// Asks the kernel for 2 MiB pages: with 4 KiB pages the faults of the one pass that writes a large result dominate
/// (10000 x 1024 float32, d = 64, one thread: the call took about 2.7 times as long). A refusal changes only speed.
inline void advise_huge_pages(void* data, std::size_t bytes) {
#if defined(__linux__)
  constexpr std::size_t kSmallest = std::size_t{4} << 20;
  if (bytes <= kSmallest) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  (void)data, (void)bytes;
#endif
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

}  // namespace bochner::python
