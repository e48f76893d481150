// SPDX-License-Identifier: Apache-2.0
#include "data/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/file_error.h"
#include "data/limits.h"

namespace bochner::data {

nlohmann::json parse_strict_json(std::string_view text) {
  using nlohmann::json;
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (static_cast<std::size_t>(depth) >= kMaxJsonDepth)
        throw std::invalid_argument(fmt::format("JSON nested more than {} deep", kMaxJsonDepth));
      keys.emplace_back();
    }
    if (event == json::parse_event_t::object_end || event == json::parse_event_t::array_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      throw std::invalid_argument(fmt::format("the JSON key {} stands twice", shown(value.get<std::string>())));
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::parse_error& error) {
    throw std::invalid_argument(fmt::format("not JSON from byte {} on", error.byte == 0 ? 0 : error.byte - 1));
  } catch (const json::exception&) {
    throw std::invalid_argument("not JSON that can be read");
  }
}

}  // namespace bochner::data
