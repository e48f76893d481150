// SPDX-License-Identifier: Apache-2.0
#include "lengthscale_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <variant>

#include "bochner/lengthscale.h"
#include "bochner/spec.h"
#include "parse_number.h"

namespace bochner::cli {

bool asks_data(const std::optional<std::string>& typed) {
  return typed && std::ranges::count(lengthscale_rules(), *typed) > 0;
}

std::vector<double> typed_lengthscale(const std::optional<std::string>& typed) {
  if (!typed) return Spec{}.lengthscale;
  if (asks_data(typed)) return {};
  return parse_numbers(
      "--lengthscale", *typed,
      "a number, numbers separated by commas, or 'scale', 'median' or 'neighbour' to take it from the input");
}

double lengthscale_of(const std::string& rule, const Table& table, const std::string& file, std::uint64_t seed) {
  try {
    return std::visit([&](const auto& X) { return lengthscale_from(X.view(), rule, seed); }, table.values);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", file, error.what()));
  }
}

std::string lengthscale_help() {
  return fmt::format("one, or one per column separated by commas, or from the input: scale, median, neighbour [{}]",
                     Spec{}.lengthscale.front());
}

}  // namespace bochner::cli
