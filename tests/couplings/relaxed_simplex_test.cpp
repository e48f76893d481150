// SPDX-License-Identifier: Apache-2.0
// simplex_plus: norms kept, sums gone, against known answers; what it is for: less conformity than the regular simplex.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/stream.h"
#include "couplings/simplex_directions.h"
#include "support/given_rows.h"
#include "support/golden.h"

namespace bochner {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t l = 0; l < a.size(); ++l) sum += a[l] * b[l];
  return sum;
}

std::vector<double> chi_norms(std::uint64_t seed, std::size_t r) {
  std::vector<double> norms(r);
  for (std::size_t i = 0; i < r; ++i) norms[i] = Stream(seed, Purpose::norms).chi(i, r);
  return norms;
}

double length_of_sum(const Matrix<double>& V) {
  std::vector<double> sum(V.cols(), 0.0);
  for (std::size_t i = 0; i < V.rows(); ++i)
    for (std::size_t l = 0; l < V.cols(); ++l) sum[l] += V(i, l);
  return std::sqrt(dot(sum, sum));
}

TEST(RelaxedSimplex, KeepsNormsAndAddsUpToZero) {
  for (const std::size_t r : {2, 3, 5, 8, 33, 64, 100}) {
    const std::vector<double> norms = chi_norms(r, r);
    const Matrix<double> V = relaxed_simplex(norms);
    for (std::size_t i = 0; i < r; ++i)
      EXPECT_NEAR(std::sqrt(dot(V.view().row(i), V.view().row(i))), norms[i], 1e-12 * norms[i]) << r;
    if (r > 2) {
      EXPECT_LT(length_of_sum(V), 1e-11) << r;
    }
  }
}

TEST(RelaxedSimplex, OneLongRowIsOpposedByAllOthers) {
  const Matrix<double> V = relaxed_simplex(std::vector<double>{10.0, 1.0, 2.0, 3.0});
  EXPECT_NEAR(length_of_sum(V), 4.0, 1e-9);
}

TEST(RelaxedSimplex, ZeroNormsAndSingleRowsWork) {
  EXPECT_EQ(relaxed_simplex(std::vector<double>{2.5})(0, 0), 2.5);
  const Matrix<double> V = relaxed_simplex(std::vector<double>{0.0, 1.0, 1.0});
  EXPECT_LT(length_of_sum(V), 1e-11);
  EXPECT_EQ(dot(V.view().row(0), V.view().row(0)), 0.0);
}

TEST(RelaxedSimplex, EqualsGolden) {
  for (const auto& known : testing::golden_cases("couplings", "simrf_plus_gram")) {
    const std::vector<double> norms = known.args.at("norms");
    const Matrix<double> V = relaxed_simplex(norms);
    for (std::size_t i = 0; i < norms.size(); ++i)
      for (std::size_t j = 0; j < norms.size(); ++j)
        EXPECT_NEAR(dot(V.view().row(i), V.view().row(j)), known.value[i][j].get<double>(),
                    known.rtol * norms[i] * norms[j])
            << known.args;
  }
}

TEST(ConformityOfRows, EqualsGolden) {
  for (const auto& known : testing::golden_cases("couplings", "conformity_of_vectors")) {
    const std::vector<std::vector<double>> rows = known.args.at("W");
    Matrix<double> W(rows.size(), rows[0].size());
    for (std::size_t i = 0; i < W.rows(); ++i)
      for (std::size_t l = 0; l < W.cols(); ++l) W(i, l) = rows[i][l];
    const double value = known.value;
    EXPECT_NEAR(theory::conformity_of_rows(W.view(), known.args.at("v2")), value, known.rtol * value);
  }
}

/// The reason to exist: for the same norms, conformity is never above that of the regular simplex.
TEST(RelaxedSimplex, ConformityIsBelowThatOfTheSimplex) {
  for (const std::size_t r : {4, 8, 32})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const std::vector<double> norms = chi_norms(1000 + seed, r);
      Matrix<double> S(r, r, 0.0);
      for (std::size_t i = 0; i < r; ++i) S(i, i) = 1;
      apply_simplex(S.view());
      for (std::size_t i = 0; i < r; ++i)
        for (double& entry : S.view().row(i)) entry *= norms[i];
      for (const double v2 : {0.01, 0.25, 1.0})
        EXPECT_LE(theory::conformity_of_rows(relaxed_simplex(norms).view(), v2),
                  theory::conformity_of_rows(S.view(), v2))
            << "r = " << r << ", seed " << seed << ", v2 = " << v2;
    }
}

}  // namespace
}  // namespace bochner
