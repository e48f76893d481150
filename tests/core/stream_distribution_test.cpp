// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/quantiles.h"
#include "core/stream.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using testing::kLeastP;

constexpr std::size_t kDraws = 1000000;
constexpr std::uint64_t kSeeds[] = {0, 1, 0xdeadbeefdeadbeefu};

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

std::vector<double> normals(std::uint64_t seed, Purpose purpose, std::uint64_t row, std::size_t count) {
  std::vector<double> out(count);
  Stream(seed, purpose).fill_normal(row, 0, out);
  return out;
}

TEST(StreamDistribution, NormalAlongARow) {
  for (const std::uint64_t seed : kSeeds)
    EXPECT_GT(testing::ks_p_value(normals(seed, Purpose::iid_entries, 0, kDraws), normal_cdf), kLeastP) << seed;
}

TEST(StreamDistribution, NormalAlongAColumn) {
  const Stream stream(4, Purpose::iid_entries);
  std::vector<double> sample(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) sample[i] = stream.normal(i, 0);
  EXPECT_GT(testing::ks_p_value(sample, normal_cdf), kLeastP);
}

TEST(StreamDistribution, Exponential) {
  for (const std::uint64_t seed : kSeeds) {
    const Stream stream(seed, Purpose::norms);
    std::vector<double> sample(kDraws);
    for (std::size_t i = 0; i < kDraws; ++i) sample[i] = stream.exponential(i, i % 3);
    EXPECT_GT(testing::ks_p_value(sample, [](double x) { return -std::expm1(-x); }), kLeastP) << seed;
  }
}

class Chi : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Chi, HasItsDistribution) {
  const std::uint64_t degrees = GetParam();
  const double shape = 0.5 * static_cast<double>(degrees);
  for (const std::uint64_t seed : kSeeds) {
    const std::size_t draws = seed == kSeeds[0] ? kDraws : kDraws / 10;
    std::vector<double> sample(draws);
    for (std::size_t row = 0; row < draws; ++row) sample[row] = Stream(seed, Purpose::norms).chi(row, degrees);
    const auto cdf = [&](double x) { return boost::math::gamma_p(shape, 0.5 * x * x); };
    EXPECT_GT(testing::ks_p_value(sample, cdf), kLeastP) << degrees << " degrees, seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Degrees, Chi, ::testing::Values(1, 2, 3, 32, 33, 100, 1000),
                         [](const auto& info) { return std::to_string(info.param); });

/// Gamma(shape) of the logarithm x, also where e^x underflows: gamma_p(a, y) ~ y^a / Gamma(a + 1) for y -> 0.
double log_gamma_cdf(double shape, double x) {
  return x < -300.0 ? std::exp(shape * x - std::lgamma(shape + 1.0)) : boost::math::gamma_p(shape, std::exp(x));
}

class LogGamma : public ::testing::TestWithParam<double> {};

TEST_P(LogGamma, HasItsDistribution) {
  const double shape = GetParam();
  for (const std::uint64_t seed : kSeeds) {
    const std::size_t draws = seed == kSeeds[0] ? kDraws : kDraws / 10;
    std::vector<double> sample(draws);
    for (std::size_t row = 0; row < draws; ++row) sample[row] = Stream(seed, Purpose::scales).log_gamma(row, shape);
    EXPECT_GT(testing::ks_p_value(sample, [&](double x) { return log_gamma_cdf(shape, x); }), kLeastP) << seed;
  }
}

/// The lower tail makes the large rows of a Matern law: the number of draws below the quantile 1e-4 is binomial.
TEST_P(LogGamma, HasItsLowerTail) {
  const double shape = GetParam();
  const double edge = boost::math::gamma_p_inv(shape, 1e-4);
  const double log_edge = edge > 1e-300 ? std::log(edge) : (std::log(1e-4) + std::lgamma(shape + 1.0)) / shape;
  const Stream stream(9, Purpose::scales);
  double below = 0.0;
  for (std::size_t row = 0; row < kDraws; ++row) below += stream.log_gamma(row, shape) < log_edge ? 1.0 : 0.0;
  EXPECT_GT(testing::normal_p_value((below - 1e-4 * kDraws) / std::sqrt(1e-4 * kDraws)), kLeastP) << below;
}

INSTANTIATE_TEST_SUITE_P(Shapes, LogGamma, ::testing::Values(0.01, 0.25, 0.5, 0.99, 1.0, 1.5, 2.5, 40.0, 1000.0),
                         [](const auto& info) { return std::to_string(info.index); });

TEST(StreamDistribution, CauchyAndLaplace) {
  for (const std::uint64_t seed : kSeeds) {
    const Stream stream(seed, Purpose::iid_entries);
    std::vector<double> cauchy(kDraws), laplace(kDraws);
    for (std::size_t i = 0; i < kDraws; ++i) cauchy[i] = cauchy_quantile(stream.uniform(i, 0));
    for (std::size_t i = 0; i < kDraws; ++i) laplace[i] = laplace_quantile(stream.uniform(i, 1));
    const auto cauchy_cdf = [](double x) { return std::atan2(1.0, -x) / std::numbers::pi; };
    const auto laplace_cdf = [](double x) { return x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x); };
    EXPECT_GT(testing::ks_p_value(cauchy, cauchy_cdf), kLeastP) << seed;
    EXPECT_GT(testing::ks_p_value(laplace, laplace_cdf), kLeastP) << seed;
  }
}

