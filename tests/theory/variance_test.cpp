// SPDX-License-Identifier: Apache-2.0
// Orderings, limits and published numbers of the mean squared errors.
#include "theory/variance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "theory/conformity.h"

namespace bochner::theory {
namespace {

const std::vector<std::size_t> kDimensions = {2, 3, 4, 5, 8, 16, 17, 33, 64, 100, 1000};

/// x = y = v/2: |x+y| = v.
PairGeometry equal_pair(double v) { return pair_geometry(v * v / 4.0, v * v / 4.0, v * v / 4.0); }

/// x = -y: |x-y| = z.
PairGeometry opposite_pair(double z) { return pair_geometry(z * z / 4.0, z * z / 4.0, -z * z / 4.0); }

double trigonometric(const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  return mse_trigonometric(gaussian_terms(pair.z2, blocks.d), log_factor, blocks);
}

double cosine(const PairGeometry& pair, double log_factor, const BlockStructure& blocks) {
  return mse_cosine(gaussian_terms(pair.z2, blocks.d), log_factor, blocks);
}

/// Numbers of rows that leave no, a small and a large partial block.
std::vector<std::size_t> row_counts(std::size_t d) { return {d, 3 * d, d + 2, 3 * d - 1}; }

TEST(Orderings, PositiveSimplexBelowOrthogonalBelowIid) {
  for (const std::size_t d : kDimensions) {
    for (const std::size_t m : row_counts(d)) {
      for (const double v : {1e-6, 1e-3, 0.1, 0.5, 1.0, 1.5, 2.0}) {
        const PairGeometry pair = equal_pair(v);
        SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m << ", v = " << v);
        const double iid = mse_positive(pair, 0.0, iid_blocks(m, d));
        const double orthogonal = mse_positive(pair, 0.0, orthogonal_blocks(m, d));
        EXPECT_LT(mse_positive(pair, 0.0, simplex_blocks(m, d)), orthogonal);
        EXPECT_LT(orthogonal, iid);
      }
    }
  }
}

TEST(Orderings, PairedOrthogonalBelowSimplex) {
  for (const std::size_t d : kDimensions) {
    for (const std::size_t m : row_counts(d)) {
      for (const double v : {1e-6, 1e-3, 0.1, 0.5, 1.0, 1.5, 2.0, 3.0}) {
        const PairGeometry pair = equal_pair(v);
        SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m << ", v = " << v);
        const double iid = mse_positive_paired(pair, 0.0, iid_blocks(m, d));
        const double orthogonal = mse_positive_paired(pair, 0.0, orthogonal_blocks(m, d));
        const double simplex = mse_positive_paired(pair, 0.0, simplex_blocks(m, d));
        EXPECT_LT(orthogonal, simplex);
        EXPECT_LT(orthogonal, iid);
        // Antipodal directions repeat what +-w already holds: blocks of two rows lose against iid.
        if (d == 2) {
          EXPECT_GT(simplex, iid);
        }
        if (d > 2 && m % d == 0) {
          EXPECT_LT(simplex, iid);
        }
      }
    }
  }
}

TEST(Orderings, TrigonometricOrthogonalBelowSimplexForNearPairs) {
  for (const std::size_t d : kDimensions) {
    for (const std::size_t m : row_counts(d)) {
      for (const double z : {1e-6, 1e-3, 0.1, 0.5, 1.0, 1.5}) {
        const PairGeometry pair = opposite_pair(z);
        SCOPED_TRACE(::testing::Message() << "d = " << d << ", m = " << m << ", z = " << z);
        const double orthogonal = trigonometric(pair, 0.0, orthogonal_blocks(m, d));
        EXPECT_LT(orthogonal, trigonometric(pair, 0.0, simplex_blocks(m, d)));
        EXPECT_LT(orthogonal, trigonometric(pair, 0.0, iid_blocks(m, d)));
      }
    }
  }
}

