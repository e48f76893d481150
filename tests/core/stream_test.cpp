// SPDX-License-Identifier: Apache-2.0
#include "core/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bochner/version.h"
#include "core/law.h"
#include "core/philox.h"
#include "core/quantiles.h"

namespace bochner {
namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

// The known-answer file of Random123, philox4x64-10.
TEST(Philox, KnownAnswers) {
  using Words = std::array<std::uint64_t, 4>;
  EXPECT_EQ(philox_words({0, 0, 0, 0}, {0, 0}),
            (Words{0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu, 0x7e68b68aec7ba23bu}));
  EXPECT_EQ(philox_words({kMax, kMax, kMax, kMax}, {kMax, kMax}),
            (Words{0x87b092c3013fe90bu, 0x438c3c67be8d0224u, 0x9cc7d7c69cd777b6u, 0xa09caebf594f0ba0u}));
  EXPECT_EQ(philox_words({0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u},
                         {0x452821e638d01377u, 0xbe5466cf34e90c6cu}),
            (Words{0xa528f45403e61d95u, 0x38c72dbd566e9788u, 0xa5a1610e72fd18b5u, 0x57bd43b5e52b7fe6u}));
}

TEST(Stream, BitsAreThePhiloxWordsOfTheContract) {
  const Stream stream(77, Purpose::norms);
  for (const std::uint64_t row : {std::uint64_t{0}, std::uint64_t{5}, kMax})
    for (const std::uint64_t column : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{42}, kMax})
      EXPECT_EQ(stream.bits(row, column), philox_words({row, column / 4, 3, 0}, {77, kStreamVersion})[column % 4]);
}

/// Value i of a distribution as stream_oracle.py defines it.
std::uint64_t golden_pattern(const std::string& name, std::uint64_t i) {
  const Stream stream(i / 1024 * 0x0123456789abcdefu, static_cast<Purpose>(1 + i / 64 % 4));
  const std::uint64_t row = i / 64 * kGolden, column = i % 64;
  const std::uint64_t degrees[] = {1, 2, 3, 32, 33, 100, 1000};
  const double shapes[] = {0.01, 0.5, 0.75, 1.0, 1.5, 2.5, 1000.25};
  if (name == "bits") return stream.bits(row, column);
  double value = 0.0;
  if (name == "uniform") value = stream.uniform(row, column);
  if (name == "normal") value = stream.normal(row, column);
  if (name == "exponential") value = stream.exponential(row, column);
  if (name == "rademacher") value = stream.rademacher(row, column);
  if (name == "chi") value = stream.chi(i * kGolden, degrees[i % 7]);
  if (name == "cauchy") value = cauchy_quantile(stream.uniform(row, column));
  if (name == "laplace") value = laplace_quantile(stream.uniform(row, column));
  if (name == "log_gamma") value = stream.log_gamma(i * kGolden, shapes[i % 7]);
  return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t golden_checksum(const std::string& name) {
  std::uint64_t state = 0xcbf29ce484222325u;  // FNV-1a
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const std::uint64_t pattern = golden_pattern(name, i);
    for (int byte = 0; byte < 8; ++byte) state = (state ^ (pattern >> (8 * byte) & 0xff)) * 0x100000001b3u;
  }
  return state;
}

TEST(Stream, GoldenVectors) {
  std::ifstream file(BOCHNER_SOURCE_DIR "/tests/core/golden_stream.txt");
  ASSERT_TRUE(file) << "tests/core/golden_stream.txt is missing";
  std::map<std::string, std::uint64_t> seen;
  std::size_t checksums = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, value;
    words >> name;
    if (name == "stream_version") {
      words >> value;
      EXPECT_EQ(value, std::to_string(kStreamVersion));
    } else if (name == "checksum") {
      words >> name >> value;
      EXPECT_EQ(golden_checksum(name), std::strtoull(value.c_str(), nullptr, 16)) << name;
      ++checksums;
    } else {
      while (words >> value) {
        const std::uint64_t expected = name == "bits"
                                           ? std::strtoull(value.c_str(), nullptr, 16)
                                           : std::bit_cast<std::uint64_t>(std::strtod(value.c_str(), nullptr));
        const std::uint64_t i = seen[name]++;
        EXPECT_EQ(golden_pattern(name, i), expected) << name << " " << i;
      }
    }
  }
  EXPECT_EQ(checksums, 9u);
  ASSERT_EQ(seen.size(), 9u);
  for (const auto& [name, count] : seen) EXPECT_EQ(count, 64u) << name;
}

TEST(Stream, AnyElementAloneAndInAnyOrder) {
  const Stream stream(3, Purpose::phases);
  std::vector<std::array<double, 6>> forward(500), backward(500);
  const auto draw = [](const Stream& s, std::size_t i) {
    return std::array<double, 6>{s.uniform(i, i % 9),     s.normal(i, i % 9),
                                 s.exponential(i, i % 9), s.rademacher(i, i % 9),
                                 s.chi(i, 1 + i % 50),    s.log_gamma(i, 0.1 + 0.1 * static_cast<double>(i % 50))};
  };
  for (std::size_t i = 0; i < forward.size(); ++i) forward[i] = draw(stream, i);
  for (std::size_t i = backward.size(); i-- > 0;) backward[i] = draw(Stream(3, Purpose::phases), i);
  EXPECT_EQ(forward, backward);
}

