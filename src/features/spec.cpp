// SPDX-License-Identifier: Apache-2.0
#include "bochner/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bochner/version.h"
#include "core/strict_json.h"

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

/// {"re": 1, "im": 2} or {"re": [1, 3], "im": [2, 4]}.
Value complex_value(const json& object, const std::string& key) {
  const json& value = object.at(key);
  const bool both = value.size() == 2 && value.contains("re") && value.contains("im");
  if (both && value["re"].is_number() && value["im"].is_number())
    return std::complex<double>(value["re"].get<double>(), value["im"].get<double>());
  const bool lists = both && is_number_list(value["re"]) && is_number_list(value["im"]);
  const json parts = get<json>(object, key.c_str(), "re and im, numbers or lists of one length",
                               lists && value["re"].size() == value["im"].size());
  std::vector<std::complex<double>> entries;
  for (std::size_t i = 0; i < parts["re"].size(); ++i)
    entries.emplace_back(parts["re"][i].get<double>(), parts["im"][i].get<double>());
  return entries;
}

/// All keys outside kKeys; make_features knows which of them exist and what values they may have.
Parameters parameters_of(const json& object) {
  Parameters parameters;
  for (const auto& [key, value] : object.items()) {
    if (kKeys.contains(key)) continue;
    if (value.is_number()) {
      parameters.emplace(key, value.get<double>());
    } else if (value.is_string()) {
      parameters.emplace(key, value.get<std::string>());
    } else if (value.is_boolean()) {
      parameters.emplace(key, value.get<bool>());
    } else if (value.is_object()) {
      parameters.emplace(key, complex_value(object, key));
    } else {
      parameters.emplace(
          key, get<std::vector<double>>(object, key.c_str(),
                                        "a number, a word, true or false, a list of numbers, or re and im of such",
                                        is_number_list(value)));
    }
  }
  return parameters;
}

/// A whole number is written without a fraction, so that JSON, Python and people see 64 instead of 64.0.
nlohmann::ordered_json to_value(const Value& value) {
  const double* number = std::get_if<double>(&value);
  if (number != nullptr && *number == std::floor(*number) && std::abs(*number) <= 0x1p53)
    return static_cast<std::int64_t>(*number);
  if (const auto* single = std::get_if<std::complex<double>>(&value))
    return {{"re", single->real()}, {"im", single->imag()}};
  if (const auto* list = std::get_if<std::vector<std::complex<double>>>(&value)) {
    std::vector<double> re, im;
    for (const auto& entry : *list) re.push_back(entry.real()), im.push_back(entry.imag());
    return {{"re", re}, {"im", im}};
  }
  if (const bool* yes = std::get_if<bool>(&value)) return *yes;
  if (const std::string* text = std::get_if<std::string>(&value)) return *text;
  return number != nullptr ? nlohmann::ordered_json(*number)
                           : nlohmann::ordered_json(std::get<std::vector<double>>(value));
}

/// Refuses anything but an object with the required keys.
json parse(std::string_view source) {
  json object;
  try {
    object = parse_strict_json(source);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("spec: {}", error.what()));
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