TEST(StreamDistribution, UniformBins) {
  for (const std::uint64_t seed : kSeeds) {
    const Stream stream(seed, Purpose::phases);
    std::vector<std::size_t> bins(1024), pairs(64 * 64);
    for (std::size_t i = 0; i < kDraws; ++i) {
      const double u = stream.uniform(i / 10, i % 10), next = stream.uniform(i / 10 + 200000, i % 10);
      ++bins[static_cast<std::size_t>(u * 1024)];
      ++pairs[static_cast<std::size_t>(u * 64) * 64 + static_cast<std::size_t>(next * 64)];
    }
    EXPECT_GT(testing::uniform_chi_square_p_value(bins), kLeastP) << seed;
    EXPECT_GT(testing::uniform_chi_square_p_value(pairs), kLeastP) << seed;
  }
}

TEST(StreamDistribution, EveryBitIsFair) {
  const Stream stream(8, Purpose::haar_reflectors);
  std::array<std::size_t, 64> ones{};
  for (std::size_t i = 0; i < kDraws; ++i) {
    const std::uint64_t word = stream.bits(i / 100, i % 100);
    for (int bit = 0; bit < 64; ++bit) ones[bit] += word >> bit & 1;
  }
  for (int bit = 0; bit < 64; ++bit) {
    const double z = (ones[bit] - 0.5 * kDraws) / std::sqrt(0.25 * kDraws);
    EXPECT_GT(testing::normal_p_value(z), kLeastP) << "bit " << bit;
  }
}

TEST(StreamDistribution, RademacherRunsOfEight) {
  for (const std::uint64_t seed : kSeeds) {
    const Stream stream(seed, Purpose::iid_entries);
    std::array<std::size_t, 256> counts{};
    for (std::size_t i = 0; i < kDraws / 8; ++i) {
      std::size_t run = 0;
      for (std::size_t j = 0; j < 8; ++j) {
        const double sign = stream.rademacher(i, j);
        ASSERT_TRUE(sign == 1.0 || sign == -1.0);
        run = 2 * run + (sign > 0.0 ? 1 : 0);
      }
      ++counts[run];
    }
    EXPECT_GT(testing::uniform_chi_square_p_value(counts), kLeastP) << seed;
  }
}

/// Uncorrelated values and uncorrelated squares.
void expect_independent(const std::vector<double>& x, const std::vector<double>& y, const std::string& what) {
  EXPECT_GT(testing::correlation_p_value(x, y), kLeastP) << what;
  std::vector<double> xx(x.size()), yy(y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx[i] = x[i] * x[i] - 1.0;
    yy[i] = y[i] * y[i] - 1.0;
  }
  EXPECT_GT(testing::correlation_p_value(xx, yy), kLeastP) << "squares, " << what;
}

TEST(StreamIndependence, PurposesAndSeeds) {
  const Purpose purposes[] = {Purpose::iid_entries, Purpose::haar_reflectors, Purpose::norms, Purpose::phases};
  std::vector<std::vector<double>> draws;
  for (const Purpose purpose : purposes) draws.push_back(normals(1, purpose, 0, kDraws / 4));
  for (const std::uint64_t seed : {0, 2, 3}) draws.push_back(normals(seed, Purpose::iid_entries, 0, kDraws / 4));
  for (std::size_t a = 0; a < draws.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      expect_independent(draws[a], draws[b], std::to_string(a) + " and " + std::to_string(b));
}

TEST(StreamIndependence, NeighbouringRows) {
  const std::vector<double> row = normals(1, Purpose::iid_entries, 10, kDraws / 4);
  for (const std::uint64_t other : {8, 9, 11, 12, 14})
    expect_independent(row, normals(1, Purpose::iid_entries, other, kDraws / 4), "row " + std::to_string(other));
}

TEST(StreamIndependence, NeighbouringColumns) {
  const std::vector<double> row = normals(2, Purpose::iid_entries, 0, kDraws);
  for (std::size_t lag = 1; lag <= 8; ++lag) {
    const std::vector<double> early(row.begin(), row.end() - lag), late(row.begin() + lag, row.end());
    expect_independent(early, late, "lag " + std::to_string(lag));
  }
}

TEST(StreamIndependence, NeighbouringChi) {
  const Stream stream(3, Purpose::norms);
  for (const std::uint64_t degrees : {3, 64}) {
    std::vector<double> even(kDraws / 10), odd(kDraws / 10);
    const double shape = 0.5 * static_cast<double>(degrees);
    const double mean = std::sqrt(2.0) * std::exp(std::lgamma(shape + 0.5) - std::lgamma(shape));
    for (std::size_t i = 0; i < even.size(); ++i) {
      even[i] = stream.chi(2 * i, degrees) - mean;
      odd[i] = stream.chi(2 * i + 1, degrees) - mean;
    }
    EXPECT_GT(testing::correlation_p_value(even, odd), kLeastP) << degrees;
  }
}

}  // namespace
}  // namespace bochner
