// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace bochner {

/// The entries of a list as text, with the separator between them. It replaces fmt::join, which every file that uses it
/// would have to compile.
template <typename List>
std::string joined(const List& list, std::string_view separator) {
  std::string text;
  std::string_view before;
  for (const auto& entry : list) {
    text += before;
    text += fmt::format("{}", entry);
    before = separator;
  }
  return text;
}

/// Text of unknown origin as a part of a message: in quotes, control and non-ASCII bytes as \xNN, cut after 40 bytes.
std::string shown(std::string_view text);

}  // namespace bochner
