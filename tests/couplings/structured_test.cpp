// SPDX-License-Identifier: Apache-2.0
// What all couplings of fast transforms share: they apply the W they show, row by row, in both precisions.
#include "couplings/structured.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "bochner/features.h"
#include "core/stream.h"
#include "couplings/draw.h"
#include "couplings/hd_product.h"
#include "support/normals.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using bochner::test::draw;

struct Case {
  std::string name;
  Parameters parameters;
};

std::vector<Case> cases() {
  return {{"hadamard", {{"norms", "fixed"}}},
          {"hadamard", {{"norms", "chi"}, {"rounds", 2.0}}},
          {"simplex_hadamard", {{"norms", "fixed"}}},
          {"simplex_hadamard", {{"norms", "chi"}}},
          {"fastfood", {}}};
}

const std::vector<std::pair<std::size_t, std::size_t>> kShapes = {
    {1, 1}, {1, 5}, {2, 1}, {2, 2}, {3, 14}, {5, 20}, {8, 8}, {33, 104}, {64, 63}, {100, 305}, {300, 7}, {1000, 1500}};

using test::normals;

template <class T>
class Structured : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Structured, Precisions);

TYPED_TEST(Structured, AppliesTheDirectionsItShows) {
  using T = TypeParam;
  const double u = std::numeric_limits<T>::epsilon() / 2;
  const Law law = normal_law();
  for (const auto& [name, parameters] : cases()) {
    for (const auto& [d, m] : kShapes) {
      if (d == 1 && name == "simplex_hadamard") continue;
      const std::size_t n = 7, D = std::bit_ceil(d);
      const auto projection = draw(name, law, d, m, 5, parameters);
      const Matrix<double> W = projection->directions();
      const Matrix<T> X = normals<T>(n, d, m);
      Matrix<T> Z(n, m, T(0));
      projection->apply(X.view(), simd::Finish<T>{}, Z.view(), false);
      for (std::size_t i = 0; i < n; ++i) {
        double size = 0;
        for (std::size_t k = 0; k < d; ++k) size += std::pow(static_cast<double>(X(i, k)), 2);
        for (std::size_t j = 0; j < m; ++j) {
          double sum = 0;
          for (std::size_t k = 0; k < d; ++k) sum += static_cast<double>(X(i, k)) * W(j, k);
          // Three transforms of log2(D) roundings each, a handful around them, in units of |x| |w| in R^D.
          const double norm = std::max(std::sqrt(static_cast<double>(D)), law.radius(5, j, D));
          ASSERT_NEAR(Z(i, j), sum, 2 * (3 * std::bit_width(D) + 8) * u * std::sqrt(size) * norm)
              << name << " d " << d << " m " << m << " direction " << j;
        }
      }
    }
  }
}

TYPED_TEST(Structured, ARowDoesNotDependOnItsNeighboursOrStores) {
  using T = TypeParam;
  for (const auto& [name, parameters] : cases()) {
    for (const auto& [d, m] : {std::pair<std::size_t, std::size_t>{20, 144}, {64, 64}, {2000, 2304}}) {
      const std::size_t n = 150;
      const auto projection = draw(name, normal_law(), d, m, 6, parameters);
      const Matrix<T> X = normals<T>(n, d, 7);
      const std::vector<T> row_scale(n, T(0.25));
      const simd::Finish<T> finish{.shape = simd::Shape::sincos, .scale = T(0.5), .row_scale = row_scale.data()};
      Matrix<T> Z(n, 2 * m), streamed(n, 2 * m), single(1, 2 * m);
      projection->apply(X.view(), finish, Z.view(), false);
      projection->apply(X.view(), finish, streamed.view(), true);
      EXPECT_EQ(0, std::memcmp(Z.data(), streamed.data(), n * 2 * m * sizeof(T))) << name << " " << d;
      for (const std::size_t i : {0, 1, 77, 149}) {
        projection->apply(X.view().row_range(i, i + 1), finish, single.view(), false);
        ASSERT_EQ(0, std::memcmp(single.data(), &Z(i, 0), 2 * m * sizeof(T))) << name << " " << d << " row " << i;
      }
    }
  }
}

TEST(Structured, APaddedBlockShowsTheFirstColumnsOfTheWholeOne) {
  for (const auto& [name, parameters] : cases()) {
    Parameters padded = parameters;
    padded.emplace("block", 64.0);
    const Matrix<double> whole = draw(name, normal_law(), 64, 100, 8, padded)->directions();
    const Matrix<double> part = draw(name, normal_law(), 40, 100, 8, padded)->directions();
    for (std::size_t i = 0; i < 100; ++i)
      for (std::size_t j = 0; j < 40; ++j) ASSERT_EQ(part(i, j), whole(i, j)) << name;
  }
}

