// SPDX-License-Identifier: Apache-2.0
#include "core/strict_json.h"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/format.h"

namespace bochner {

namespace {

using nlohmann::json;

constexpr std::size_t kMostDeep = 16;
/// "[{},{},...]" takes fifty times its text.
constexpr std::size_t kMostMebibytes = 12;

/// What an event of the parser adds in memory, with 16 bytes for each allocation: a value in a list that moves to
/// twice its room, a text, an empty list or object, a name in its object and in the set of those that were seen.
std::size_t bytes_of(json::parse_event_t event, const json& value) {
  constexpr std::size_t kAllocation = 16, kNode = 4 * sizeof(void*), kMoving = 3;
  const auto text = [](const std::string& word) { return sizeof(word) + (word.size() < 16 ? 0 : word.size()); };
  switch (event) {
    case json::parse_event_t::key:
      return 2 * (kAllocation + kNode + text(value.get_ref<const std::string&>())) + sizeof(json);
    case json::parse_event_t::value:
      return kMoving * sizeof(json) + (value.is_string() ? kAllocation + text(value.get_ref<const std::string&>()) : 0);
    case json::parse_event_t::object_start:
      return kMoving * sizeof(json) + kAllocation + sizeof(json::object_t);
    case json::parse_event_t::array_start:
      return kMoving * sizeof(json) + kAllocation + sizeof(json::array_t);
    default:
      return 0;
  }
}

}  // namespace

json parse_strict_json(std::string_view text) {
  // The parser beneath takes a NUL for the end of the text.
  if (const std::size_t at = text.find('\0'); at != text.npos)
    throw std::invalid_argument(fmt::format("not JSON from byte {} on, which is a NUL", at));
  std::vector<std::set<std::string>> keys;
  std::size_t bytes = 0;
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    bytes += bytes_of(event, value);
    if (bytes > kMostMebibytes << 20)
      throw std::invalid_argument(fmt::format("JSON of more values than {} MiB hold", kMostMebibytes));
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (static_cast<std::size_t>(depth) >= kMostDeep)
        throw std::invalid_argument(fmt::format("JSON nested more than {} deep", kMostDeep));
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

}  // namespace bochner