TEST(Limits, SmallSumOfPositiveFeatures) {
  const PairGeometry pair{.nx = 0.5, .ny = 0.5, .dot = -0.5, .v2 = 1e-12, .z2 = 2.0};
  const auto scaled = [&](const BlockStructure& blocks, auto variance) {
    return static_cast<double>(blocks.m) * std::exp(2.0) * variance(pair, 0.0, blocks) / pair.v2;
  };
  EXPECT_NEAR(scaled(simplex_blocks(64, 64), mse_positive), 0.0077817, 5e-8);
  EXPECT_NEAR(scaled(orthogonal_blocks(64, 64), mse_positive), 1.0, 1e-11);
  EXPECT_NEAR(scaled(iid_blocks(64, 64), mse_positive), 1.0, 1e-11);
  for (const auto blocks_of : {iid_blocks, orthogonal_blocks, simplex_blocks}) {
    EXPECT_LT(scaled(blocks_of(64, 64), mse_positive_paired), 1e-11);
  }
}

TEST(Limits, EqualAndOppositePairsAreExact) {
  const PairGeometry same = pair_geometry(2.0, 2.0, 2.0);
  const PairGeometry opposite = pair_geometry(2.0, 2.0, -2.0);
  for (const auto blocks_of : {iid_blocks, orthogonal_blocks, simplex_blocks}) {
    const BlockStructure blocks = blocks_of(21, 8);
    EXPECT_EQ(trigonometric(same, 0.0, blocks), 0.0);
    EXPECT_EQ(cosine(same, 0.0, blocks), 1.0 / 42.0);
    EXPECT_EQ(mse_positive(opposite, 0.0, blocks), 0.0);
    EXPECT_EQ(mse_positive_paired(opposite, 0.0, blocks), 0.0);
  }
}

TEST(Limits, NearPairsOfOrthogonalTrigonometricFeatures) {
  // (1 - (N/m)/(d+2)) z2^2/2 at m = d: 3/(d+2) of the independent error.
  for (const std::size_t d : kDimensions) {
    const PairGeometry pair{.nx = 1.0, .ny = 1.0, .dot = 1.0, .v2 = 4.0, .z2 = 1e-12};
    const double ratio = trigonometric(pair, 0.0, orthogonal_blocks(d, d)) / trigonometric(pair, 0.0, iid_blocks(d, d));
    EXPECT_NEAR(ratio * (static_cast<double>(d) + 2.0) / 3.0, 1.0, 1e-11) << d;
  }
}

TEST(Published, RatiosToIndependentRowsAtDimension64) {
  const double v[] = {0.5, 1.0, 1.5, 2.0, 3.0};
  const double positive_orthogonal[] = {0.896, 0.731, 0.737, 0.879, 0.997};
  const double positive_simplex[] = {0.028, 0.170, 0.496, 0.818, 0.996};
  const double paired_orthogonal[] = {0.013, 0.094, 0.369, 0.739, 0.994};
  for (int i = 0; i < 5; ++i) {
    const PairGeometry pair = equal_pair(v[i]);
    const double iid = mse_positive(pair, 0.0, iid_blocks(128, 64));
    EXPECT_NEAR(mse_positive(pair, 0.0, orthogonal_blocks(128, 64)) / iid, positive_orthogonal[i], 5.1e-4);
    EXPECT_NEAR(mse_positive(pair, 0.0, simplex_blocks(128, 64)) / iid, positive_simplex[i], 5.1e-4);
    EXPECT_NEAR(mse_positive_paired(pair, 0.0, orthogonal_blocks(64, 64)) / iid, paired_orthogonal[i], 5.1e-4);
  }
  EXPECT_NEAR(std::exp(log_rho(1.0, 6, -0.5)), 1.689, 5e-4);
  EXPECT_NEAR(std::exp(log_rho(1.0, 6, -0.2)), 2.182, 5e-4);
  EXPECT_NEAR(std::exp(log_rho(1.0, 6, 0.0)), 2.580, 5e-4);
}

