// SPDX-License-Identifier: Apache-2.0
#include "bochner/threads.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/available_cores.h"
#include "core/errors.h"

namespace bochner {
namespace {

constexpr int kMostThreads = 1024;
constexpr std::string_view kAllowed = "a whole number from 1 to 1024";

std::atomic<int> chosen_threads{0};  // 0: not chosen yet

int initial_threads() {
  const char* text = std::getenv("BOCHNER_NUM_THREADS");
  if (text == nullptr || *text == '\0') return std::min(available_cores(), kMostThreads);
  const std::string_view value(text);
  int threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (!whole || threads < 1 || threads > kMostThreads)
    refuse("environment variable BOCHNER_NUM_THREADS", "'" + std::string(value) + "'", kAllowed);
  return threads;
}

}  // namespace

int num_threads() {
  int threads = chosen_threads.load(std::memory_order_relaxed);
  if (threads != 0) return threads;
  const int initial = initial_threads();
  return chosen_threads.compare_exchange_strong(threads, initial) ? initial : threads;
}

void set_num_threads(int threads) {
  if (threads < 1 || threads > kMostThreads) refuse("threads", std::to_string(threads), kAllowed);
  chosen_threads.store(threads);
}

}  // namespace bochner
