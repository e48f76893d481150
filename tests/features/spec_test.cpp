// SPDX-License-Identifier: Apache-2.0
#include "bochner/spec.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/version.h"

namespace bochner {
namespace {

std::string refusal(const std::string& text) {
  try {
    spec_from_json(text);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

nlohmann::json good() { return nlohmann::json::parse(to_json(Spec{.d = 3})); }

TEST(SpecJson, ComesBackAsItWas) {
  const double third = 1.0 / 3;
  const std::vector<Spec> specs = {
      {.d = 1},
      {.d = 7, .kernel = "softmax", .map = "cosine", .coupling = "iid", .m = 1, .seed = 12},
      {.d = 3, .m = 1000, .seed = std::numeric_limits<std::uint64_t>::max(), .lengthscale = {0.1, third, 1e-300}},
      {.d = 2, .seed = (std::uint64_t{1} << 53) + 1, .lengthscale = {std::numeric_limits<double>::max()}},
      {.d = std::size_t{1} << 62, .lengthscale = {std::numeric_limits<double>::denorm_min()}},
  };
  for (const Spec& spec : specs) EXPECT_EQ(spec_from_json(to_json(spec)), spec) << to_json(spec);
}

TEST(SpecJson, OfEveryCombinationMakesTheSameFeatures) {
  for (const Entry& kernel : kernels())
    for (const Entry& map : maps())
      for (const Entry& coupling : couplings()) {
        if (!misfit(kernel.name, map.name, coupling.name, 3).empty()) continue;
        const auto features = make_features({.d = 3,
                                             .kernel = std::string(kernel.name),
                                             .map = std::string(map.name),
                                             .coupling = std::string(coupling.name),
                                             .m = 4,
                                             .seed = 9});
        Matrix<double> rows(2, 3, 0.5);
        rows(1, 0) = 0.25;
        features->fit(rows.view());
        const auto again = make_features(spec_from_json(to_json(features->spec())));
        const Matrix<double> a = features->directions(), b = again->directions();
        for (std::size_t i = 0; i < 12; ++i) ASSERT_EQ(a.data()[i], b.data()[i]);
        EXPECT_EQ(again->spec(), features->spec());
      }
}

TEST(SpecJson, CarriesTheStreamVersion) {
  EXPECT_EQ(good().at("stream_version").get<std::uint64_t>(), kStreamVersion);
  nlohmann::json other = good();
  other["stream_version"] = kStreamVersion + 1;
  EXPECT_NE(refusal(other.dump()).find("'stream_version' is"), std::string::npos);
}

TEST(SpecJson, EveryKeyIsNeeded) {
  const nlohmann::json whole = good();
  for (const auto& [key, value] : whole.items()) {
    nlohmann::json part = whole;
    part.erase(key);
    EXPECT_EQ(refusal(part.dump()), "spec: key '" + key + "' is missing");
  }
}

TEST(SpecJson, OtherKeysAreParameters) {
  nlohmann::json extra = good();
  extra["rounds"] = 2;
  extra["norms"] = "chi";
  extra["shift"] = {0.5, 1.5};
  const Spec spec = spec_from_json(extra.dump());
  EXPECT_EQ(spec.parameters, (Parameters{{"rounds", 2.0}, {"norms", "chi"}, {"shift", std::vector<double>{0.5, 1.5}}}));
  EXPECT_EQ(spec_from_json(to_json(spec)), spec);
  EXPECT_NE(to_json(spec).find("\"rounds\":2,"), std::string::npos) << to_json(spec);
  extra["colour"] = nullptr;
  EXPECT_NE(refusal(extra.dump()).find("'colour' is null"), std::string::npos);
}

TEST(SpecJson, ValuesOfTheWrongKindAreRefused) {
  const std::vector<std::pair<std::string, std::string>> bad = {{"d", "-1"},
                                                                {"d", "2.5"},
                                                                {"d", "\"3\""},
                                                                {"d", "null"},
                                                                {"d", "[3]"},
                                                                {"m", "-4"},
                                                                {"m", "1e3"},
                                                                {"m", "true"},
                                                                {"seed", "-1"},
                                                                {"seed", "18446744073709551616"},
                                                                {"seed", "0.5"},
                                                                {"kernel", "3"},
                                                                {"map", "null"},
                                                                {"coupling", "[]"},
                                                                {"lengthscale", "\"1\""},
                                                                {"lengthscale", "{}"},
                                                                {"lengthscale", "null"},
                                                                {"lengthscale", "[1, \"2\"]"},
                                                                {"lengthscale", "[[1]]"},
                                                                {"stream_version", "\"1\""}};
  for (const auto& [key, value] : bad) {
    nlohmann::json object = good();
    object[key] = nlohmann::json::parse(value);
    const std::string sentence = refusal(object.dump());
    EXPECT_NE(sentence.find("'" + key + "' is"), std::string::npos) << key << " = " << value << ": " << sentence;
  }
}

TEST(SpecJson, WhatIsNoObjectIsRefused) {
  const std::string whole = to_json(Spec{.d = 3});
  const std::vector<std::string> bad = {"",
                                        " ",
                                        "null",
                                        "3",
                                        "[]",
                                        "\"spec\"",
                                        "{",
                                        "{}x",
                                        whole + "}",
                                        whole + whole,
                                        "{'d': 3}",
                                        std::string("\0", 1),
                                        "\xff\xfe",
                                        "{\"d\": nan}",
                                        "{\"lengthscale\": 1e400}"};
  for (const std::string& text : bad) EXPECT_NE(refusal(text).find("spec: "), std::string::npos) << text;
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(refusal(whole.substr(0, length)), "") << "first " << length << " characters";
}

/// The parser beneath takes a NUL for the end, and the last of two equal keys.
TEST(SpecJson, WhatOthersWouldReadInAnotherWayIsRefused) {
  const std::string whole = to_json(Spec{.d = 3});
  for (const std::string& rest : {std::string(1, '\0'), std::string("\0{}", 3), std::string("\0 more", 6)}) {
    const std::string said = refusal(whole + rest);
    EXPECT_NE(said.find("byte " + std::to_string(whole.size())), std::string::npos) << said;
    EXPECT_NE(said.find("a NUL"), std::string::npos) << said;
  }
  EXPECT_NE(refusal("{\"d\":4," + whole.substr(1)).find("'d' stands twice"), std::string::npos);
}

TEST(SpecJson, DeepNestingIsRefusedAtOnce) {
  EXPECT_NE(refusal(std::string(1'000'000, '[')), "");
  std::string nested = "{\"d\":";
  for (int i = 0; i < 100000; ++i) nested += "{\"d\":";
  EXPECT_NE(refusal(nested), "");
}

TEST(SpecJson, KeepsEveryKindOfParameter) {
  using Complex = std::complex<double>;
  const Spec spec{.d = 2,
                  .parameters = {{"p_a", 0.25},
                                 {"p_b", "chi"},
                                 {"p_c", std::vector<double>{1.5, -2}},
                                 {"p_d", Complex(0.5, -1)},
                                 {"p_e", std::vector<Complex>{{1, 2}, {3, 0}}},
                                 {"p_f", true},
                                 {"p_g", false}}};
  EXPECT_EQ(spec_from_json(to_json(spec)), spec);
}

TEST(SpecJson, RefusesHalfOfAComplexNumber) {
  const std::string whole = to_json({.d = 2, .parameters = {{"A", std::complex<double>(1, 2)}}});
  const std::size_t at = whole.find("\"A\":");
  ASSERT_NE(at, std::string::npos);
  for (const std::string broken : {"{\"re\":1}", "{\"re\":[1],\"im\":[1,2]}", "{\"re\":\"x\",\"im\":2}", "null"}) {
    const std::string text = whole.substr(0, at + 4) + broken + whole.substr(whole.find('}', at) + 1);
    EXPECT_THROW(spec_from_json(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace bochner
