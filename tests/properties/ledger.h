// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bochner::properties {

/// Counts calls, refusals and violations of many cases; any thread may write.
class Ledger {
 public:
  void call(bool refused) {
    const std::lock_guard lock(mutex_);
    ++calls_;
    refusals_ += refused;
  }
  void violation(const std::string& kind, const std::string& where) {
    const std::lock_guard lock(mutex_);
    ++kinds_[kind];
    auto& examples = examples_[kind];
    if (examples.size() < kExamples) examples.push_back(where);
  }

  /// Fails the test with what went wrong, the kinds with their numbers first.
  void judge(std::size_t cases) const {
    std::string text = fmt::format("{} cases, {} calls, {} refusals", cases, calls_, refusals_);
    std::size_t all = 0;
    for (const auto& [kind, count] : kinds_) {
      all += count;
      text += fmt::format("\n  {} x {}", count, kind);
      for (const std::string& example : examples_.at(kind)) text += "\n      " + example;
    }
    ::testing::Test::RecordProperty("calls", std::to_string(calls_));
    EXPECT_EQ(all, 0u) << text;
    // Where nearly all calls are refused nothing has been looked at.
    EXPECT_LT(refusals_, calls_ / 2) << text;
    fmt::print("{}\n", text.substr(0, text.find('\n')));
  }

 private:
  static constexpr std::size_t kExamples = 4;
  std::mutex mutex_;
  std::size_t calls_ = 0, refusals_ = 0;
  std::map<std::string, std::size_t> kinds_;
  std::map<std::string, std::vector<std::string>> examples_;
};

/// Whether a sentence begins with an argument that the caller gave: "X has ...", "lengthscale is ...".
inline bool begins_with_given(std::string_view sentence, const std::set<std::string, std::less<>>& given) {
  const std::size_t end = sentence.find(' ');
  if (end == std::string_view::npos || !given.contains(sentence.substr(0, end))) return false;
  const std::string_view rest = sentence.substr(end + 1);
  return rest.starts_with("is ") || rest.starts_with("has ");
}

/// One line, and not a long one.
inline bool is_one_sentence(std::string_view sentence) {
  return !sentence.empty() && sentence.find('\n') == std::string_view::npos && sentence.size() < 500;
}

}  // namespace bochner::properties
