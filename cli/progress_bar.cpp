// SPDX-License-Identifier: Apache-2.0
#include "progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace bochner::cli {

using std::chrono::milliseconds;

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now() + milliseconds(1000)) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(double share, const std::string& what) {
  if (!terminal_ || Clock::now() < next_) return;
  next_ = Clock::now() + milliseconds(100);
  drawn_ = true;
  constexpr int kWidth = 30;
  const int done = static_cast<int>(std::clamp(share, 0.0, 1.0) * kWidth);
  const std::string line = fmt::format("\r\x1b[K[{}{}] {:3.0f} %  {}", std::string(done, '#'),
                                       std::string(kWidth - done, '.'), 100 * share, what);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace bochner::cli
