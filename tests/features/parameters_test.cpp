// SPDX-License-Identifier: Apache-2.0
// Parameters: defaults, resolution of "auto", and a sentence for each that cannot be.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/theory.h"

namespace bochner {
namespace {

Parameters resolved(const Spec& spec) { return make_features(spec)->spec().parameters; }

double block_of(const Spec& spec) { return std::get<double>(resolved(spec).at("block")); }

std::string refusal(const Spec& spec) {
  try {
    make_features(spec);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(Parameters, DefaultsAreShownInTheSpec) {
  EXPECT_EQ(resolved({.d = 5, .coupling = "orthogonal", .m = 3}), (Parameters{{"block", 5.0}}));
  EXPECT_EQ(resolved({.d = 5, .coupling = "iid", .m = 3}), Parameters{});
}

TEST(Parameters, NormsFollowTheMapAndTheLaw) {
  const auto norms = [](const char* kernel, const char* map) {
    return std::get<std::string>(
        resolved({.d = 4, .kernel = kernel, .map = map, .coupling = "hadamard", .m = 3}).at("norms"));
  };
  EXPECT_EQ(norms("gaussian", "trigonometric"), "fixed");
  EXPECT_EQ(norms("softmax", "cosine"), "fixed");
  EXPECT_EQ(norms("angular", "sign"), "fixed");
  EXPECT_EQ(norms("gaussian", "positive"), "chi");
  EXPECT_EQ(norms("softmax", "positive_paired"), "chi");
  EXPECT_EQ(norms("matern", "trigonometric"), "chi");
}

TEST(Parameters, MakeAnExplicitBlockOfDimensionDTheDefault) {
  Spec spec{.d = 5, .coupling = "simplex", .m = 12, .seed = 4};
  const auto plain = make_features(spec);
  spec.parameters["block"] = 5.0;
  const auto given = make_features(spec);
  EXPECT_EQ(plain->spec(), given->spec());
  const Matrix<double> a = plain->directions(), b = given->directions();
  for (std::size_t i = 0; i < 60; ++i) ASSERT_EQ(a.data()[i], b.data()[i]);
}

TEST(AutoBlock, IsOneBlockForMoreRowsThanColumns) {
  for (const char* coupling : {"orthogonal", "simplex"})
    for (const char* map : {"trigonometric", "positive", "positive_paired"}) {
      const Spec spec{.d = 8, .map = map, .coupling = coupling, .m = 20, .parameters = {{"block", "auto"}}};
      const double chosen = block_of(spec);
      const std::vector<double> x(8, 0.1);
      const std::vector<double> y(8, std::string(map) == "trigonometric" ? -0.15 : 0.2);
      Spec plain = spec, best = spec;
      plain.parameters["block"] = 8.0;
      best.parameters["block"] = chosen;
      EXPECT_LE(theory::mse(best, x, y), theory::mse(plain, x, y)) << coupling << " " << map;
    }
  EXPECT_EQ(block_of({.d = 33, .coupling = "orthogonal", .m = 64, .parameters = {{"block", "auto"}}}), 64.0);
}

TEST(AutoBlock, IsFoundBeforeTheWeightIsFitted) {
  const auto features = make_features(
      {.d = 8, .map = "optimal_positive", .coupling = "simplex", .m = 20, .parameters = {{"block", "auto"}}});
  EXPECT_EQ(std::get<double>(features->spec().parameters.at("block")), 20.0);
}

TEST(AutoBlock, OfManyRowsIsFoundAtOnceAndFitsMemory) {
  const Spec fast{.d = 1, .coupling = "hadamard", .m = std::size_t{1} << 20, .parameters = {{"block", "auto"}}};
  EXPECT_GT(block_of(fast), 1.0);
  // One block of all rows would need a matrix of their angles, 1.6 TB.
  const Spec relaxed{.d = 2, .coupling = "simplex_plus", .m = 320'000, .parameters = {{"block", 320'000.0}}};
  const std::string sentence = refusal(relaxed);
  EXPECT_NE(sentence.find("m is 320000; expected at most"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("GiB"), std::string::npos) << sentence;
}

TEST(AutoBlock, StaysAtTheDimensionForFewRows) {
  for (const std::size_t m : {1, 4, 8})
    EXPECT_EQ(block_of({.d = 8, .coupling = "orthogonal", .m = m, .parameters = {{"block", "auto"}}}), 8.0) << m;
}

struct Bad {
  Spec spec;
  std::vector<std::string> said;
};

TEST(ParameterRefusal, NamesWhatIsWrong) {
  const std::vector<double> list = {1.0, 2.0};
  const std::vector<Bad> cases = {
      {{.d = 5, .m = 4, .parameters = {{"block", 4.0}}}, {"block is 4", "d is 5"}},
      {{.d = 5, .m = 4, .parameters = {{"block", 5.5}}}, {"block is 5.5", "whole number"}},
      {{.d = 5, .m = 4, .parameters = {{"block", 0.0}}}, {"block is 0", "whole number"}},
      {{.d = 5, .m = 4, .parameters = {{"block", -8.0}}}, {"block is -8", "whole number"}},
      {{.d = 5, .m = 4, .parameters = {{"block", "big"}}}, {"block is 'big'", "'auto'"}},
      {{.d = 5, .m = 4, .parameters = {{"block", list}}}, {"block is [1, 2]", "'auto'"}},
      {{.d = 5, .coupling = "iid", .m = 4, .parameters = {{"block", 8.0}}}, {"'block'", "coupling 'orthogonal'"}},
      {{.d = 5, .m = 4, .parameters = {{"blok", 8.0}}}, {"unknown parameter 'blok'", "did you mean 'block'?"}},
      {{.d = 5, .coupling = "iid", .m = 4, .parameters = {{"colour", 1.0}}}, {"unknown parameter 'colour'", "none"}},
      {{.d = 5, .coupling = "sorf", .m = 4, .parameters = {{"rounds", 0.0}}}, {"rounds is 0", "1, 2 or 3"}},
      {{.d = 5, .coupling = "sorf", .m = 4, .parameters = {{"rounds", 4.0}}}, {"rounds is 4", "1, 2 or 3"}},
      {{.d = 5, .coupling = "sorf", .m = 4, .parameters = {{"rounds", 1.5}}}, {"rounds is 1.5", "1, 2 or 3"}},
      {{.d = 5, .coupling = "orf", .m = 4, .parameters = {{"rounds", 2.0}}}, {"'rounds'", "coupling 'hadamard'"}},
      {{.d = 5, .coupling = "sorf", .m = 4, .parameters = {{"block", 12.0}}}, {"block is 12", "power of two"}},
      {{.d = 9, .coupling = "sorf", .m = 4, .parameters = {{"block", 8.0}}}, {"block is 8", "d is 9"}},
      {{.d = 5, .coupling = "sorf", .m = 4, .parameters = {{"block", 0x1p21}}}, {"block is 2097152", "2^20"}},
      {{.d = 5, .coupling = "givens", .m = 4, .parameters = {{"block", 6.0}}}, {"block is 6", "power of two"}},
      {{.d = 5, .coupling = "sorf", .m = 4, .parameters = {{"norms", "unit"}}}, {"norms is 'unit'", "'chi'"}},
      {{.d = 5, .coupling = "sorf", .m = 4, .parameters = {{"norms", 1.0}}}, {"norms is 1", "'chi'"}},
      {{.d = 5, .map = "positive", .coupling = "sorf", .m = 4, .parameters = {{"norms", "fixed"}}},
       {"norms is 'fixed'", "'chi' for map 'positive'"}},
      {{.d = 5, .kernel = "matern", .coupling = "sorf", .m = 4, .parameters = {{"norms", "fixed"}}},
       {"norms is 'fixed'", "'chi' for kernel 'matern'"}},
      {{.d = 5, .kernel = "matern", .m = 4, .parameters = {{"nu", 0.0}}}, {"nu is 0"}},
      {{.d = 5, .kernel = "gaussian", .m = 4, .parameters = {{"nu", 1.5}}}, {"'nu'", "kernel 'matern'"}},
      {{.d = 5, .kernel = "matern", .coupling = "halton", .m = 4}, {"'halton' needs a law of independent coordinates"}},
      {{.d = 5, .kernel = "laplace", .coupling = "orf", .m = 4}, {"'orthogonal' needs an isotropic law", "iid"}},
      {{.d = 5, .kernel = "laplace", .map = "positive", .m = 4}, {"does not serve kernel 'laplace'", "trigonometric"}},
      {{.d = 5, .kernel = "angular", .map = "rff", .m = 4}, {"does not serve kernel 'angular'", "sign"}},
      {{.d = 4000, .coupling = "sobol", .m = 4}, {"'sobol' needs d <= 3667", "d is 4000"}},
      {{.d = 8, .coupling = "sorf", .m = std::size_t{1} << 50}, {"m is 1125899906842624", "GiB"}},
      {{.d = 5, .map = "positive", .coupling = "orthogonal_fixed", .m = 4},
       {"'orthogonal_fixed' has rows of fixed norm", "'positive' needs random norms", "couplings that fit: iid"}},
  };
  for (const Bad& bad : cases) {
    const std::string sentence = refusal(bad.spec);
    ASSERT_FALSE(sentence.empty()) << to_json(bad.spec);
    for (const std::string& part : bad.said) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  }
}

}  // namespace
}  // namespace bochner
