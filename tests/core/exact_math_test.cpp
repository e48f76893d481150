// SPDX-License-Identifier: Apache-2.0
#include "core/exact_math.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/quantiles.h"
#include "core/stream.h"

namespace bochner {
namespace {

/// |exact_log(x) - log(x)| in units of the last place of log(x).
double log_error(double x) {
  const long double expected = std::log(static_cast<long double>(x));
  int exponent = 0;
  std::frexp(expected, &exponent);
  return static_cast<double>(std::fabs(exact_log(x) - expected) / std::ldexp(1.0L, exponent - 53));
}

static_assert(std::numeric_limits<long double>::digits >= 64, "the oracle needs more bits than double");

TEST(ExactLog, ErrorBelowOneUlpEverywhere) {
  const Stream stream(1, Purpose::iid_entries);
  double worst = 0.0;
  for (std::uint64_t i = 0; i < 1000000; ++i) {
    const double u = stream.uniform(i, 0);
    worst = std::max({worst, log_error(u), log_error(1.0 + u), log_error(0.7 + 0.8 * u)});
    const std::uint64_t mantissa = stream.bits(i, 1) >> 12, exponent = 1 + stream.bits(i, 2) % 2046;
    worst = std::max(worst, log_error(std::bit_cast<double>(exponent << 52 | mantissa)));
  }
  EXPECT_LT(worst, 1.0);
}

TEST(ExactLog, ErrorBelowOneUlpNearOneAndNearTheSplit) {
  double worst = 0.0;
  for (const double centre : {1.0, std::sqrt(0.5), std::sqrt(2.0), 0.5, 2.0})
    for (int step = -2000; step <= 2000; ++step)
      for (const double unit : {0x1p-53, 0x1p-40, 0x1p-20})
        if (const double x = centre * (1.0 + step * unit); x != 1.0) worst = std::max(worst, log_error(x));
  EXPECT_LT(worst, 1.0);
}

TEST(ExactLog, ExactWhereTheAnswerIsExact) {
  EXPECT_EQ(exact_log(1.0), 0.0);
  EXPECT_EQ(exact_log(2.0), 0x1.62e42fefa39efp-1);
  EXPECT_TRUE(std::isfinite(exact_log(std::numeric_limits<double>::min())));
  EXPECT_TRUE(std::isfinite(exact_log(std::numeric_limits<double>::max())));
}

TEST(UnitInterval, OpenAndSymmetric) {
  EXPECT_EQ(unit_interval(0), 0x1p-53);
  EXPECT_EQ(unit_interval(~std::uint64_t{0}), 1.0 - 0x1p-53);
  const Stream stream(2, Purpose::iid_entries);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t word = stream.bits(i, 0);
    EXPECT_EQ(unit_interval(word), (static_cast<double>(word >> 12) + 0.5) * 0x1p-52);
    EXPECT_EQ(unit_interval(word) + unit_interval(~word), 1.0);
  }
}

double quantile_error(double u) {
  const boost::math::normal_distribution<long double> law;
  const long double expected = u < 0.5 ? boost::math::quantile(law, static_cast<long double>(u))
                                       : boost::math::quantile(boost::math::complement(law, 1.0L - u));
  return static_cast<double>(std::fabs(normal_quantile(u) / expected - 1.0L));
}

TEST(NormalQuantile, RelativeErrorBelow2em15) {
  const Stream stream(3, Purpose::iid_entries);
  double worst = 0.0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double u = stream.uniform(i, 0);
    for (const double power : {1.0, u, u * u, u * u * u * u, u * u * u * u * u * u * u * u})
      if (const double v = u * power; v >= 0x1p-53)
        worst = std::max({worst, quantile_error(v), quantile_error(1.0 - v)});
  }
  for (int k = -52; k <= -2; ++k)
    for (const double side : {0.5 - std::ldexp(1.0, k), 0.5 + std::ldexp(1.0, k), std::ldexp(1.0, k)})
      if (side > 0.0 && side != 0.5) worst = std::max(worst, quantile_error(side));
  EXPECT_LT(worst, 2e-15);
}

TEST(NormalQuantile, ContinuousWhereTheFormulasMeet) {
  for (const double seam : {0.075, 0.925, std::exp(-25.0), 1.0 - std::exp(-25.0)})
    for (const double u : {std::nextafter(seam, 0.0), seam, std::nextafter(seam, 1.0)})
      EXPECT_LT(quantile_error(u), 2e-15) << u;
}

TEST(NormalQuantile, ExtremeWordsAreFiniteAndOdd) {
  const std::vector<std::uint64_t> words = {
      0,          0xfff,      0x1000,           ~std::uint64_t{0}, ~std::uint64_t{0xfff},
      1ull << 63, 1ull << 62, (1ull << 63) - 1, 1ull << 30,        1ull << 20};
  std::vector<double> values(words.size());
  normal_quantiles(words, values);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(values[i], normal_quantile(unit_interval(words[i])));
    EXPECT_EQ(values[i], -normal_quantile(unit_interval(~words[i])));
    EXPECT_LT(std::fabs(values[i]), 8.21);
  }
  EXPECT_NEAR(values[0], -8.2095361516013874, 1e-14);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
}

