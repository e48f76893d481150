// SPDX-License-Identifier: Apache-2.0
#include "bochner/spec.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bochner/version.h"

namespace bochner {
namespace {

using nlohmann::json;

const std::set<std::string> kKeys = {"d", "kernel", "map", "coupling", "m", "seed", "lengthscale", "stream_version"};

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
  bool fits = value.is_array();
  for (const json& entry : value) fits = fits && entry.is_number();
  return get<std::vector<double>>(object, key, "a number or a list of numbers", fits);
}

/// Refuses what is not an object of exactly the known keys; nesting is at most two levels by that.
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
  for (const auto& [key, value] : object.items())
    if (!kKeys.contains(key)) throw std::invalid_argument(fmt::format("spec: unknown key '{}'", key));
  for (const std::string& key : kKeys)
    if (!object.contains(key)) throw std::invalid_argument(fmt::format("spec: key '{}' is missing", key));
  return object;
}

}  // namespace

std::string to_json(const Spec& spec) {
  nlohmann::ordered_json object = {{"kernel", spec.kernel},
                                   {"map", spec.map},
                                   {"coupling", spec.coupling},
                                   {"d", spec.d},
                                   {"m", spec.m},
                                   {"seed", spec.seed},
                                   {"lengthscale", spec.lengthscale},
                                   {"stream_version", kStreamVersion}};
  if (spec.lengthscale.size() == 1) object["lengthscale"] = spec.lengthscale.front();
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
  return spec;
}

}  // namespace bochner
