// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner {

/// Features that hand blocks of their rows to other features say where a block begins, so that refusals name rows as
/// the caller counts them. For the thread and the scope: nested calls run on the thread they are made from.
class RowOrigin {
 public:
  explicit RowOrigin(std::size_t first) : before_(current_) { current_ += first; }
  ~RowOrigin() { current_ = before_; }
  RowOrigin(const RowOrigin&) = delete;
  RowOrigin& operator=(const RowOrigin&) = delete;

  static std::size_t current() { return current_; }

 private:
  static inline thread_local std::size_t current_ = 0;
  std::size_t before_;
};

}  // namespace bochner