TEST(NormalQuantiles, EveryLengthAndEveryBranch) {
  const Stream stream(4, Purpose::iid_entries);
  for (const std::size_t count : {0, 1, 2, 3, 7, 255, 256, 257, 512, 5000}) {
    std::vector<std::uint64_t> words(count);
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = stream.bits(count, i);
      if (i % 5 == 0) words[i] >>= stream.bits(count, i + count) % 52;  // lower tail, and the far one
      if (i % 10 == 0) words[i] = ~words[i];
    }
    normal_quantiles(words, values);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(values[i], normal_quantile(unit_interval(words[i]))) << count << " " << i;
  }
}

TEST(ExactExp, RelativeErrorBelow2em16) {
  const Stream stream(5, Purpose::iid_entries);
  long double worst = 0.0L;
  for (std::uint64_t i = 0; i < 1000000; ++i) {
    const double u = stream.uniform(i, 0);
    for (const double x : {-708.0 + 1417.0 * u, u - 0.5, 0x1p-30 * u, -40.0 * u})
      worst = std::max(worst, std::fabs(exact_exp(x) / std::exp(static_cast<long double>(x)) - 1.0L));
  }
  for (int k = -1021; k <= 1023; ++k)  // both sides of where the exponent changes
    for (const double step : {-1e-13, 0.0, 1e-13})
      if (const double x = (k + 0.5) * std::log(2.0) + step; x > -708.0 && x < 709.0)
        worst = std::max(worst, std::fabs(exact_exp(x) / std::exp(static_cast<long double>(x)) - 1.0L));
  EXPECT_LT(worst, 2e-16L);
  EXPECT_EQ(exact_exp(0.0), 1.0);
}

TEST(ExactTanPi, RelativeErrorBelow8em16) {
  const Stream stream(6, Purpose::iid_entries);
  long double worst = 0.0L;
  const auto error = [](double r) {
    return std::fabs(exact_tan_pi(r) / std::tan(std::numbers::pi_v<long double> * r) - 1.0L);
  };
  for (std::uint64_t i = 0; i < 1000000; ++i) {
    const double r = 0.25 * stream.uniform(i, 0);
    worst = std::max({worst, error(r), error(r * r), error(0.25 - r * r)});
  }
  for (int k = -1000; k <= -2; ++k) worst = std::max(worst, error(std::ldexp(1.0, k)));
  EXPECT_LT(worst, 8e-16L);
  EXPECT_EQ(exact_tan_pi(0.0), 0.0);
}

/// Largest |f(u) / exact(smaller side) - 1| over uniform u and tails, where f is odd about 1/2.
template <class Quantile, class Exact>
double worst_quantile_error(Quantile quantile, Exact exact) {
  const Stream stream(7, Purpose::iid_entries);
  long double worst = 0.0L;
  for (std::uint64_t i = 0; i < 300000; ++i) {
    const std::uint64_t word = stream.bits(i, 0) >> (i % 3 == 0 ? stream.bits(i, 1) % 52 : 0);
    const double u = unit_interval(word);
    EXPECT_EQ(quantile(u), -quantile(unit_interval(~word)));
    worst = std::max(worst, std::fabs(quantile(u) / exact(static_cast<long double>(u)) - 1.0L));
  }
  return static_cast<double>(worst);
}

TEST(CauchyQuantile, RelativeErrorBelow1p2em15) {
  const auto exact = [](long double u) {
    constexpr long double kPi = std::numbers::pi_v<long double>;
    const long double side = std::min(u, 1.0L - u);
    if (side >= 0.25L) return std::tan(kPi * (u - 0.5L));
    return (u < 0.5L ? -1.0L : 1.0L) / std::tan(kPi * side);
  };
  EXPECT_LT(worst_quantile_error(cauchy_quantile, exact), 1.2e-15);
  EXPECT_EQ(cauchy_quantile(0.5), 0.0);
  EXPECT_NEAR(cauchy_quantile(unit_interval(~std::uint64_t{0})), 0x1p53 / std::numbers::pi, 4.0);
  EXPECT_NEAR(cauchy_quantile(0.75), 1.0, 1e-15);
}

TEST(LaplaceQuantile, RelativeErrorBelowOneUlp) {
  const auto exact = [](long double u) { return u < 0.5L ? std::log(2.0L * u) : -std::log(2.0L * (1.0L - u)); };
  EXPECT_LT(worst_quantile_error(laplace_quantile, exact), 0x1p-52);
  EXPECT_EQ(laplace_quantile(0.5), 0.0);
  EXPECT_LT(laplace_quantile(unit_interval(~std::uint64_t{0})), 36.05);
}

}  // namespace
}  // namespace bochner
