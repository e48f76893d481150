// SPDX-License-Identifier: Apache-2.0
// Weighted positive features: known answers, and what the best weight is for.
#include "theory/generalised_exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/golden.h"
#include "theory/exponential.h"

namespace bochner::theory {
namespace {

using testing::golden_cases;
using testing::GoldenCase;

void expect_close(double actual, const GoldenCase& known) {
  const double value = known.value.get<double>();
  EXPECT_LE(std::abs(actual - value), known.rtol * std::abs(value)) << known.fn << known.args << " not " << actual;
}

double rho_of(double A) { return 1.0 / (1.0 - 8.0 * A); }

BlockStructure known_blocks(const GoldenCase& known) {
  const std::size_t m = known.args.at("m"), d = known.args.at("d");
  const std::string coupling = known.args.value("coupling", "iid");
  if (coupling == "iid") return iid_blocks(m, d);
  BlockStructure blocks = iid_blocks(m, d);
  const double cosine = coupling == "orthogonal" ? 0.0 : -1.0 / (static_cast<double>(d) - 1.0);
  blocks.groups = {{m / d, d, cosine}, {1, m % d, cosine}};
  if (m % d == 0) blocks.groups.pop_back();
  return blocks;
}

PairGeometry known_pair(const GoldenCase& known) {
  return pair_geometry(known.args.at("nx"), known.args.at("ny"), known.args.at("dot"));
}

TEST(Golden, OptimalWeight) {
  for (const GoldenCase& known : golden_cases("theory", "oprf_A"))
    expect_close(optimal_A(known.args.at("v2"), known.args.at("d")), known);
  for (const GoldenCase& known : golden_cases("theory", "oprf_rho_star"))
    expect_close(rho_of(optimal_A(known.args.at("v2"), known.args.at("d"))), known);
}

TEST(Golden, ErrorOfWeightedFeatures) {
  std::size_t tested = 0;
  for (const GoldenCase& known : golden_cases("theory", "mse_gerf")) {
    const nlohmann::json& weight = known.args.at("A");
    if (weight.at("im") != 0.0 || known.args.at("s") != 1) continue;  // those are in exponential_test.cpp
    const double A = weight.at("re");
    const PairGeometry pair = known_pair(known);
    const double log_factor = known.args.value("kernel", "gaussian") == "softmax" ? pair.nx + pair.ny : 0.0;
    expect_close(mse_generalised(A, pair, log_factor, known_blocks(known)), known);
    ++tested;
  }
  EXPECT_GT(tested, 50u);
}

/// log of the variance with the best weight over that of plain positive features, for independent rows.
TEST(Golden, GainOfTheOptimalWeight) {
  for (const GoldenCase& known : golden_cases("theory", "oprf_log_utility")) {
    const double v2 = known.args.at("v2");
    const std::size_t d = known.args.at("d");
    const PairGeometry pair = pair_geometry(v2 / 4, v2 / 4, v2 / 4);
    const double best = mse_generalised(optimal_A(v2, d), pair, 0.0, iid_blocks(1, d));
    expect_close(std::log(best / mse_positive(pair, 0.0, iid_blocks(1, d))), known);
  }
}

TEST(Golden, ErrorOfPairs) {
  for (const GoldenCase& known : golden_cases("theory", "mse_gerf_pp")) {
    const PairGeometry pair = known_pair(known);
    const double log_factor = known.args.value("kernel", "gaussian") == "softmax" ? pair.nx + pair.ny : 0.0;
    expect_close(mse_generalised_paired(known.args.at("A"), pair, log_factor, known_blocks(known)), known);
  }
}

TEST(Weight, OfZeroIsThePlainMap) {
  for (const double v : {1e-6, 0.1, 1.0, 3.0, 20.0}) {
    const PairGeometry pair = pair_geometry(v * v / 4, v * v / 4, v * v / 4);
    for (const BlockStructure& blocks : {iid_blocks(9, 4), orthogonal_blocks(9, 4), simplex_blocks(9, 4)}) {
      EXPECT_NEAR(mse_generalised(0.0, pair, 0.0, blocks) / mse_positive(pair, 0.0, blocks), 1.0, 1e-12) << v;
      EXPECT_NEAR(mse_generalised_paired(0.0, pair, 0.0, blocks) / mse_positive_paired(pair, 0.0, blocks), 1.0, 1e-10)
          << v;
    }
  }
}

TEST(OptimalWeight, IsAMinimum) {
  for (const std::size_t d : {2, 8, 64, 1000})
    for (const double v2 : {1e-3, 0.1, 1.0, 10.0, 100.0}) {
      const PairGeometry pair = pair_geometry(v2 / 4, v2 / 4, v2 / 4);
      const BlockStructure blocks = iid_blocks(1, d);
      const double single = optimal_A(v2, d), paired = optimal_paired_A(v2, d);
      EXPECT_LE(paired, 0.0);
      for (const double step : {-0.01, 0.01}) {
        EXPECT_LE(mse_generalised(single, pair, 0, blocks), mse_generalised(single + step * 0.1, pair, 0, blocks));
        EXPECT_LE(mse_generalised_paired(paired, pair, 0, blocks),
                  mse_generalised_paired(paired + step * 0.1, pair, 0, blocks) * (1 + 1e-12))
            << d << " " << v2;
      }
    }
}

TEST(Published, GainAtLargeSums) {
  const PairGeometry pair = pair_geometry(25.0, 25.0, 25.0);
  const BlockStructure blocks = iid_blocks(1, 64);
  const double gain = mse_generalised(optimal_A(100.0, 64), pair, 0.0, blocks) / mse_positive(pair, 0.0, blocks);
  EXPECT_NEAR(std::log(gain), -61.2212, 1e-4);
}

TEST(Published, EqualBudgetAtDimension64) {
  const double v[] = {0.5, 1.0, 1.5, 2.0, 3.0};
  const double simplex[] = {0.019, 0.125, 0.350, 0.478, 0.179}, paired[] = {0.007, 0.054, 0.226, 0.400, 0.177};
  for (int i = 0; i < 5; ++i) {
    const double v2 = v[i] * v[i];
    const PairGeometry pair = pair_geometry(v2 / 4, v2 / 4, v2 / 4);
    const double iid = mse_positive(pair, 0.0, iid_blocks(128, 64));
    EXPECT_NEAR(mse_generalised(optimal_A(v2, 64), pair, 0.0, simplex_blocks(128, 64)) / iid, simplex[i], 1e-3);
    EXPECT_NEAR(mse_generalised_paired(optimal_paired_A(v2, 64), pair, 0.0, orthogonal_blocks(64, 64)) / iid, paired[i],
                1e-3);
  }
}

}  // namespace
}  // namespace bochner::theory
