// SPDX-License-Identifier: Apache-2.0
// The simplex product against known answers and against its defining angles.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bochner/matrix.h"
#include "couplings/simplex_directions.h"
#include "support/golden.h"

namespace bochner {
namespace {

Matrix<double> simplex_rows(std::size_t r) {
  Matrix<double> S(r, r, 0.0);
  for (std::size_t i = 0; i < r; ++i) S(i, i) = 1;
  apply_simplex(S.view());
  return S;
}

TEST(SimplexProduct, RowsAreUnitAndEquiangular) {
  for (const std::size_t r : {2, 3, 4, 6, 33, 64, 100}) {
    const Matrix<double> S = simplex_rows(r);
    const double cosine = -1.0 / static_cast<double>(r - 1);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double dot = 0;
        for (std::size_t k = 0; k < r; ++k) dot += S(i, k) * S(j, k);
        ASSERT_NEAR(dot, i == j ? 1 : cosine, 1e-13) << r;
      }
  }
}

TEST(SimplexProduct, EqualsGolden) {
  for (const auto& known : bochner::testing::golden_cases("couplings", "simplex_directions")) {
    const std::size_t d = known.args.at("d");
    const Matrix<double> S = simplex_rows(d);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) EXPECT_NEAR(S(i, j), known.value[i][j].get<double>(), known.rtol) << d;
  }
  for (const auto& known : bochner::testing::golden_cases("couplings", "simplex_apply")) {
    const std::vector<double> x = known.args.at("x");
    Matrix<double> column(x.size(), 1);
    std::copy(x.begin(), x.end(), column.data());
    apply_simplex(column.view());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(column(i, 0), known.value[i].get<double>(), known.rtol);
  }
}

}  // namespace
}  // namespace bochner
