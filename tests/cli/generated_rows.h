// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "support/temporary_folder.h"

namespace bochner::test {

/// Columns a, b, c and y = sin(a) + b / 2, spread over a grid.
inline void write_regression(const TemporaryFolder& folder, std::string_view name, std::size_t n) {
  std::string text = "a,b,c,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double a = static_cast<double>(i * 37 % 101) / 20, b = static_cast<double>(i * 53 % 89) / 30;
    text += fmt::format("{},{},{},{}\n", a, b, 5 + 2 * static_cast<double>(i * 11 % 7), std::sin(a) + b / 2);
  }
  folder.write(name, text);
}

/// Columns a, b, a column of words that does not matter, and y: whether (a, b) lies in a disc.
inline void write_classes(const TemporaryFolder& folder, std::string_view name, std::size_t n) {
  std::string text = "a,b,w,y\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double a = static_cast<double>(i * 37 % 101) / 50 - 1, b = static_cast<double>(i * 53 % 89) / 44 - 1;
    text += fmt::format("{},{},{},{}\n", a, b, i % 3 == 0 ? "red" : "blue", a * a + b * b < 0.6 ? "in" : "out");
  }
  folder.write(name, text);
}

}  // namespace bochner::test
