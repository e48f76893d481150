// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace bochner {

/// What a parameter of a kernel, map or coupling can be: a number, a word, several numbers (a matrix row by row), one
/// or several complex numbers, or a truth value.
using Value = std::variant<double, std::string, std::vector<double>, std::complex<double>,
                           std::vector<std::complex<double>>, bool>;

/// Parameters by name, such as {{"rounds", 2.0}, {"norms", "chi"}}.
using Parameters = std::map<std::string, Value, std::less<>>;

}  // namespace bochner
