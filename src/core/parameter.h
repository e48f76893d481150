// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/parameters.h"

namespace bochner {

// Parameters by name, for the plug-in that declared them: they exist, and their kind has been checked.
double number(const Parameters& parameters, std::string_view name);
std::size_t count(const Parameters& parameters, std::string_view name);
const std::string& word(const Parameters& parameters, std::string_view name);
bool flag(const Parameters& parameters, std::string_view name);
std::span<const double> numbers(const Parameters& parameters, std::string_view name);
/// A number, real or complex.
std::complex<double> complex_number(const Parameters& parameters, std::string_view name);
/// Several numbers, real or complex.
std::vector<std::complex<double>> complex_numbers(const Parameters& parameters, std::string_view name);

/// Whether the value is a whole number of at least 1 (and at most 2^53).
bool is_count(const Value& value);
/// Whether the value is a finite number > 0.
bool is_positive(const Value& value);
bool is_word(const Value& value, std::string_view word);
/// Whether the value is a list of finite real numbers.
bool is_list(const Value& value);
/// Whether the value is one or several complex numbers, not all of them real.
bool is_complex(const Value& value);

/// Complex numbers without imaginary parts made real: the form in which values are compared, shown and stored.
Value canonical(Value value);

/// The value as it is shown in a sentence: 3, 0.5, 'chi', [1, 2], 1+2i, true.
std::string shown(const Value& value);

}  // namespace bochner
