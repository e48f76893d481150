// SPDX-License-Identifier: Apache-2.0
// Weighted positive features for sums of every size, against the printed formulas in 100 digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "theory/exponential.h"
#include "theory/generalised_exponential.h"
#include "theory/series_oracle.h"

namespace bochner::theory {
namespace {

double relative_error(double actual, const Wide& expected) {
  return std::abs(static_cast<double>(Wide((Wide(actual) - expected) / expected)));
}

TEST(OptimalWeight, KeepsItsDigitsForSumsOfEverySize) {
  for (const std::size_t D : {1, 2, 64, 100000})
    for (double v2 = 1e-40; v2 < 1e300; v2 *= 1e5) {
      const Wide sum = 2 * Wide(v2) + D;
      const Wide rho = 2 * Wide(D) / (sum + sqrt(Wide(sum * sum + 8 * Wide(D) * v2)));
      // 1 - 1/rho of 100 digits loses 40 of them at 1e-40.
      EXPECT_LT(relative_error(optimal_A(v2, D), (1 - 1 / rho) / 8), 2e-15) << v2 << ", D = " << D;
    }
}

/// The slope in rho changes its sign within two units of the last digit.
TEST(OptimalWeight, OfPairsKeepsItsDigitsForSumsOfEverySize) {
  for (const std::size_t D : {1, 2, 64, 100000})
    for (double v2 = 1e-12; v2 < 1e300; v2 *= 1e4) {
      const Wide q = -8 * Wide(optimal_paired_A(v2, D));
      const auto slope = [&](const Wide& at) {
        const Wide rho = 1 / (1 + at);
        const Wide decay = (1 + rho) * v2 < 1000 ? Wide(exp(Wide(-(1 + rho) * v2))) : Wide(0);
        return Wide(Wide(D) * (rho - 1) / (2 * rho * (1 + rho)) + v2 / (1 + decay));
      };
      EXPECT_GT(slope(q * (1 - Wide(1.5e-15))), 0) << v2 << ", D = " << D;
      EXPECT_LT(slope(q * (1 + Wide(1.5e-15))), 0) << v2 << ", D = " << D;
    }
}

/// The bracket of the header over e^{v2} for D = blocks.d even and right angles, times e^{log_factor} / m: that of
/// mse_generalised(_paired) at z2 = 0.
Wide exact_mse(double A, bool paired, double v2, double log_factor, const BlockStructure& blocks) {
  const Wide rho = 1 / (1 - 8 * Wide(A)), v(v2), unit = exp(Wide(log_factor));
  const Wide log_spread = Wide(blocks.d) * log(Wide((1 + rho) / (2 * sqrt(rho))));
  Wide bracket = exp(Wide(log_spread + rho * v + log_factor)) / (paired ? 2 : 1) - unit;
  if (paired) bracket += exp(Wide(log_spread - v + log_factor)) / 2;
  const Wide rest = log_rho_rest_by_polynomial(v2, blocks.d);
  for (const BlockGroup& group : blocks.groups)
    bracket += Wide(group.pairs()) / blocks.m * (exp(Wide(rest - v / 2 + log_factor)) - unit);
  return bracket / blocks.m;
}

TEST(Weight, ErrorsKeepTheirDigitsForSumsOfEverySize) {
  for (const std::size_t d : {2, 8, 64, 1000})
    for (const BlockStructure& blocks : {iid_blocks(2 * d, d), orthogonal_blocks(2 * d, d)})
      for (const double v2 : {1e-12, 1e-6, 0.01, 1.0, 30.0, 300.0, 800.0, 1e4, 1e6, 1e9}) {
        const PairGeometry pair{.nx = v2 / 4, .ny = v2 / 4, .dot = v2 / 4, .v2 = v2, .z2 = 0.0};
        const double tolerance = 2e-15 * std::max({10.0, static_cast<double>(d), v2});
        for (const bool paired : {false, true}) {
          const double A = paired ? optimal_paired_A(v2, d) : optimal_A(v2, d);
          // So that the value is about 1.
          const double log_factor = -std::round(static_cast<double>(log(exact_mse(A, paired, v2, 0.0, blocks))));
          const double actual = (paired ? mse_generalised_paired : mse_generalised)(A, pair, log_factor, blocks);
          EXPECT_LT(relative_error(actual, exact_mse(A, paired, v2, log_factor, blocks)), tolerance)
              << "v2 = " << v2 << ", d = " << d << ", groups " << blocks.groups.size() << ", paired " << paired;
        }
      }
}

/// One row is exact at v2 = 0 only: nowhere else is the error 0, nor for blocks, nor beyond e^{745}.
TEST(Weight, ErrorsAreNeverZero) {
  for (const std::size_t d : {2, 64})
    for (const auto blocks_of : {iid_blocks, orthogonal_blocks, simplex_blocks})
      for (const double v2 : {1e-12, 1.0, 100.0, 700.0, 800.0, 1e3, 1e5, 1e8}) {
        const PairGeometry pair{.nx = v2 / 4, .ny = v2 / 4, .dot = v2 / 4, .v2 = v2, .z2 = 0.0};
        const BlockStructure blocks = blocks_of(2 * d, d);
        EXPECT_GT(mse_generalised(optimal_A(v2, d), pair, 0.0, blocks), 0.0) << v2 << ", d = " << d;
        EXPECT_GT(mse_generalised_paired(optimal_paired_A(v2, d), pair, 0.0, blocks), 0.0) << v2 << ", d = " << d;
      }
}

/// Two opposite rows in many dimensions share e^{v2 |c|} in units of the kernel: beyond e^{709}, yet no overflow.
TEST(Weight, FewRowsInManyDimensionsDoNotOverflow) {
  const double v2 = 4e3;
  const PairGeometry pair{.nx = v2 / 4, .ny = v2 / 4, .dot = v2 / 4, .v2 = v2, .z2 = 0.0};
  const BlockStructure blocks = simplex_blocks(2, 10000);
  const double A = optimal_paired_A(v2, 10000);
  const double error = mse_generalised_paired(A, pair, -3000.0, blocks);
  EXPECT_TRUE(std::isfinite(error));
  EXPECT_GT(error, mse_generalised_paired(A, pair, -3000.0, iid_blocks(2, 10000)));
}

}  // namespace
}  // namespace bochner::theory
