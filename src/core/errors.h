// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "bochner/refuse.h"

namespace bochner {

/// The known name at the smallest edit distance, or empty when none is near (distance at most half its length).
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace bochner
