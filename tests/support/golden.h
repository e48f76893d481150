// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bochner::testing {

/// One known answer of tests/golden: fn(args) = value, to rtol.
struct GoldenCase {
  std::string fn;
  nlohmann::json args;
  nlohmann::json value;
  double rtol;
};

using GoldenRoom = std::map<std::string, std::vector<GoldenCase>, std::less<>>;

/// tests/golden/ROOM.json: for each function the names of its arguments, its tolerance and its cases, each of them the
/// arguments in that order and then the value.
inline GoldenRoom read_golden(std::string_view room) {
  const std::string path = BOCHNER_SOURCE_DIR "/tests/golden/" + std::string(room) + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no file " + path);
  const nlohmann::json tables = nlohmann::json::parse(file);
  GoldenRoom read;
  for (const auto& [fn, table] : tables.items()) {
    const std::vector<std::string> names = table.at("args");
    for (const nlohmann::json& row : table.at("cases")) {
      if (row.size() != names.size() + 1)
        throw std::runtime_error(path + ": a case of " + fn + " has " + std::to_string(row.size()) + " entries");
      GoldenCase known{fn, nlohmann::json::object(), row.back(), table.at("rtol")};
      for (std::size_t i = 0; i < names.size(); ++i) known.args[names[i]] = row[i];
      read[fn].push_back(std::move(known));
    }
  }
  return read;
}

/// The cases of one function, read once. No such case is an error: a misspelt name would test nothing.
inline const std::vector<GoldenCase>& golden_cases(std::string_view room, std::string_view fn) {
  static std::map<std::string, GoldenRoom, std::less<>> rooms;
  auto found = rooms.find(room);
  if (found == rooms.end()) found = rooms.emplace(room, read_golden(room)).first;
  const auto cases = found->second.find(fn);
  if (cases == found->second.end())
    throw std::runtime_error("tests/golden/" + std::string(room) + ".json has no case of " + std::string(fn));
  return cases->second;
}

}  // namespace bochner::testing
