// SPDX-License-Identifier: Apache-2.0
// The hybrids of the registry: known estimates from explicit directions, where they make no error, what they draw.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "bochner/compose.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "features/estimates.h"
#include "features/hybrids/hybrid_parts.h"
#include "support/given_part.h"
#include "support/golden.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner {
namespace {

using test::estimates;
using test::normal_rows;
using test::refusal;
using testing::given_part;
using testing::GoldenCase;

Matrix<double> matrix(const nlohmann::json& rows) {
  Matrix<double> A(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j) A(i, j) = rows[i][j].get<double>();
  return A;
}

void expect_estimates(const GoldenCase& known, const Features& features) {
  const Matrix<double> expected = matrix(known.value);
  const Matrix<double> K = estimates(features, matrix(known.args.at("X")), matrix(known.args.at("Y")));
  for (std::size_t i = 0; i < K.rows(); ++i)
    for (std::size_t j = 0; j < K.cols(); ++j)
      EXPECT_NEAR(K(i, j), expected(i, j), known.rtol * std::abs(expected(i, j))) << i << ' ' << j;
}

TEST(GoldenHybrid, Angular) {
  for (const GoldenCase& known : testing::golden_cases("features", "angular_hybrid")) {
    const FeaturesPart P = given_part("softmax", "positive_paired", matrix(known.args.at("Wp")));
    const FeaturesPart T = given_part("softmax", "trigonometric", matrix(known.args.at("Wt")));
    const FeaturesPart S = given_part("angular", "sign", matrix(known.args.at("T")));
    expect_estimates(known, *hybrid({{0.5, scaled(-0.5, S), P}}, T));
  }
}

TEST(GoldenHybrid, Gaussian) {
  for (const GoldenCase& known : testing::golden_cases("features", "gaussian_hybrid")) {
    const double sigma = known.args.at("sigma"), r = known.args.at("r");
    const std::string map = known.args.at("method").get<std::string>() == "trig" ? "trigonometric" : "positive";
    const FeaturesPart P = given_part("softmax", "positive_paired", matrix(known.args.at("Wp")));
    const FeaturesPart T = given_part("softmax", "trigonometric", matrix(known.args.at("Wt")));
    const FeaturesPart G = given_part("gaussian", map, matrix(known.args.at("T")), {}, 1 / sigma);
    const double inverse = 1 / (1 - std::exp(-2 * sigma * sigma * r * r));
    expect_estimates(known, *hybrid({{inverse, scaled(-inverse, G), P}}, T));
  }
}

/// The maps are those compositions of their parts, with the seeds that are documented.
TEST(Hybrids, AreTheirCompositions) {
  const Matrix<double> X = normal_rows(4, 5, 0.6, 1), Y = normal_rows(3, 5, 0.6, 2);
  for (const bool shared : {false, true}) {
    const Spec spec{.d = 5,
                    .kernel = "gaussian",
                    .map = "hybrid_angular",
                    .coupling = "simplex",
                    .m = 9,
                    .seed = 77,
                    .lengthscale = {1, 2, 3, 1, 2},
                    .parameters = {{"shared", shared}, {"block", 8.0}, {"lambda_m", 5.0}, {"lambda_coupling", "same"}}};
    Spec bases = spec;
    bases.parameters = {{"block", 8.0}};
    const auto part = [&](const char* kernel, const char* map, std::size_t m, std::uint64_t number) -> FeaturesPart {
      bases.kernel = kernel, bases.map = map, bases.m = m, bases.seed = part_seed(77, number);
      return make_features(bases);
    };
    const FeaturesPart expected =
        hybrid({{0.5, scaled(-0.5, part("angular", "sign", 5, 2)), part("gaussian", "positive_paired", 9, 0)}},
               part("gaussian", "trigonometric", 9, shared ? 0 : 1));
    const auto features = make_features(spec);
    const Matrix<double> K = estimates(*features, X, Y), L = estimates(*expected, X, Y);
    for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(K.data()[k], L.data()[k]);
    EXPECT_EQ(make_features(spec_from_json(to_json(features->spec())))->spec(), features->spec());
  }
  EXPECT_EQ(part_seed(77, 0), 77u);
  EXPECT_NE(part_seed(77, 1), part_seed(77, 2));
}

/// x and y at angle theta, both of norm r.
struct PairAt {
  Matrix<double> x = Matrix<double>(1, 6), y = Matrix<double>(1, 6);
  PairAt(double theta, double r) {
    const Matrix<double> U = normal_rows(2, 6, 1.0, 5);
    double a = 0, ab = 0, b = 0;
    for (std::size_t l = 0; l < 6; ++l) a += U(0, l) * U(0, l), ab += U(0, l) * U(1, l);
    for (std::size_t l = 0; l < 6; ++l) b += std::pow(U(1, l) - ab / a * U(0, l), 2);
    for (std::size_t l = 0; l < 6; ++l) {
      const double along = U(0, l) / std::sqrt(a), across = (U(1, l) - ab / a * U(0, l)) / std::sqrt(b);
      x(0, l) = r * along;
      y(0, l) = r * (std::cos(theta) * along + std::sin(theta) * across);
    }
  }
};

/// |estimate / kernel - 1|.
double relative_error(const Spec& spec, const PairAt& pair) {
  double dot = 0, distance = 0;
  for (std::size_t l = 0; l < 6; ++l) {
    dot += pair.x(0, l) * pair.y(0, l);
    distance += std::pow(pair.x(0, l) - pair.y(0, l), 2);
  }
  const double exact = std::exp(spec.kernel == "softmax" ? dot : -distance / 2);
  return std::abs(estimates(*make_features(spec), pair.x, pair.y)(0, 0) / exact - 1);
}

/// No variance where the papers promise none: angular at both ends, Gaussian lambda at one, none of them in between.
TEST(Hybrids, MakeNoErrorAtTheirEnds) {
  for (const char* kernel : {"softmax", "gaussian"})
    for (const char* coupling : {"iid", "orthogonal", "simplex"})
      for (const bool shared : {false, true})
        for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
          Spec spec{.d = 6, .kernel = kernel, .map = "hybrid_angular", .coupling = coupling, .m = 10, .seed = seed};
          spec.parameters.insert({{"shared", shared}});
          const double r = 1.25;
          const PairAt equal(0, r), middle(1.2, r), opposite(std::numbers::pi, r);
          EXPECT_LT(relative_error(spec, equal), 1e-10);
          EXPECT_LT(relative_error(spec, opposite), 1e-10);
          EXPECT_GT(relative_error(spec, middle), 1e-6);
          spec.map = "hybrid_gaussian";
          spec.parameters.insert({{"radius", r}, {"sigma", 0.8}});
          EXPECT_LT(relative_error(spec, equal), 1e-10);
          EXPECT_GT(relative_error(spec, opposite), 1e-10);
          spec.parameters.insert({{"lambda_map", "positive"}});
          EXPECT_LT(relative_error(spec, opposite), 1e-10);
          EXPECT_GT(relative_error(spec, equal), 1e-10);
        }
}

