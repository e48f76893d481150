// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

namespace bochner::python {

/// The memory of one result, 64-byte aligned, not initialised.
///
/// Fresh pages are the largest cost of a fast transform: the kernel clears them at 6 GB/s (10000 x 1024 float32 at d =
/// 64 on one thread: 16 ms with, 9.5 ms without). So a large block asks for 2 MiB pages, and when Python drops the
/// array the last such block is kept for the next result of about its size. It is marked MADV_FREE: the system takes
/// the pages back whenever it needs memory.
class ResultMemory {
 public:
  explicit ResultMemory(std::size_t bytes);
  ResultMemory(ResultMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  ResultMemory& operator=(ResultMemory&&) = delete;
  ~ResultMemory();

  void* data() const { return data_; }

 private:
  void* data_;
  std::size_t capacity_;  ///< bytes; 0 for a block too small to keep
};

}  // namespace bochner::python
