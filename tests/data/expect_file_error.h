// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/table.h"

namespace bochner::test {

/// `action` throws FileError (and nothing else) with one line of printable text that holds every word.
template <class Action>
void expect_file_error(Action&& action, const std::vector<std::string_view>& words) {
  try {
    action();
    ADD_FAILURE() << "no error";
  } catch (const FileError& error) {
    const std::string message = error.what();
    for (const std::string_view word : words)
      EXPECT_NE(message.find(word), message.npos) << "'" << word << "' is missing in: " << message;
    EXPECT_TRUE(std::ranges::all_of(message, [](unsigned char c) { return c >= 0x20 && c < 0x7f; })) << message;
    EXPECT_LT(message.size(), 400u);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
  }
}

}  // namespace bochner::test