TEST(Hybrids, GaussianFindsItsRadius) {
  const Matrix<double> X = normal_rows(30, 4, 0.7, 1), Y = normal_rows(20, 4, 1.3, 2);
  double squares[2] = {0, 0};
  for (std::size_t k = 0; k < 120; ++k) squares[0] += X.data()[k] * X.data()[k] / 30 / 4;
  for (std::size_t k = 0; k < 80; ++k) squares[1] += Y.data()[k] * Y.data()[k] / 20 / 4;
  const auto features = make_features({.d = 4, .map = "hybrid_gaussian", .m = 3, .lengthscale = {2.0}});
  EXPECT_EQ(features->outputs(), 3u * (4 + 4 * 2 * 8));
  features->fit(X.view(), Y.view());
  EXPECT_NEAR(std::get<double>(features->spec().parameters.at("radius")), std::sqrt((squares[0] + squares[1]) / 2),
              1e-12);
  const auto plain = make_features({.d = 4, .map = "hybrid_gaussian", .m = 3, .parameters = {{"radius", "none"}}});
  EXPECT_EQ(plain->outputs(), 3u * (2 + 4 * 2 * 8));
  EXPECT_EQ(width("hybrid_gaussian", {{"radius", "none"}, {"lambda_m", 2.0}, {"lambda_map", "positive"}}), 10u);
  EXPECT_EQ(width("hybrid_angular"), 36u);
}

