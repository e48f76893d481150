// SPDX-License-Identifier: Apache-2.0
#include "bochner/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bochner/version.h"

namespace bochner {
namespace {

using nlohmann::json;

const std::set<std::string> kKeys = {"d", "kernel", "map", "coupling", "m", "seed", "lengthscale", "stream_version"};

bool is_number_list(const json& value) {
  return value.is_array() && std::ranges::all_of(value, [](const json& entry) { return entry.is_number(); });
}

template <class T>
T get(const json& object, const char* key, const char* expected, bool fits) {
  if (!fits)
    throw std::invalid_argument(fmt::format("spec: '{}' is {}; expected {}", key, object.at(key).dump(), expected));
  return object.at(key).get<T>();
}

std::string text(const json& object, const char* key) {
  return get<std::string>(object, key, "a name", object.at(key).is_string());
}

std::uint64_t count(const json& object, const char* key) {
  return get<std::uint64_t>(object, key, "a whole number >= 0", object.at(key).is_number_unsigned());
}

std::vector<double> numbers(const json& object, const char* key) {
  const json& value = object.at(key);
  if (value.is_number()) return {value.get<double>()};
  return get<std::vector<double>>(object, key, "a number or a list of numbers", is_number_list(value));
}

/// Every key that is none of kKeys; which of them exist and what they may be is known to make_features.
Parameters parameters_of(const json& object) {
  Parameters parameters;
  for (const auto& [key, value] : object.items()) {
    if (kKeys.contains(key)) continue;
    if (value.is_number()) {
      parameters.emplace(key, value.get<double>());
    } else if (value.is_string()) {
      parameters.emplace(key, value.get<std::string>());
    } else {
      parameters.emplace(key, get<std::vector<double>>(object, key.c_str(), "a number, a word or a list of numbers",
                                                       is_number_list(value)));
    }
  }
  return parameters;
}

/// A whole number is written without a fraction, so that JSON, Python and people see 64 and not 64.0.
nlohmann::ordered_json to_value(const Value& value) {
  const double* number = std::get_if<double>(&value);
  if (number != nullptr && *number == std::floor(*number) && std::abs(*number) <= 0x1p53)
    return static_cast<std::int64_t>(*number);
  return std::visit([](const auto& given) { return nlohmann::ordered_json(given); }, value);
}

/// Refuses what is not an object with the needed keys.
json parse(std::string_view source) {
  const auto shallow = [](int depth, json::parse_event_t event, json&) {
    if (depth > 4 && (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start))
      throw std::invalid_argument("spec: nested too deeply");
    return true;
  };
  json object;
  try {
    object = json::parse(source, shallow);
  } catch (const json::exception&) {
    throw std::invalid_argument("spec: not a JSON object");
  }
  if (!object.is_object()) throw std::invalid_argument("spec: not a JSON object");
  for (const std::string& key : kKeys)
    if (!object.contains(key)) throw std::invalid_argument(fmt::format("spec: key '{}' is missing", key));
  return object;
}

}  // namespace

std::string to_json(const Spec& spec) {
  nlohmann::ordered_json object = {
      {"kernel", spec.kernel}, {"map", spec.map},   {"coupling", spec.coupling},      {"d", spec.d},
      {"m", spec.m},           {"seed", spec.seed}, {"lengthscale", spec.lengthscale}};
  if (spec.lengthscale.size() == 1) object["lengthscale"] = spec.lengthscale.front();
  for (const auto& [name, value] : spec.parameters) object[name] = to_value(value);
  object["stream_version"] = kStreamVersion;
  return object.dump();
}

Spec spec_from_json(std::string_view source) {
  const json object = parse(source);
  const std::uint64_t version = count(object, "stream_version");
  if (version != kStreamVersion)
    throw std::invalid_argument(
        fmt::format("spec: 'stream_version' is {}; this library draws version {}", version, kStreamVersion));
  Spec spec;
  spec.kernel = text(object, "kernel");
  spec.map = text(object, "map");
  spec.coupling = text(object, "coupling");
  spec.d = count(object, "d");
  spec.m = count(object, "m");
  spec.seed = count(object, "seed");
  spec.lengthscale = numbers(object, "lengthscale");
  spec.parameters = parameters_of(object);
  return spec;
}

}  // namespace bochner
