// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "bochner/export.h"

namespace bochner {

/// Throws std::invalid_argument: "<argument> is <value>; expected <allowed>".
[[noreturn]] BOCHNER_EXPORT void refuse(std::string_view argument, std::string_view value, std::string_view allowed);

/// Throws std::invalid_argument for an unknown name: "unknown map 'trigonometrc'; did you mean 'trigonometric'? known: ...".
[[noreturn]] BOCHNER_EXPORT void refuse_name(std::string_view what, std::string_view name,
                                             std::span<const std::string_view> known);

}  // namespace bochner