TEST(Hybrids, RefuseBadParameters) {
  const auto says = [](const Parameters& parameters, const char* map, const char* wanted) {
    const std::string sentence =
        refusal([&] { make_features({.d = 3, .map = map, .m = 2, .parameters = parameters}); });
    EXPECT_NE(sentence.find(wanted), std::string::npos) << sentence;
  };
  says({{"lambda_m", 0.0}}, "hybrid_angular", "lambda_m is 0; expected a whole number >= 1");
  says({{"shared", 1.0}}, "hybrid_angular", "shared is 1; expected true or false");
  says({{"lambda_coupling", "simplex"}}, "hybrid_angular", "'iid' or 'same'");
  says({{"sigma", -1.0}}, "hybrid_gaussian", "sigma is -1; expected a finite number > 0");
  says({{"radius", 0.0}}, "hybrid_gaussian", "radius is 0; expected a finite number > 0, or 'none'");
  says({{"lambda_map", "cosine"}}, "hybrid_gaussian", "'trigonometric', 'positive' or 'positive_paired'");
  EXPECT_NE(
      refusal([] { make_features({.d = 3, .map = "hybrid_angular", .coupling = "orthogonal_fixed"}); }).find("norm"),
      std::string::npos);
}

/// One block of all rows is better than several, also for a map that makes no error for parallel inputs.
TEST(Hybrids, FindTheirBestBlock) {
  const auto features = make_features(
      {.d = 4, .map = "hybrid_angular", .coupling = "orthogonal", .m = 16, .parameters = {{"block", "auto"}}});
  EXPECT_EQ(std::get<double>(features->spec().parameters.at("block")), 16.0);
}

/// Orthogonal signs have no closed form, and shared rows only if they are independent.
TEST(Hybrids, KnowWhereTheirErrorIsKnown) {
  const auto exactness = [](const char* coupling, const Parameters& parameters) {
    return theory::exactness({.d = 4, .map = "hybrid_angular", .coupling = coupling, .m = 5, .parameters = parameters});
  };
  EXPECT_EQ(exactness("simplex", {}), theory::Exactness::exact);
  EXPECT_EQ(exactness("hadamard", {}), theory::Exactness::approximate);
  EXPECT_EQ(exactness("iid", {{"shared", true}, {"lambda_coupling", "same"}}), theory::Exactness::exact);
  EXPECT_EQ(exactness("orthogonal", {{"shared", true}}), theory::Exactness::none);
  EXPECT_EQ(exactness("orthogonal", {{"lambda_coupling", "same"}}), theory::Exactness::none);
  EXPECT_EQ(theory::exactness({.d = 4, .map = "hybrid_gaussian", .coupling = "orthogonal", .m = 5}),
            theory::Exactness::exact);
}

TEST(HybridGaussian, LengthDoesNotDependOnTheRadius) {
  for (const double radius : {0.1, 1.0, 5.0, 1e3})
    EXPECT_EQ(make_features({.d = 3, .map = "hybrid_gaussian", .m = 5, .parameters = {{"radius", radius}}})->outputs(),
              5 * width("hybrid_gaussian"));
}

}  // namespace
}  // namespace bochner