TEST(Structured, RandomNormsAreTheLawsRadiusInTheBlocksDimension) {
  Law law = normal_law();
  law.radius = [](std::uint64_t seed, std::uint64_t row, std::size_t d) {
    return static_cast<double>(1000 * seed + 10 * row + d);
  };
  for (const std::string name : {"hadamard", "simplex_hadamard", "fastfood"}) {
    const Parameters norms = name == "fastfood" ? Parameters{} : Parameters{{"norms", "chi"}};
    const Matrix<double> W = draw(name, law, 32, 70, 2, norms)->directions();
    for (std::size_t i = 0; i < 70; ++i) {
      const double radius = law.radius(2, i, 32);
      ASSERT_NEAR(std::sqrt(test::inner(W, i, i)), radius, 1e-13 * radius) << name;
    }
  }
}

TEST(Structured, OtherSeedsAndOtherBlocksAreOtherDirections) {
  for (const auto& [name, parameters] : cases()) {
    const Matrix<double> W = draw(name, normal_law(), 16, 48, 1, parameters)->directions();
    const Matrix<double> again = draw(name, normal_law(), 16, 48, 1, parameters)->directions();
    const Matrix<double> other = draw(name, normal_law(), 16, 48, 2, parameters)->directions();
    EXPECT_EQ(0, std::memcmp(W.data(), again.data(), 16 * 48 * sizeof(double))) << name;
    EXPECT_NE(0, std::memcmp(W.data(), other.data(), 16 * 48 * sizeof(double))) << name;
    for (std::size_t block = 1; block < 3; ++block) {
      double together = 0;  // blocks with equal directions would be parallel row by row
      for (std::size_t i = 0; i < 16; ++i)
        together += std::abs(test::inner(W, i, 16 * block + i)) /
                    std::sqrt(test::inner(W, i, i) * test::inner(W, 16 * block + i, 16 * block + i));
      EXPECT_LT(together / 16, 0.7) << name;
    }
  }
}

TEST(Structured, SignsAreFairAndIndependent) {
  const std::size_t count = 6, D = 4096;
  const std::vector<std::uint8_t> signs = draw_signs(3, count, D);
  std::vector<std::vector<double>> values(count, std::vector<double>(D));
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < D; ++j) values[i][j] = signs[i * D + j] == 0 ? 1 : -1;
  const std::vector<double> ones(D, 1.0);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_GT(testing::correlation_p_value(values[i], ones), testing::kLeastP);
    EXPECT_GT(testing::correlation_p_value(std::span(values[i]).first(D - 1), std::span(values[i]).subspan(1)),
              testing::kLeastP);
    for (std::size_t k = 0; k < i; ++k) EXPECT_GT(testing::correlation_p_value(values[i], values[k]), testing::kLeastP);
  }
}

TEST(Structured, RefusesParametersThatMakeNoSense) {
  const auto make = [](std::string coupling, std::string map, std::size_t d, Parameters parameters) {
    return make_features(
        {.d = d, .map = std::move(map), .coupling = std::move(coupling), .m = 4, .parameters = std::move(parameters)});
  };
  EXPECT_NO_THROW(make("hadamard", "trigonometric", 20, {{"rounds", 1.0}, {"block", 64.0}, {"norms", "fixed"}}));
  EXPECT_NO_THROW(make("sorf", "positive", 20, {}));
  for (const Parameters& bad : {Parameters{{"rounds", 0.0}}, Parameters{{"rounds", 4.0}}, Parameters{{"rounds", 1.5}},
                                Parameters{{"block", 24.0}}, Parameters{{"block", 16.0}}, Parameters{{"block", 0x1p21}},
                                Parameters{{"norms", "none"}}, Parameters{{"seed", 1.0}}})
    EXPECT_THROW(make("hadamard", "trigonometric", 20, bad), std::invalid_argument) << bad.begin()->first;
  EXPECT_THROW(make("hadamard", "positive", 20, {{"norms", "fixed"}}), std::invalid_argument);
  EXPECT_THROW(make("simplex_hadamard", "trigonometric", 20, {{"rounds", 3.0}}), std::invalid_argument);
  EXPECT_THROW(make("simplex_hadamard", "trigonometric", 1, {}), std::invalid_argument);
  EXPECT_THROW(make("fastfood", "trigonometric", (std::size_t{1} << 20) + 1, {}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
