// SPDX-License-Identifier: Apache-2.0
// The factors of the structured and quasi-Monte Carlo couplings against known answers, which gives every drawn number.
#include "support/golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bochner/matrix.h"
#include "core/quantiles.h"
#include "couplings/draw.h"
#include "couplings/quasi_random.h"
#include "simd/fwht.h"
#include "simd/simplex.h"

namespace bochner {
namespace {

using testing::golden_cases;
using testing::GoldenCase;

using Vector = std::vector<double>;

void expect_close(const Vector& actual, const Vector& expected, double rtol) {
  ASSERT_EQ(actual.size(), expected.size());
  double size = 0;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], rtol * size) << i;
}

/// H diag(signs) [x; 0] / sqrt(D).
Vector transformed(const Vector& x, const Vector& signs, std::size_t D) {
  std::vector<std::uint8_t> bytes;
  for (const double sign : signs)
    bytes.push_back(sign < 0 ? simd::Diagonals<double>::kMinus : simd::Diagonals<double>::kPlus);
  const double factor = 1 / std::sqrt(static_cast<double>(D));
  Vector y(D);
  simd::fwht<double>({x.data(), 1, x.size()}, {bytes.empty() ? nullptr : bytes.data(), {&factor, 1}}, {y.data(), 1, D});
  return y;
}

/// H D1 H D2 H D3 [x; 0], the last signs first.
Vector three_rounds(const GoldenCase& known) {
  const std::vector<Vector> signs = known.args.at("signs_D1_D2_D3");
  Vector y = known.args.at("x");
  for (std::size_t round = 3; round-- > 0;) y = transformed(y, signs[round], signs[round].size());
  return y;
}

TEST(Golden, WalshHadamardTransform) {
  for (const GoldenCase& known : golden_cases("couplings", "fwht_normalised")) {
    const Vector x = known.args.at("x");
    expect_close(transformed(x, {}, x.size()), known.value, known.rtol);
  }
}

TEST(Golden, ThreeRoundsOfSignsAndTransforms) {
  for (const GoldenCase& known : golden_cases("couplings", "sorf_apply")) {
    Vector y = three_rounds(known);
    for (double& value : y) value *= std::sqrt(static_cast<double>(y.size()));
    expect_close(y, known.value, known.rtol);
  }
}

TEST(Golden, FastSimplex) {
  for (const GoldenCase& known : golden_cases("couplings", "fast_simrf_apply")) {
    Vector y = three_rounds(known);
    const Vector norms = known.args.at("norms");
    simd::simplex_rows<double>({y.data(), 1, y.size()}, norms);
    expect_close(y, known.value, known.rtol);
  }
}

/// Rows s_i / |G| sqrt(D) H G P H B, column by column: W e_j.
TEST(Golden, Fastfood) {
  for (const GoldenCase& known : golden_cases("couplings", "fastfood")) {
    const std::size_t d = known.args.at("d");
    const Vector signs = known.args.at("B"), diagonal = known.args.at("G"), radius = known.args.at("s");
    const std::vector<std::size_t> order = known.args.at("perm");
    const std::size_t D = signs.size();
    double norm2 = 0;
    for (const double entry : diagonal) norm2 += entry * entry;
    for (std::size_t j = 0; j < d; ++j) {
      Vector unit(d, 0.0), permuted(D), column(D), expected(D);
      unit[j] = 1;
      const Vector first = transformed(unit, signs, D);
      for (std::size_t i = 0; i < D; ++i) permuted[i] = diagonal[i] * first[order[i]];
      column = transformed(permuted, {}, D);
      for (std::size_t i = 0; i < D; ++i) {
        column[i] *= radius[i] / std::sqrt(norm2) * std::sqrt(static_cast<double>(D));
        expected[i] = known.value[i][j];
      }
      expect_close(column, expected, known.rtol);
    }
  }
}

/// The library draws its own signs, one per column: columns agree up to them.
TEST(Golden, Circulant) {
  for (const GoldenCase& known : golden_cases("couplings", "circulant")) {
    const Vector g = known.args.at("g");
    const std::size_t d = g.size();
    const Law law{.name = "given",
                  .isotropic = true,
                  .product = true,
                  .radius = {},
                  .fill_row = [&](std::uint64_t, std::uint64_t,
                                  std::span<double> out) { std::copy(g.begin(), g.end(), out.begin()); },
                  .quantile = {}};
    const Matrix<double> W = test::draw("circulant", law, d, d, 1)->directions();
    for (std::size_t j = 0; j < d; ++j) {
      Vector column(d), expected(d);
      for (std::size_t i = 0; i < d; ++i) {
        expected[i] = known.value[i][j];
        column[i] = W(i, j) * (W(j, j) * known.value[j][j].get<double>() < 0 ? -1 : 1);
      }
      expect_close(column, expected, known.rtol);
    }
  }
}

/// Coordinate j of point i in [0, 1).
double halton_point(std::size_t i, std::uint64_t prime) {
  return std::ldexp(static_cast<double>(radical_inverse(i, prime)), -static_cast<int>(kNetDigits));
}

TEST(Golden, HaltonPoints) {
  for (const GoldenCase& known : golden_cases("couplings", "halton_points")) {
    const std::size_t m = known.args.at("m"), d = known.args.at("d"), start = known.args.at("start");
    const std::vector<std::uint64_t> primes = first_primes(d);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < d; ++j)
        EXPECT_NEAR(halton_point(start + i, primes[j]), known.value[i][j].get<double>(), 3e-16) << i << ", " << j;
  }
}

TEST(Golden, ShiftedHaltonPointsAsNormals) {
  for (const GoldenCase& known : golden_cases("couplings", "halton_gaussian")) {
    const std::size_t m = known.args.at("m"), d = known.args.at("d"), start = known.args.at("start");
    const Vector shift = known.args.at("shift");
    const std::vector<std::uint64_t> primes = first_primes(d);
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        const double sum = halton_point(start + i, primes[j]) + shift[j];
        EXPECT_NEAR(normal_quantile(sum - std::floor(sum)), known.value[i][j].get<double>(), known.rtol * 4);
      }
  }
}

/// Norms in R^D, which weighted maps need, where inputs are padded from 5 to 8 coordinates.
TEST(SquaredNorms, OfPaddedRowsAreThoseInTheLargerSpace) {
  const Law law = normal_law();
  const Parameters fixed = {{"block", 8.0}, {"norms", "fixed"}}, random = {{"block", 8.0}, {"norms", "chi"}};
  for (const char* name :
       {"hadamard", "simplex_hadamard", "givens", "fastfood", "orthogonal", "simplex", "simplex_plus"}) {
    const Vector norms = test::draw(name, law, 5, 19, 3, random)->squared_norms();
    ASSERT_EQ(norms.size(), 19u);
    for (std::size_t i = 0; i < 19; ++i) {
      const double radius = law.radius(3, i, 8);
      EXPECT_NEAR(norms[i], radius * radius, 1e-12 * radius * radius) << name << " " << i;
    }
  }
  for (const char* name : {"hadamard", "givens", "orthogonal_fixed"})
    for (const double norm2 : test::draw(name, law, 5, 19, 3, fixed)->squared_norms())
      EXPECT_NEAR(norm2, 8.0, 1e-12) << name;
}

}  // namespace
}  // namespace bochner
