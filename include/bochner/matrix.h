// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "bochner/matrix_view.h"

namespace bochner {

/// A row-major matrix that owns its memory: contiguous rows, 64-byte aligned, NOT initialised (so that a large result
/// is written once, not twice). It can be moved but not copied.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(allocate(rows, cols)) {}
  Matrix(std::size_t rows, std::size_t cols, T value) : Matrix(rows, cols) {
    for (std::size_t i = 0; i < rows * cols; ++i) data_[i] = value;
  }
  Matrix(Matrix&& other) noexcept
      : rows_(std::exchange(other.rows_, 0)), cols_(std::exchange(other.cols_, 0)), data_(std::move(other.data_)) {}
  Matrix& operator=(Matrix&& other) noexcept {
    rows_ = std::exchange(other.rows_, 0);
    cols_ = std::exchange(other.cols_, 0);
    data_ = std::move(other.data_);
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }

  T& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }

  MatrixView<T> view() { return {data_.get(), rows_, cols_}; }
  MatrixView<const T> view() const { return {data_.get(), rows_, cols_}; }
  operator MatrixView<T>() { return view(); }
  operator MatrixView<const T>() const { return view(); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Release {
    void operator()(T* data) const { ::operator delete(data, kAlignment); }
  };
  static T* allocate(std::size_t rows, std::size_t cols) {
    if (cols != 0 && rows > std::numeric_limits<std::size_t>::max() / sizeof(T) / cols) throw std::bad_alloc();
    return static_cast<T*>(::operator new(rows* cols * sizeof(T), kAlignment));
  }

  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::unique_ptr<T[], Release> data_;
};

}  // namespace bochner
