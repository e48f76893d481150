// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/refuse.h"

namespace bochner::cli {

/// Numbers are read here, not by CLI11, so that the library's own message refuses a bad one. No locale, no blanks.

/// A whole number >= 0 that T holds.
template <class T>
T parse_whole(std::string_view option, std::string_view text) {
  T value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || text.starts_with('-'))
    refuse(option, fmt::format("'{}'", text), fmt::format("a whole number, at most {}", std::numeric_limits<T>::max()));
  return value;
}

/// One number, or several separated by commas; `allowed` is the text of a refusal for what is expected.
std::vector<double> parse_numbers(std::string_view option, std::string_view text,
                                  std::string_view allowed = "a number, or numbers separated by commas");

/// One finite number for which `good` holds.
double parse_one(std::string_view option, std::string_view text, std::string_view allowed, bool (*good)(double));

/// "512M": bytes, or units of 1024 bytes with K, M or G behind the number.
std::size_t parse_memory(std::string_view option, std::string_view text);

/// The value of --target, an error > 0.
double parse_target(std::string_view text);

}  // namespace bochner::cli
