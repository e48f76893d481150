// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "bochner/export.h"

namespace bochner {

/// One line of a registry: what `bochner list`, Python, the error messages and the documentation say about a name.
struct Entry {
  std::string_view name;
  std::string_view aliases;  ///< separated by spaces; paper acronyms
  std::string_view formula;
  std::string_view summary;
  std::string_view reference;
};

BOCHNER_EXPORT std::span<const Entry> kernels();
BOCHNER_EXPORT std::span<const Entry> maps();
BOCHNER_EXPORT std::span<const Entry> couplings();

/// Why kernel, map and coupling do not compose in d dimensions, as one sentence that says what would; empty if they do.
/// Unknown names throw std::invalid_argument with the nearest known name.
BOCHNER_EXPORT std::string misfit(std::string_view kernel, std::string_view map, std::string_view coupling,
                                  std::size_t d);

/// Number of real features per random direction of a map: 2 for trigonometric, 1 for positive, ...
BOCHNER_EXPORT std::size_t width(std::string_view map);

}  // namespace bochner
