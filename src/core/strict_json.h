// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace bochner {

/// JSON of unknown origin: at most 16 deep, no key twice in an object, no NUL, nothing after it, and no more values
/// than take 12 MiB of memory, whatever their text is. Throws std::invalid_argument with a sentence that names the byte
/// of the text where there is one.
nlohmann::json parse_strict_json(std::string_view text);

}  // namespace bochner
