// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>

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

/// transform(first, last) for rows [first, last) at once; where that refuses, for one row after the other, so that the
/// refusal is that of the first row which is refused by itself: several checks over a block meet rows in another order,
/// and another split into blocks would name another row.
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
