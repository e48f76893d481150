// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace bochner::data {

/// JSON of unknown origin: at most kMaxJsonDepth deep, no key twice in an object, nothing after it. Throws
/// std::invalid_argument with a sentence that names the byte of the text where there is one.
nlohmann::json parse_strict_json(std::string_view text);

}  // namespace bochner::data
