// SPDX-License-Identifier: Apache-2.0
// Mean and mean squared error of hybrids with parameters other than the conformance tests have, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "bochner/kernel_matrix.h"
#include "bochner/theory.h"
#include "core/parallel.h"
#include "features/estimates.h"
#include "support/scale.h"

namespace bochner {
namespace {

constexpr std::size_t kD = 3;

Spec spec_of(const char* map, const char* kernel, const char* coupling, Parameters parameters) {
  return {.d = kD, .kernel = kernel, .map = map, .coupling = coupling, .m = 4, .parameters = std::move(parameters)};
}

const std::vector<double> kCentres = {0.4, -0.3, 0.2, -0.2, 0.3, 0.5};

const std::vector<Spec>& specs() {
  static const std::vector<Spec> all = {
      spec_of("hybrid_angular", "softmax", "iid", {{"shared", true}, {"lambda_m", 3.0}}),
      spec_of("hybrid_angular", "gaussian", "iid", {{"shared", true}, {"lambda_m", 3.0}, {"lambda_coupling", "same"}}),
      spec_of("hybrid_angular", "gaussian", "orthogonal", {{"lambda_m", 1.0}, {"block", 5.0}}),
      spec_of("hybrid_gaussian", "softmax", "iid", {{"shared", true}, {"radius", 0.6}, {"lambda_m", 3.0}}),
      spec_of("hybrid_gaussian", "gaussian", "orthogonal",
              {{"radius", "none"}, {"sigma", 1.4}, {"lambda_map", "positive"}, {"lambda_m", 3.0}}),
      spec_of("hybrid_gaussian", "softmax", "simplex",
              {{"radius", 0.8}, {"sigma", 0.9}, {"lambda_map", "positive"}, {"lambda_m", 4.0}}),
      spec_of("hybrid_clustered", "gaussian", "iid",
              {{"query_centres", kCentres}, {"key_centres", kCentres}, {"shared", true}}),
      spec_of(
          "hybrid_clustered", "softmax", "iid",
          {{"query_centres", kCentres}, {"key_centres", kCentres}, {"coefficients", "gaussian"}, {"lambda_m", 3.0}}),
      spec_of("hybrid_clustered", "gaussian", "orthogonal",
              {{"query_centres", kCentres},
               {"key_centres", kCentres},
               {"coefficients", "gaussian"},
               {"diagonal", "real"},
               {"lambda_map", "positive"},
               {"tau", 1.5}}),
  };
  return all;
}

/// Pairs of unequal norms, at an acute and at an obtuse angle.
const double kX[2][kD] = {{0.5, -0.2, 0.1}, {0.3, 0.4, -0.2}}, kY[2][kD] = {{0.1, -0.4, 0.3}, {-0.5, 0.3, 0.5}};

struct Sums {
  double first = 0, second = 0, fourth = 0;
};

/// Moments of the error over draws.
std::vector<Sums> moments(const Spec& spec, const Matrix<double>& X, const Matrix<double>& Y, const Matrix<double>& K,
                          std::size_t draws) {
  constexpr std::size_t kChunk = 100;
  std::vector<std::vector<Sums>> chunks(draws / kChunk + 1, std::vector<Sums>(2));
  parallel_for(draws, kChunk, [&](std::size_t first, std::size_t last) {
    for (std::size_t draw = first; draw < last; ++draw) {
      Spec drawn = spec;
      drawn.seed = 4'000'000 + draw;
      const Matrix<double> estimate = test::estimates(*make_features(drawn), X, Y);
      for (std::size_t i = 0; i < 2; ++i) {
        const double error = estimate(i, i) - K(i, i);
        Sums& sums = chunks[first / kChunk][i];
        sums.first += error, sums.second += error * error, sums.fourth += std::pow(error, 4);
      }
    }
  });
  std::vector<Sums> total(2);
  const double n = static_cast<double>(draws);
  for (const std::vector<Sums>& chunk : chunks)
    for (std::size_t i = 0; i < 2; ++i) {
      total[i].first += chunk[i].first / n, total[i].second += chunk[i].second / n;
      total[i].fourth += chunk[i].fourth / n;
    }
  return total;
}

class HybridError : public ::testing::TestWithParam<std::size_t> {};

TEST_P(HybridError, IsTheClosedForm) {
  const Spec& spec = specs()[GetParam()];
  const std::size_t draws = test::scaled(15000, 2000);
  const double z = boost::math::quantile(
      boost::math::complement(boost::math::normal(), 1e-6 / 2 / static_cast<double>(4 * specs().size())));
  Matrix<double> X(2, kD), Y(2, kD);
  std::copy_n(&kX[0][0], 2 * kD, X.data());
  std::copy_n(&kY[0][0], 2 * kD, Y.data());
  const Matrix<double> K = kernel_matrix<double>(X, Y, spec.kernel, spec.lengthscale);
  const std::vector<Sums> found = moments(spec, X, Y, K, draws);
  const double n = static_cast<double>(draws);
  for (std::size_t i = 0; i < 2; ++i) {
    const double mse = theory::mse(spec, X.view().row(i), Y.view().row(i));
    EXPECT_LE(std::abs(found[i].first), z * std::sqrt(mse / n)) << to_json(spec);
    const double spread = std::sqrt((found[i].fourth - found[i].second * found[i].second) / n);
    EXPECT_LE(std::abs(found[i].second - mse), z * spread) << to_json(spec) << ": " << found[i].second << ", " << mse;
  }
}

INSTANTIATE_TEST_SUITE_P(Hybrids, HybridError, ::testing::Range<std::size_t>(0, specs().size()), [](const auto& test) {
  return fmt::format("{}_{}_{}", specs()[test.param].map, specs()[test.param].coupling, test.param);
});

}  // namespace
}  // namespace bochner