TEST(Published, TrigonometricRatiosAtDistanceOne) {
  const std::size_t d[] = {4, 8, 16, 32, 64};
  const double ratio[] = {0.409, 0.243, 0.158, 0.117, 0.098};
  for (int i = 0; i < 5; ++i) {
    const PairGeometry pair = opposite_pair(1.0);
    const double iid = trigonometric(pair, 0.0, iid_blocks(d[i], d[i]));
    EXPECT_NEAR(trigonometric(pair, 0.0, orthogonal_blocks(d[i], d[i])) / iid, ratio[i], 5e-4);
  }
}

TEST(Published, OnePaddedBlockBeatsSeveralSmallOnes) {
  const PairGeometry sum = equal_pair(0.5);
  const PairGeometry difference = opposite_pair(0.5);
  const double positive = mse_positive(sum, 0.0, iid_blocks(64, 33));
  const double independent = trigonometric(difference, 0.0, iid_blocks(64, 33));
  EXPECT_NEAR(mse_positive(sum, 0.0, simplex_blocks(64, 64)) / positive, 0.028, 5e-4);
  EXPECT_NEAR(trigonometric(difference, 0.0, orthogonal_blocks(64, 33)) / independent, 0.106, 5e-4);
  EXPECT_NEAR(trigonometric(difference, 0.0, orthogonal_blocks(64, 64)) / independent, 0.044, 5e-4);
}

/// m errors of e^{2 v2} (half of it in pairs) change by at most e^{v2} for each pair of rows: gains vanish as e^{-v2}.
TEST(Limits, GainsOfCouplingsVanishForLongSums) {
  for (const std::size_t d : {4u, 16u, 64u})
    for (const auto coupled : {orthogonal_blocks, simplex_blocks})
      for (const auto mse : {mse_positive, mse_positive_paired}) {
        double last = 5.0;
        for (const double v : {2.0, 3.0, 4.0, 5.0}) {
          const PairGeometry pair = pair_geometry(v * v / 4, v * v / 4, v * v / 4);
          const double gain = 1.0 - mse(pair, 0.0, coupled(d, d)) / mse(pair, 0.0, iid_blocks(d, d));
          EXPECT_GT(gain, 0.0) << d << ' ' << v;
          EXPECT_LT(gain, last / 5) << d << ' ' << v;
          EXPECT_LT(gain, 2.1 * (static_cast<double>(d) - 1.0) * std::exp(-v * v)) << d << ' ' << v;
          last = gain;
        }
      }
}

TEST(StandardError, IsTheRootOfTheErrorOfTheMean) {
  EXPECT_EQ(standard_error(0.25, 1), 0.5);
  EXPECT_EQ(standard_error(0.25, 100), 0.05);
}

TEST(Blocks, SplitRowsAsTheCouplingsDo) {
  EXPECT_TRUE(iid_blocks(10, 4).groups.empty());
  const BlockStructure simplex = simplex_blocks(11, 4);
  ASSERT_EQ(simplex.groups.size(), 2u);
  EXPECT_EQ(simplex.groups[0].count, 2u);
  EXPECT_EQ(simplex.groups[0].rows, 4u);
  EXPECT_EQ(simplex.groups[0].cosine, -1.0 / 3.0);
  EXPECT_EQ(simplex.groups[1].count, 1u);
  EXPECT_EQ(simplex.groups[1].rows, 3u);
  EXPECT_EQ(simplex.groups[1].cosine, -0.5);
  EXPECT_EQ(orthogonal_blocks(11, 4).groups[1].cosine, 0.0);
  EXPECT_EQ(simplex_blocks(9, 4).groups.size(), 1u);
  EXPECT_EQ(simplex_blocks(3, 8).groups.size(), 1u);
  EXPECT_TRUE(simplex_blocks(1, 8).groups.empty());
  EXPECT_TRUE(simplex_blocks(5, 1).groups.empty());
  EXPECT_TRUE(orthogonal_blocks(5, 1).groups.empty());
}

}  // namespace
}  // namespace bochner::theory
