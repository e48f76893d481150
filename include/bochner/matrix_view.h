// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace bochner {

/// A row-major view of memory that it does not own: element (i, j) is data[i * stride + j]. It is copied by value, and
/// `stride` >= `cols` lets it show a part of a wider matrix.
template <class T>
class MatrixView {
 public:
  constexpr MatrixView() = default;
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}
  constexpr MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}

  /// A writable view converts to a read-only one.
  constexpr operator MatrixView<const T>() const requires(!std::is_const_v<T>) {
    return {data_, rows_, cols_, stride_};
  }

  constexpr T* data() const { return data_; }
  constexpr std::size_t rows() const { return rows_; }
  constexpr std::size_t cols() const { return cols_; }
  constexpr std::size_t stride() const { return stride_; }
  constexpr bool contiguous() const { return stride_ == cols_ || rows_ <= 1; }

  constexpr T& operator()(std::size_t i, std::size_t j) const { return data_[i * stride_ + j]; }
  constexpr std::span<T> row(std::size_t i) const { return {data_ + i * stride_, cols_}; }

  /// Rows [first, last) as a view of their own.
  constexpr MatrixView row_range(std::size_t first, std::size_t last) const {
    return {data_ + first * stride_, last - first, cols_, stride_};
  }
  /// Columns [first, last) as a view of their own.
  constexpr MatrixView col_range(std::size_t first, std::size_t last) const {
    return {data_ + first, rows_, last - first, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

}  // namespace bochner
