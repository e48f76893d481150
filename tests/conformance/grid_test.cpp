// SPDX-License-Identifier: Apache-2.0
// Geometric couplings on a grid of dimensions and numbers of rows: Gram matrix of the directions, norms, and the mean
// squared error against the closed form. Seeds 700,000,000 + cell number x 10,000 + draw.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/theory.h"
#include "conformance/direction_laws.h"
#include "conformance/pairs.h"
#include "conformance/sampling.h"

namespace bochner::conformance {
namespace {

// z of a test of the mean of `draws` clusters; 4.5 is exceeded by right code with probability 7e-6 per cell.
constexpr double kStandardErrors = 4.5;
// Pairs of one draw of W, in random directions, and draws: 102,400 squared errors are pooled.
constexpr std::size_t kPairs = 256, kDraws = 400;

struct Cell {
  std::string coupling;
  std::string map;
  std::size_t d;
  std::size_t m;
  std::uint64_t seed;

  Spec spec() const { return {.d = d, .map = map, .coupling = coupling, .m = m, .seed = seed}; }
};

void PrintTo(const Cell& cell, std::ostream* out) { *out << to_json(cell.spec()); }

std::vector<Cell> cells() {
  std::vector<Cell> all;
  for (const char* coupling : {"orthogonal", "orthogonal_fixed", "simplex"})
    for (const char* map : {"trigonometric", "positive"})
      for (const std::size_t d : {2, 3, 8, 33, 64, 100})
        for (const std::size_t m : {std::size_t{1}, d - 1, d, d + 1, 3 * d + 5}) {
          // Squared errors of positive maps are skewed; beyond 33 dimensions trigonometric ones alone.
          if (std::string(map) == "positive" && d > 33) continue;
          if (!misfit("gaussian", map, coupling, d).empty()) continue;
          all.push_back({coupling, map, d, m, 700'000'000 + 10'000 * all.size()});
        }
  return all;
}

std::string name_of(const ::testing::TestParamInfo<Cell>& test) {
  const Cell& cell = test.param;
  return fmt::format("{}_{}_d{}_m{}_{}", cell.coupling, cell.map, cell.d, cell.m, test.index);
}

class Grid : public ::testing::TestWithParam<Cell> {};

/// Rows of a block at the promised cosine, to rounding.
TEST_P(Grid, GramMatrixOfDirectionsIsExact) {
  const Cell& cell = GetParam();
  const Matrix<double> W = bochner::make_features(cell.spec())->directions();
  for (std::size_t i = 0; i < cell.m; ++i) {
    const std::size_t first = i / cell.d * cell.d;
    const double promised = *promised_cosine(cell.coupling, std::min(cell.d, cell.m - first));
    const auto a = W.view().row(i);
    for (std::size_t j = first; j < i; ++j) {
      const auto b = W.view().row(j);
      ASSERT_NEAR(dot(a, b) / std::sqrt(dot(a, a) * dot(b, b)), promised, 1e-12) << "rows " << i << " and " << j;
    }
  }
}

/// All norms of all draws are chi(d), or sqrt(d) each.
TEST_P(Grid, NormsHaveTheirLaw) {
  const Cell& cell = GetParam();
  std::vector<double> uniform;
  const double fixed = std::sqrt(static_cast<double>(cell.d));
  for (std::size_t draw = 0; uniform.size() < 3000; ++draw) {
    Spec spec = cell.spec();
    spec.seed += draw;
    const Matrix<double> W = bochner::make_features(spec)->directions();
    for (std::size_t i = 0; i < cell.m; ++i) {
      const double norm = std::sqrt(dot(W.view().row(i), W.view().row(i)));
      uniform.push_back(chi_cdf(norm, cell.d));
      if (cell.coupling == "orthogonal_fixed") {
        ASSERT_NEAR(norm, fixed, 1e-12 * fixed);
      }
    }
  }
  if (cell.coupling == "orthogonal_fixed") return;
  EXPECT_GT(testing::ks_p_value(uniform, [](double u) { return u; }), 1e-6 / static_cast<double>(cells().size()));
}

/// Pairs with |x - y| = 1 and |x + y| = 0.8, turned in every direction.
Pairs turned_pairs(const Spec& spec) {
  std::vector<SumAndDifference> wanted;
  for (std::size_t p = 0; p < kPairs; ++p)
    wanted.push_back({"", 0.8, generic(spec.d, 100 + 2 * p), 1.0, generic(spec.d, 101 + 2 * p)});
  return make_pairs(spec, wanted);
}

/// Mean squared error of one draw over all pairs, less its expectation.
double excess(const Features& features, const Pairs& pairs, const Vector& exact, const Vector& expected) {
  const Vector values = estimates(features, pairs);
  double sum = 0;
  for (std::size_t p = 0; p < values.size(); ++p)
    sum += ((values[p] - exact[p]) * (values[p] - exact[p]) - expected[p]) / static_cast<double>(values.size());
  return sum;
}

TEST_P(Grid, SquaredErrorIsTheClosedForm) {
  const Cell& cell = GetParam();
  if (cell.map == "positive" && test::scaled(kDraws, 60) < kDraws)
    GTEST_SKIP() << "BOCHNER_TEST_SCALE: the standard error of skewed errors needs all " << kDraws << " draws";
  const Experiment experiment{cell.spec(), turned_pairs(cell.spec()), test::scaled(kDraws, 60)};
  const Vector exact = exact_kernel(experiment.spec, experiment.pairs);
  Vector expected;
  for (std::size_t p = 0; p < kPairs; ++p) expected.push_back(*closed_form_mse(experiment, p));
  Vector excesses(experiment.draws);
  parallel_for(experiment.draws, 10, [&](std::size_t first, std::size_t last) {
    for (std::size_t draw = first; draw < last; ++draw) {
      Spec spec = experiment.spec;
      spec.seed += draw;
      excesses[draw] = excess(*bochner::make_features(spec), experiment.pairs, exact, expected);
    }
  });
  double mean = 0, square = 0;
  const double n = static_cast<double>(experiment.draws);
  for (const double value : excesses) mean += value / n;
  for (const double value : excesses) square += (value - mean) * (value - mean) / (n - 1);
  const double standard_error = std::sqrt(square / n);
  EXPECT_LE(std::abs(mean), kStandardErrors * standard_error + 1e-15)
      << "mean squared error " << expected[0] + mean << ", closed form " << expected[0] << ", standard error "
      << standard_error;
}

INSTANTIATE_TEST_SUITE_P(Geometric, Grid, ::testing::ValuesIn(cells()), name_of);

}  // namespace
}  // namespace bochner::conformance
