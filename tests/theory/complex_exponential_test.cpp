// SPDX-License-Identifier: Apache-2.0
#include "theory/complex_exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/complex_inverse.h"
#include "support/golden.h"

namespace bochner::theory {
namespace {

using testing::golden_cases;
using testing::GoldenCase;
using Complex = std::complex<double>;
using Vector = std::vector<double>;

/// A as d x d numbers, from a matrix or a diagonal.
std::vector<Complex> matrix_of(const nlohmann::json& A) {
  const nlohmann::json &re = A.at("re"), &im = A.at("im");
  const std::size_t d = re.size();
  std::vector<Complex> matrix(d * d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      if (re[i].is_array())
        matrix[i * d + j] = {re[i][j].get<double>(), im[i][j].get<double>()};
      else if (i == j)
        matrix[i * d + i] = {re[i].get<double>(), im[i].get<double>()};
    }
  return matrix;
}

PairGeometry geometry(const Vector& x, const Vector& y) {
  double nx = 0, ny = 0, dot = 0;
  for (std::size_t k = 0; k < x.size(); ++k) nx += x[k] * x[k], ny += y[k] * y[k], dot += x[k] * y[k];
  return pair_geometry(nx, ny, dot);
}

std::vector<Complex> argument(const std::vector<Complex>& A, const Vector& x, const Vector& y) {
  const std::size_t d = x.size();
  const std::vector<Complex> inverse = complex_inverse(A, d).matrix;
  std::vector<Complex> zc(d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) zc[i] += A[i * d + j] * x[j] + inverse[j * d + i] * y[j];
  return zc;
}

TEST(Golden, VarianceOfComplexExponentials) {
  for (const GoldenCase& known : golden_cases("theory", "var_ce")) {
    const Vector x = known.args.at("x"), y = known.args.at("y");
    const PairGeometry pair = geometry(x, y);
    std::vector<Complex> zc = argument(matrix_of(known.args.at("A")), x, y);
    // The variance of the whole complex estimate is that of the real part at the real vector of the same sizes.
    if (known.args.at("complex_valued").get<bool>())
      for (Complex& entry : zc) entry = std::abs(entry);
    const double value = known.value.get<double>();
    EXPECT_NEAR(mse_complex_exponential(zc, pair, pair.nx + pair.ny, 1), value, known.rtol * std::abs(value));
  }
}

TEST(Golden, VanishingDiagonals) {
  for (const GoldenCase& known : golden_cases("theory", "ce_diag_complex")) {
    const Vector x = known.args.at("x"), y = known.args.at("y");
    const std::vector<Complex> a = vanishing_diagonal(x, y);
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_NEAR(a[k].real(), known.value.at("re")[k].get<double>(), 1e-12);
      EXPECT_NEAR(a[k].imag(), known.value.at("im")[k].get<double>(), 1e-12);
    }
  }
  for (const GoldenCase& known : golden_cases("theory", "ce_diag_real")) {
    const Vector a = vanishing_real_diagonal(known.args.at("x").get<Vector>(), known.args.at("y").get<Vector>());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], known.value[k].get<double>(), 1e-12);
  }
}

TEST(VanishingDiagonal, HasAValueForZeros) {
  const std::vector<Complex> a = vanishing_diagonal(Vector{0, 0, 2, 1e-300}, Vector{0, 3, 0, 1});
  EXPECT_EQ(a, (std::vector<Complex>{1, 1e6, 1e-6, Complex(0, 1e6)}));
}

TEST(VanishingDiagonal, RealOneLeavesFourTimesTheAlikeProducts) {
  const Vector x = {0.5, -1.0, 2.0}, y = {0.3, 0.7, 1.0}, a = vanishing_real_diagonal(x, y);
  double h = 0;
  for (std::size_t k = 0; k < 3; ++k) h += std::pow(a[k] * x[k] + y[k] / a[k], 2);
  EXPECT_NEAR(h, 4 * (0.15 + 2.0), 1e-13);
}

/// A = 1 is the positive map, at every coupling; A = i the trigonometric one.
TEST(ComplexExponential, OfTheIdentityIsThePositiveMap) {
  const Vector x = {0.4, -0.3, 0.2, 0.1}, y = {0.1, 0.5, -0.2, 0.3};
  const PairGeometry pair = geometry(x, y);
  std::vector<Complex> sum, difference;
  Vector real_sum;
  for (std::size_t k = 0; k < 4; ++k) {
    real_sum.push_back(x[k] + y[k]);
    sum.emplace_back(x[k] + y[k]), difference.emplace_back(0.0, x[k] - y[k]);
  }
  const PairGeometry counterpart = positive_counterpart(real_sum, pair);
  for (const BlockStructure& blocks : {iid_blocks(9, 4), orthogonal_blocks(9, 4), simplex_blocks(9, 4)})
    EXPECT_NEAR(mse_positive(counterpart, 0.0, blocks), mse_positive(pair, 0.0, blocks), 1e-15);
  EXPECT_NEAR(mse_complex_exponential(sum, pair, 0.0, 9), mse_positive(pair, 0.0, iid_blocks(9, 4)), 1e-15);
  const double gap = -std::expm1(-pair.z2);
  EXPECT_NEAR(mse_complex_exponential(difference, pair, 0.0, 5), gap * gap / 10, 1e-16);
}

}  // namespace
}  // namespace bochner::theory
