// SPDX-License-Identifier: Apache-2.0
// hadamard and simplex_hadamard: exact angles and norms, and how far their means are from those of uniform directions.
#include <gtest/gtest.h>

#include <bit>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <vector>

#include "core/stream.h"
#include "couplings/draw.h"
#include "couplings/hd_product.h"
#include "couplings/simplex_directions.h"
#include "support/scale.h"
#include "support/statistics.h"

namespace bochner {
namespace {

using bochner::test::draw;
using bochner::test::inner;

/// All <w_i, w_j> / (|w_i| |w_j|) of rows [first, last).
void expect_cosine(const Matrix<double>& W, std::size_t first, std::size_t last, double cosine) {
  for (std::size_t i = first; i < last; ++i)
    for (std::size_t j = first; j < i; ++j)
      ASSERT_NEAR(inner(W, i, j) / std::sqrt(inner(W, i, i) * inner(W, j, j)), cosine, 1e-12) << i << " " << j;
}

TEST(Hadamard, RowsOfABlockAreOrthogonalAndOfTheStatedNorm) {
  const Law law = normal_law();
  for (const std::size_t D : {1, 2, 4, 8, 32, 64, 128}) {
    for (const double rounds : {1.0, 2.0, 3.0}) {
      for (const std::uint64_t seed : {0, 1, 9}) {
        const std::size_t m = 3 * D + 5;
        const Matrix<double> fixed =
            draw("hadamard", law, D, m, seed, {{"norms", "fixed"}, {"rounds", rounds}})->directions();
        const Matrix<double> chi =
            draw("hadamard", law, D, m, seed, {{"norms", "chi"}, {"rounds", rounds}})->directions();
        for (std::size_t i = 0; i < m; ++i) {
          ASSERT_NEAR(inner(fixed, i, i), static_cast<double>(D), 1e-12 * static_cast<double>(D));
          ASSERT_NEAR(std::sqrt(inner(chi, i, i)), law.radius(seed, i, D), 1e-12 * law.radius(seed, i, D));
        }
        for (std::size_t first = 0; first < m; first += D) {
          expect_cosine(fixed, first, std::min(first + D, m), 0);
          expect_cosine(chi, first, std::min(first + D, m), 0);
        }
      }
    }
  }
}

TEST(SimplexHadamard, RowsOfABlockHaveTheAnglesOfTheSimplexAndTheStatedNorm) {
  const Law law = normal_law();
  for (const std::size_t D : {2, 4, 8, 32, 64, 128}) {
    for (const std::size_t m : {std::size_t{1}, D - 1, D, D + 1, 3 * D + 5}) {
      const Matrix<double> fixed = draw("simplex_hadamard", law, D, m, 4, {{"norms", "fixed"}})->directions();
      const Matrix<double> chi = draw("simplex_hadamard", law, D, m, 4, {{"norms", "chi"}})->directions();
      for (std::size_t i = 0; i < m; ++i) {
        ASSERT_NEAR(inner(fixed, i, i), static_cast<double>(D), 1e-12 * static_cast<double>(D));
        ASSERT_NEAR(std::sqrt(inner(chi, i, i)), law.radius(4, i, D), 1e-12 * law.radius(4, i, D));
      }
      for (std::size_t first = 0; first < m; first += D) {
        const std::size_t last = std::min(first + D, m);
        const double cosine = -1.0 / (static_cast<double>(last - first) - 1);
        expect_cosine(fixed, first, last, cosine);
        expect_cosine(chi, first, last, cosine);
      }
    }
  }
}

/// sqrt(D)^-k H D_1 ... H D_k, H_ij = (-1)^popcount(i & j), from the signs of block `block`.
Matrix<double> plain_product(std::uint64_t seed, std::size_t block, std::size_t D, std::size_t rounds) {
  const std::vector<std::uint8_t> signs = draw_signs(seed, 3 * (block + 1), D);
  Matrix<double> product(D, D, 0.0);
  for (std::size_t i = 0; i < D; ++i) product(i, i) = 1;
  for (std::size_t round = rounds; round > 0; --round) {
    const std::uint8_t* sign = signs.data() + (3 * block + round - 1) * D;
    Matrix<double> next(D, D, 0.0);
    for (std::size_t i = 0; i < D; ++i)
      for (std::size_t j = 0; j < D; ++j)
        for (std::size_t k = 0; k < D; ++k)
          next(i, j) += (std::popcount(i & k) % 2 == 0 ? 1 : -1) * (sign[k] == 0 ? 1 : -1) * product(k, j) /
                        std::sqrt(static_cast<double>(D));
    product = std::move(next);
  }
  return product;
}

TEST(Hadamard, IsTheProductItSays) {
  for (const std::size_t D : {2, 8, 32}) {
    for (const std::size_t rounds : {1, 2, 3}) {
      const Matrix<double> W =
          draw("hadamard", normal_law(), D, 2 * D, 3, {{"norms", "fixed"}, {"rounds", static_cast<double>(rounds)}})
              ->directions();
      const Matrix<double> S = draw("simplex_hadamard", normal_law(), D, 2 * D, 3, {{"norms", "fixed"}})->directions();
      for (std::size_t block = 0; block < 2; ++block) {
        Matrix<double> product = plain_product(3, block, D, rounds);
        const double norm = std::sqrt(static_cast<double>(D));
        for (std::size_t i = 0; i < D * D; ++i)
          ASSERT_NEAR(W.data()[block * D * D + i], norm * product.data()[i], 1e-13 * norm) << D << " " << rounds;
        if (rounds < 3) continue;
        apply_simplex(product.view());
        for (std::size_t i = 0; i < D * D; ++i)
          ASSERT_NEAR(S.data()[block * D * D + i], norm * product.data()[i], 1e-13 * norm) << D;
      }
    }
  }
}

TEST(Hadamard, OneRoundIsDegenerateForADifferenceAlongAnAxis) {
  const Matrix<double> W =
      draw("hadamard", normal_law(), 64, 64, 1, {{"norms", "fixed"}, {"rounds", 1.0}})->directions();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(std::abs(W(i, 0)), 1, 1e-15);  // so every cos(w.z) is cos(z)
}

/// Mean over seeds and rows of f(w.z) for z of norm `size` in a direction of its own for each seed, and its standard
/// error.
struct Mean {
  double value = 0;
  double error = 0;
};

template <class F>
Mean mean(const std::string& coupling, std::size_t d, const Parameters& parameters, double size, const F& f) {
  const std::size_t seeds = test::scaled(2000, 100);
  double sum = 0, squares = 0;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    std::vector<double> z(d);
    Stream(1000 + seed, Purpose::iid_entries).fill_normal(0, 0, z);
    double norm = 0;
    for (const double entry : z) norm += entry * entry;
    Matrix<double> x(1, d), projections(1, d);
    for (std::size_t j = 0; j < d; ++j) x(0, j) = z[j] * size / std::sqrt(norm);
    draw(coupling, normal_law(), d, d, seed, parameters)->apply(x.view(), simd::Finish<double>{}, projections, false);
    double estimate = 0;
    for (std::size_t i = 0; i < d; ++i) estimate += f(projections(0, i)) / static_cast<double>(d);
    sum += estimate, squares += estimate * estimate;
  }
  const double n = static_cast<double>(seeds);
  return {sum / n, std::sqrt((squares - sum * sum / n) / (n - 1) / n)};
}

constexpr double kSigmas = 4.9;  // of a normal variable: exceeded once in a million

/// E cos(w.z) for a uniform direction of norm sqrt(D): 0F1(; D/2; -D z^2 / 4).
double fixed_norm_mean(double D, double z) {
  const double order = D / 2 - 1, t = std::sqrt(D) * z;
  return std::exp(boost::math::lgamma(order + 1) + order * std::log(2 / t)) * boost::math::cyl_bessel_j(order, t);
}

TEST(Hadamard, FixedNormsHaveTheMeanOfUniformDirections) {
  // 0.3 % at D = 64, as stated for random norms; the distance to uniform directions goes as 1/D.
  for (const auto& [d, bound] : {std::pair<std::size_t, double>{32, 0.006}, {64, 0.003}}) {
    for (const double z : {0.5, 1.0, 1.5, 2.0}) {
      const Mean cosine = mean("hadamard", d, {{"norms", "fixed"}}, z, [](double p) { return std::cos(p); });
      const double expected = fixed_norm_mean(static_cast<double>(d), z);
      EXPECT_NEAR(cosine.value, expected, bound + kSigmas * cosine.error) << d << " " << z;
      // The bias that the entry states.
      const double stated = -std::pow(z, 4) * std::exp(-z * z / 2) / (4 * static_cast<double>(d));
      EXPECT_NEAR(expected - std::exp(-z * z / 2), stated, 0.25 * std::abs(stated)) << d << " " << z;
    }
  }
}

TEST(Hadamard, RandomNormsAreBiasedByLessThanStated) {
  for (const std::string coupling : {"hadamard", "simplex_hadamard"}) {
    for (const auto& [d, bound] : {std::pair<std::size_t, double>{8, 0.02}, {64, 0.003}}) {
      for (const double v : {0.5, 1.0, 1.5}) {
        const double expected = std::exp(v * v / 2);
        const Mean positive = mean(coupling, d, {{"norms", "chi"}}, v, [](double p) { return std::exp(p); });
        EXPECT_NEAR(positive.value / expected, 1, bound + kSigmas * positive.error / expected) << coupling << d << v;
        const Mean cosine = mean(coupling, d, {{"norms", "chi"}}, v, [](double p) { return std::cos(p); });
        EXPECT_NEAR(cosine.value * expected, 1, bound + kSigmas * cosine.error * expected) << coupling << d << v;
      }
    }
  }
}

}  // namespace
}  // namespace bochner
