// SPDX-License-Identifier: Apache-2.0
// The laws of exponents: whole numbers by their distribution, any element alone, the same bits everywhere.
#include <gtest/gtest.h>

#include <bit>
#include <boost/math/distributions/geometric.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/exact_math.h"
#include "core/law.h"
#include "core/quantiles.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using testing::kLeastP;

/// Pearson's test on cells of consecutive k, each with an expected count of at least 20.
template <class Distribution>
double chi_square_p_value(const std::map<double, double>& counts, double total, const Distribution& law) {
  double statistic = 0, cells = 0, below = 0, seen = 0, k = counts.begin()->first;
  for (bool last = false; !last; k += 1) {
    const auto found = counts.find(k);
    if (found != counts.end()) seen += found->second;
    const double up_to = boost::math::cdf(law, k);
    last = (1 - up_to) * total < 20;
    if (!last && (up_to - below) * total < 20) continue;
    if (last)
      for (auto rest = counts.upper_bound(k); rest != counts.end(); ++rest) seen += rest->second;
    const double expected = ((last ? 1.0 : up_to) - below) * total;
    statistic += (seen - expected) * (seen - expected) / expected;
    cells += 1;
    below = up_to;
    seen = 0;
  }
  if (cells < 2) return 1.0;
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells - 1), statistic));
}

std::map<double, double> counts_of(const Law& law, std::size_t rows) {
  std::map<double, double> counts;
  std::vector<double> row(16);
  for (std::size_t i = 0; i < rows; ++i) {
    law.fill_row(21, i, row);
    for (const double k : row) counts[k] += 1;
  }
  return counts;
}

TEST(PoissonLaw, HasItsDistribution) {
  const std::size_t rows = test::scaled(20000, 1000);
  for (const double rate : {1e-3, 0.03, 0.5, 1.0, 2.25, 17.3, 300.0, 1e4}) {
    const Law law = poisson_law(rate);
    EXPECT_TRUE(law.product && !law.isotropic && !law.symmetric && !law.radius);
    const double p =
        chi_square_p_value(counts_of(law, rows), 16.0 * static_cast<double>(rows), boost::math::poisson(rate));
    EXPECT_GT(p, kLeastP) << rate;
  }
}

TEST(GeometricLaw, HasItsDistribution) {
  const std::size_t rows = test::scaled(20000, 1000);
  for (const double p : {1e-3, 0.05, 0.3, 0.5, 0.7, 0.99, 0.9999}) {
    const Law law = geometric_law(p);
    EXPECT_TRUE(law.product && !law.isotropic && !law.symmetric && !law.radius);
    EXPECT_GT(chi_square_p_value(counts_of(law, rows), 16.0 * static_cast<double>(rows), boost::math::geometric(p)),
              kLeastP)
        << p;
  }
}

/// The least k whose distribution function reaches u, far into both tails and at rates whose e^{-rate} underflows.
TEST(PoissonLaw, QuantileInvertsTheDistribution) {
  for (const double rate : {1e-12, 0.2, 3.7, 800.0, 1e4, 1e6}) {
    const PoissonQuantile quantile(rate);
    const boost::math::poisson law(rate);
    double last = 0;
    for (const double u : {0x1p-53, 1e-12, 1e-4, 0.1, 0.5, 0.9, 1 - 1e-4, 1 - 1e-12, 1 - 0x1p-53}) {
      const double k = quantile(u);
      EXPECT_GE(k, last);
      EXPECT_EQ(k, std::floor(k));
      const double slack = 1e-11 * std::min(u, 1 - u) + 1e-16 * (21 * std::sqrt(rate) + 40);
      EXPECT_GE(boost::math::cdf(law, k), u - slack) << rate << " " << u;
      EXPECT_LE(k > 0 ? boost::math::cdf(law, k - 1) : 0.0, u + slack) << rate << " " << u;
      last = k;
    }
  }
}

TEST(GeometricLaw, QuantileInvertsTheDistribution) {
  for (const double p : {1e-5, 0.01, 0.24, 0.25, 0.5, 0.999, 1 - 1e-12}) {
    const double log_rest = exact_log1m(p);
    EXPECT_NEAR(log_rest / std::log1p(-p), 1.0, 1e-15);
    for (const double u : {0x1p-53, 1e-12, 0.1, 0.5, 0.9, 1 - 0x1p-40, 1 - 0x1p-53}) {
      const double k = geometric_quantile(u, log_rest);
      EXPECT_GE(k, 0.0);
      EXPECT_LE(k, 37 / p);
      // log P(K > k) = (k + 1) log(1 - p) <= log(1 - u) <= k log(1 - p), but for rounding.
      const double slack = 1e-14 * (1 + std::abs(std::log1p(-u)));
      EXPECT_LE((k + 1) * std::log1p(-p), std::log1p(-u) + slack) << p << " " << u;
      EXPECT_GE(k * std::log1p(-p), std::log1p(-u) - slack) << p << " " << u;
    }
  }
}

/// Rows are quantiles of the stream, so that halton and sobol draw the same law from points of the cube.
TEST(WholeLaws, RowsAreQuantilesOfTheStream) {
  for (const Law& law : {poisson_law(2.5), geometric_law(0.4)}) {
    const Stream stream(5, Purpose::iid_entries);
    std::vector<double> row(301), part(7);
    law.fill_row(5, 9, row);
    law.fill_row(5, 9, part);
    for (std::size_t l = 0; l < row.size(); ++l) ASSERT_EQ(row[l], law.quantile(stream.uniform(9, l))) << law.name;
    for (std::size_t l = 0; l < part.size(); ++l) ASSERT_EQ(row[l], part[l]) << "an element depends on its row";
  }
}

std::uint64_t checksum(const Law& law) {
  std::uint64_t state = 0xcbf29ce484222325u;  // FNV-1a
  std::vector<double> row(64);
  for (std::uint64_t i = 0; i < 64; ++i) {
    law.fill_row(0x0123456789abcdefu, i, row);
    for (const double k : row)
      for (int byte = 0; byte < 8; ++byte)
        state = (state ^ (std::bit_cast<std::uint64_t>(k) >> (8 * byte) & 0xff)) * 0x100000001b3u;
  }
  return state;
}

TEST(WholeLaws, DrawsKeepTheirBits) {
  EXPECT_EQ(checksum(poisson_law(0.3)), 8259123790476742501u);
  EXPECT_EQ(checksum(poisson_law(40.0)), 7562012749227127421u);
  EXPECT_EQ(checksum(poisson_law(1e4)), 6150107138745175281u);
  EXPECT_EQ(checksum(geometric_law(0.1)), 7122233254059936757u);
  EXPECT_EQ(checksum(geometric_law(0.9)), 16713707236513924176u);
}

}  // namespace
}  // namespace bochner
