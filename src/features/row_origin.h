// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>

namespace bochner {

/// Features that pass blocks of their rows to other features say here where a block begins, so that messages name rows
/// as the caller counts them. It holds for this thread and scope: nested calls run on the thread that makes them.
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

/// Calls transform(first, last) for rows [first, last) at once. If that refuses, calls it for one row after the other,
/// so that the message is about the first row that is refused by itself: several checks over a block see rows in
/// another order, and with another split into blocks the message would name another row.
template <class Transform>
void in_row_order(std::size_t first, std::size_t last, const Transform& transform) {
  try {
    transform(first, last);
  } catch (const std::invalid_argument&) {
    if (last - first > 1)
      for (std::size_t i = first; i < last; ++i) transform(i, i + 1);
    throw;
  }
}

}  // namespace bochner
