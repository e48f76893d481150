// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "bochner/export.h"
#include "bochner/parameters.h"

namespace bochner {

/// A parameter that a kernel, map or coupling takes.
struct Parameter {
  std::string_view name;
  std::string_view standard;  ///< the value when it is not given, in words
  std::string_view allowed;
  std::string_view meaning;
  bool (*accepts)(const Value& value, std::size_t d);
  Value (*fallback)(std::size_t d);  ///< the value when it is not given; null: fit finds it from data
};

/// A registry entry: what `bochner list`, Python, the error messages and the documentation say about a name.
struct Entry {
  std::string_view name;
  std::string_view aliases;  ///< separated by spaces; acronyms of papers
  std::string_view formula;
  std::string_view summary;
  std::string_view reference;
  std::string_view bias = {};  ///< how far the mean of phi(x).phi(y) is from k(x, y); empty: it is k(x, y)
  std::span<const Parameter> parameters = {};
};

BOCHNER_EXPORT std::span<const Entry> kernels();
BOCHNER_EXPORT std::span<const Entry> maps();
BOCHNER_EXPORT std::span<const Entry> couplings();

/// Why kernel, map and coupling do not compose in d dimensions, as one sentence that says what would; empty if they do
/// compose. Unknown names throw std::invalid_argument with the nearest known name.
BOCHNER_EXPORT std::string misfit(std::string_view kernel, std::string_view map, std::string_view coupling,
                                  std::size_t d);

/// What "auto" means.
BOCHNER_EXPORT std::string_view default_map(std::string_view kernel);
BOCHNER_EXPORT std::string_view default_coupling(std::string_view kernel, std::string_view map);

/// The number of real features per random direction of a map: 2 for trigonometric, 1 for positive, ... It may depend on
/// parameters; those not given have their standard values. 0 if it depends on a parameter that only fit finds.
BOCHNER_EXPORT std::size_t width(std::string_view map, const Parameters& parameters = {});

}  // namespace bochner
