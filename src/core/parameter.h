// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bochner/parameters.h"

namespace bochner {

// Parameters by name, of a plug-in that declared them: they are there, and their kind has been checked.
double number(const Parameters& parameters, std::string_view name);
std::size_t count(const Parameters& parameters, std::string_view name);
const std::string& word(const Parameters& parameters, std::string_view name);

/// Whether the value is a whole number of at least 1 (and at most 2^53).
bool is_count(const Value& value);
/// Whether the value is a finite number > 0.
bool is_positive(const Value& value);
bool is_word(const Value& value, std::string_view word);

/// The value as it is shown in a sentence: 3, 0.5, 'chi', [1, 2].
std::string shown(const Value& value);

}  // namespace bochner