TEST(Stream, FillNormalIsNormalBitByBit) {
  const Stream stream(11, Purpose::iid_entries);
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{250}, kMax - 5})
    for (const std::size_t count : {0, 1, 2, 3, 4, 5, 255, 256, 257, 1000}) {
      std::vector<double> out(count + 1, 99.0);
      stream.fill_normal(9, first, std::span(out).first(count));
      for (std::size_t j = 0; j < count; ++j)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(out[j]), std::bit_cast<std::uint64_t>(stream.normal(9, first + j)))
            << "first " << first << ", count " << count << ", j " << j;
      EXPECT_EQ(out[count], 99.0) << "written past the end";
    }
}

TEST(Stream, FillUniformIsUniformBitByBit) {
  const Stream stream(11, Purpose::iid_entries);
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{3}, kMax - 5})
    for (const std::size_t count : {0, 1, 4, 5, 257, 1000}) {
      std::vector<double> out(count + 1, 99.0);
      stream.fill_uniform(9, first, std::span(out).first(count));
      for (std::size_t j = 0; j < count; ++j) ASSERT_EQ(out[j], stream.uniform(9, first + j)) << first << " " << j;
      EXPECT_EQ(out[count], 99.0) << "written past the end";
    }
}

TEST(Stream, FillNormalOfAMillionIsNormalBitByBit) {
  const Stream stream(12, Purpose::iid_entries);
  std::vector<double> out(1000000);
  stream.fill_normal(0, 0, out);
  std::size_t different = 0;
  for (std::size_t j = 0; j < out.size(); ++j) different += out[j] != stream.normal(0, j);
  EXPECT_EQ(different, 0u);
}

TEST(Stream, SeedsPurposesRowsAndColumnsAllMatter) {
  const std::uint64_t base = Stream(1, Purpose::iid_entries).bits(2, 3);
  EXPECT_NE(base, Stream(2, Purpose::iid_entries).bits(2, 3));
  EXPECT_NE(base, Stream(1, Purpose::norms).bits(2, 3));
  EXPECT_NE(base, Stream(1, Purpose::iid_entries).bits(3, 3));
  EXPECT_NE(base, Stream(1, Purpose::iid_entries).bits(2, 2));
  EXPECT_NE(base, Stream(1, Purpose::iid_entries).bits(2, 7));
}

TEST(Stream, SmallChiIsTheNormOfItsNormals) {
  const Stream stream(5, Purpose::norms);
  for (std::uint64_t degrees = 1; degrees <= 32; ++degrees) {
    double sum = 0.0;
    for (std::uint64_t j = 0; j < degrees; ++j) sum += stream.normal(degrees, j) * stream.normal(degrees, j);
    EXPECT_EQ(stream.chi(degrees, degrees), std::sqrt(sum)) << degrees;
  }
}

TEST(Stream, ChiRefusesNoDegrees) { EXPECT_THROW(Stream(0, Purpose::norms).chi(0, 0), std::invalid_argument); }

TEST(Stream, LogGammaRefusesShapesThatAreNone) {
  for (const double shape :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(Stream(0, Purpose::scales).log_gamma(0, shape), std::invalid_argument) << shape;
}

TEST(Stream, LogGammaOfExtremeShapesIsFinite) {
  const Stream stream(6, Purpose::scales);
  for (std::uint64_t row = 0; row < 1000; ++row) {
    for (const double shape : {1e-300, 1e-12, 1e-3}) {
      ASSERT_TRUE(std::isfinite(stream.log_gamma(row, shape))) << shape;
      ASSERT_LT(stream.log_gamma(row, shape), 10.0) << shape;
    }
    for (const double shape : {1e6, 1e12}) {  // log G is log(shape) +- 1 / root(shape): 8 sigma and the rounding
      EXPECT_NEAR(stream.log_gamma(row, shape), std::log(shape), 8.0 / std::sqrt(shape) + 1e-14) << shape;
    }
  }
}

TEST(Stream, ChiOfHugeDegreesIsNearItsMean) {
  const Stream stream(6, Purpose::norms);  // chi is root(degrees) +- 1/root(2): 8 sigma
  for (const double degrees : {1e6, 1e9, 1e12, 1e15})
    for (std::uint64_t row = 0; row < 20; ++row)
      EXPECT_NEAR(stream.chi(row, static_cast<std::uint64_t>(degrees)), std::sqrt(degrees), 8.0 * std::sqrt(0.5));
}

TEST(NormalLaw, DrawsAreThoseOfTheStream) {
  const Law law = normal_law();
  EXPECT_EQ(law.name, "normal");
  EXPECT_TRUE(law.isotropic && law.product);
  for (const std::size_t d : {1, 3, 33, 300}) {
    EXPECT_EQ(law.radius(4, 7, d), Stream(4, Purpose::norms).chi(7, d));
    std::vector<double> row(d), expected(d);
    law.fill_row(4, 7, row);
    Stream(4, Purpose::iid_entries).fill_normal(7, 0, expected);
    EXPECT_EQ(row, expected);
  }
}

}  // namespace
}  // namespace bochner
