// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/matrix.h"
#include "bochner/theory.h"
#include "support/refusal.h"
#include "support/scale.h"
#include "theory/generalised_exponential.h"

namespace bochner::theory {
namespace {

using Vector = std::vector<double>;

const Vector kX = {0.4, 0.1}, kY = {0.2, -0.3};

Spec spec_of(const char* map, std::size_t m, double A = -0.3) {
  Spec spec{.d = 2, .kernel = "softmax", .map = map, .coupling = "iid", .m = m, .parameters = {{"A", A}}};
  if (spec.map == "exponential") spec.parameters["s"] = 1.0;
  return spec;
}

/// phi(x).phi(y) of many seeds.
Vector estimates(Spec spec, std::size_t draws) {
  Vector found;
  for (spec.seed = 0; spec.seed < draws; ++spec.seed) {
    const auto features = make_features(spec);
    Matrix<double> query(1, features->outputs()), key(1, features->outputs());
    features->transform(MatrixView<const double>(kX.data(), 1, 2), query.view(), Side::query);
    features->transform(MatrixView<const double>(kY.data(), 1, 2), key.view(), Side::key);
    double sum = 0;
    for (std::size_t j = 0; j < query.cols(); ++j) sum += query(0, j) * key(0, j);
    found.push_back(sum);
  }
  return found;
}

/// No product of features of one row is larger, and the one at w = -sqrt(1-4A) v / (4A) is as large.
TEST(TailBound, RestsOnTheLargestProductOfFeatures) {
  const PairGeometry pair = pair_geometry(0.17, 0.13, 0.05);
  for (const double A : {-0.01, -0.3, -4.0}) {
    const double v = std::sqrt(pair.v2), B = std::sqrt(1 - 4 * A);
    const auto log_product = [&](double w) {  // along v, where it is largest
      return std::log1p(-4 * A) + 2 * A * w * w + B * w * v - pair.nx - pair.ny;
    };
    const double log_b = log_feature_product_bound(A, pair, 0.0, 2), best = -B * v / (4 * A);
    EXPECT_NEAR(log_product(best), log_b, 1e-13);
    EXPECT_LT(std::max(log_product(0.9 * best), log_product(1.1 * best)), log_b);
  }
}

/// Frequencies of deviations over draws: a frequency above the bound p by 5.3 standard errors has probability 1e-7.
TEST(TailBound, HoldsInSimulation) {
  const double k = std::exp(kX[0] * kY[0] + kX[1] * kY[1]);
  const std::size_t draws = test::scaled(20000);
  for (const char* map : {"optimal_positive", "optimal_positive_paired", "exponential"})
    for (const std::size_t m : {1u, 8u, 64u}) {
      const Spec spec = spec_of(map, m);
      const Vector found = estimates(spec, m == 64 ? draws / 8 : draws);
      const double n = static_cast<double>(found.size());
      double informative = 0;
      for (double t = 0.05; t < 2.2; t *= 1.25) {
        const double p = tail_bound(spec, kX, kY, t);
        informative += p < 0.5 ? 1 : 0;
        const auto far = std::ranges::count_if(found, [&](double estimate) { return std::abs(estimate - k) >= t; });
        EXPECT_LE(static_cast<double>(far) / n, p + 5.3 * std::sqrt(p * (1 - p) / n)) << map << ' ' << m << ' ' << t;
      }
      EXPECT_GE(informative, m == 1 ? 0 : 3) << map << ' ' << m;
      for (const double estimate : found) ASSERT_GT(estimate, 0);
    }
}

/// x = y = 0, d = 8, A = -1, m = 1: P(|estimate - 1| >= 312.5) is 3.2e-5, where the printed theorem says 2.4e-34.
TEST(TailBound, HoldsWhereThePrintedOneDoesNot) {
  const Vector zero(8, 0.0);
  const Spec spec{.d = 8, .map = "optimal_positive", .coupling = "iid", .m = 1, .parameters = {{"A", -1.0}}};
  EXPECT_GE(tail_bound(spec, zero, zero, 312.5), 3.2e-5);
  EXPECT_NEAR(tail_bound(spec, zero, zero, 1250.0), 2 * std::exp(-8.0), 1e-15);
}

TEST(TailBound, FollowsKernelAndRows) {
  Spec spec = spec_of("optimal_positive", 30);
  const double softmax = tail_bound(spec, kX, kY, 0.8);
  spec.kernel = "gaussian";
  // Features, and so deviations, are e^{(nx+ny)/2} times as large for softmax.
  EXPECT_NEAR(tail_bound(spec, kX, kY, 0.8 * std::exp(-0.15)), softmax, 1e-14);
  Matrix<double> X(2, 2, 0.1), Y(2, 2, 0.2);
  const Vector rows = tail_bound(spec, X.view(), Y.view(), 0.5);
  EXPECT_EQ(rows[1], tail_bound(spec, Vector{0.1, 0.1}, Vector{0.2, 0.2}, 0.5));
  EXPECT_EQ(tail_bound(spec, kX, kY, 0.0), 1.0);
}

TEST(TailBound, NamesTheMapsThatHaveOne) {
  const auto refusal = [](const Spec& spec, double t = 0.1) {
    return test::refusal([&] { tail_bound(spec, kX, kY, t); });
  };
  EXPECT_EQ(refusal({.d = 2, .m = 4}),
            "map is 'trigonometric'; expected 'optimal_positive', 'optimal_positive_paired' "
            "or 'exponential', whose features are bounded and positive");
  EXPECT_EQ(refusal({.d = 2, .map = "optimal_positive", .m = 4}),
            "map 'optimal_positive' lacks parameter 'A': give it; optimal_parameters finds it from data");
  Spec spec = spec_of("exponential", 4);
  EXPECT_EQ(refusal(spec, -1), "t is -1; expected a number >= 0");
  spec.parameters["s"] = -1.0;
  EXPECT_EQ(refusal(spec), "s is -1; expected 1: the bound is that of positive features");
  spec = spec_of("optimal_positive", 4);
  spec.coupling = "orthogonal";
  EXPECT_EQ(refusal(spec), "coupling is 'orthogonal'; expected 'iid': the bound is that of independent rows");
  EXPECT_EQ(refusal(spec_of("optimal_positive", 4, 0.1)),
            "A is 0.1; expected a real number < 0: features are bounded for no other");
}

}  // namespace
}  // namespace bochner::theory
