// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

namespace bochner::cli {

/// One line on stderr that shows how far a command has come; silent if stderr is not a terminal, and for the first
/// second. It is removed at the end, so that an error message stands alone.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Shows that `share` of the whole is done, 0 to 1. Draws at most 10 times a second: call it as often as you like.
  void show(double share, const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace bochner::cli
