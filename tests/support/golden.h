// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bochner::testing {

/// One known answer: fn(args) = value, to rtol.
struct GoldenCase {
  std::string group;
  std::string fn;
  nlohmann::json args;
  nlohmann::json value;
  double rtol;
};

/// Where the known answers lie: $BOCHNER_SHARED/golden.json, by default beside the project.
inline std::filesystem::path golden_path() {
  const char* folder = std::getenv("BOCHNER_SHARED");
  const std::filesystem::path shared = folder ? folder : BOCHNER_SOURCE_DIR "/../shared";
  return shared / "golden.json";
}

/// All cases, read once; empty where the file is absent.
inline const std::vector<GoldenCase>& golden_cases() {
  static const std::vector<GoldenCase> cases = [] {
    std::vector<GoldenCase> read;
    std::ifstream file(golden_path());
    if (!file) return read;
    const nlohmann::json golden = nlohmann::json::parse(file);
    for (const nlohmann::json& entry : golden.at("cases")) {
      const double rtol = entry.value("rtol", 1e-10);
      read.push_back({entry.at("group"), entry.at("fn"), entry.at("args"), entry.at("value"), rtol});
    }
    return read;
  }();
  return cases;
}

/// The cases of one group and function. No such case is an error: a misspelt name would test nothing.
inline std::vector<GoldenCase> golden_cases(std::string_view group, std::string_view fn) {
  std::vector<GoldenCase> chosen;
  for (const GoldenCase& known : golden_cases()) {
    if (known.group == group && known.fn == fn) chosen.push_back(known);
  }
  if (chosen.empty()) throw std::runtime_error("golden.json has no case " + std::string(group) + "/" + std::string(fn));
  return chosen;
}

}  // namespace bochner::testing

/// First line of a test that needs the known answers.
#define BOCHNER_NEED_GOLDEN()                                                                             \
  if (bochner::testing::golden_cases().empty()) {                                                         \
    GTEST_SKIP() << "no known answers at " << bochner::testing::golden_path() << " (set BOCHNER_SHARED)"; \
  }                                                                                                       \
  static_assert(true)
