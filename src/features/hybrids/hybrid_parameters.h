// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/registry.h"
#include "core/parameter.h"

namespace bochner {

// Parameters that several entries of hybrids.def have.

inline constexpr Parameter kLambdaRows = {
    .name = "lambda_m",
    .standard = "8",
    .allowed = "a whole number >= 1",
    .meaning = "random directions of a coefficient lambda",
    .accepts = [](const Value& value, std::size_t) { return is_count(value); },
    .fallback = [](std::size_t) -> Value { return 8.0; },
};

inline constexpr Parameter kSharedRows = {
    .name = "shared",
    .standard = "false",
    .allowed = "true or false",
    .meaning = "whether all bases use the same directions",
    .accepts = [](const Value& value, std::size_t) { return std::holds_alternative<bool>(value); },
    .fallback = [](std::size_t) -> Value { return false; },
};

inline constexpr Parameter kLambdaMap = {
    .name = "lambda_map",
    .standard = "trigonometric",
    .allowed = "'trigonometric', 'positive' or 'positive_paired'",
    .meaning = "features of a Gaussian coefficient lambda",
    .accepts =
        [](const Value& value, std::size_t) {
          return is_word(value, "trigonometric") || is_word(value, "positive") || is_word(value, "positive_paired");
        },
    .fallback = [](std::size_t) -> Value { return "trigonometric"; },
};

inline constexpr Parameter kLambdaCoupling = {
    .name = "lambda_coupling",
    .standard = "iid",
    .allowed = "'iid' or 'same'",
    .meaning = "directions of signs: 'iid' (the error is known in closed form), 'same' as the bases (less of it)",
    .accepts = [](const Value& value, std::size_t) { return is_word(value, "iid") || is_word(value, "same"); },
    .fallback = [](std::size_t) -> Value { return "iid"; },
};

}  // namespace bochner
