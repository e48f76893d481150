// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "properties/ledger.h"

namespace bochner::properties {

/// The calls of one case. A refusal is std::invalid_argument with one sentence that begins with an argument in `given`.
class Calls {
 public:
  /// `describe` says what the case is, in the message of a violation.
  Calls(Ledger& ledger, std::function<std::string()> describe) : ledger_(ledger), describe_(std::move(describe)) {}

  std::set<std::string, std::less<>> given;

  /// What a call refuses with; empty if it does not. With a name, the sentence is judged.
  std::string sentence_of(const std::string& name, const std::function<void()>& call) {
    std::string sentence;
    try {
      call();
    } catch (const std::invalid_argument& refusal) {
      sentence = refusal.what();
    } catch (const std::exception& error) {
      violation(fmt::format("{} threw something else: {}", name, error.what()));
      return error.what();
    }
    if (name.empty()) return sentence;
    ledger_.call(!sentence.empty());
    if (sentence.empty()) return sentence;
    if (!begins_with_given(sentence, given)) violation(name + " begins with no argument: " + sentence);
    if (!is_one_sentence(sentence)) violation(name + " is not one sentence: " + sentence);
    return sentence;
  }
  bool refused(const std::string& name, const std::function<void()>& call) { return !sentence_of(name, call).empty(); }

  /// The kind of a violation is what comes before its numbers.
  void violation(const std::string& what) {
    const std::string kind = what.substr(0, std::min(what.find(':'), what.find('|')));
    ledger_.violation(kind, fmt::format("{}: {}", describe_(), what));
  }

 private:
  Ledger& ledger_;
  std::function<std::string()> describe_;
};

}  // namespace bochner::properties
