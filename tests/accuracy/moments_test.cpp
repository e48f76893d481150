// SPDX-License-Identifier: Apache-2.0
// variance, bias and estimated_mse of bochner/theory.h.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "bochner/threads.h"
#include "support/golden.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner::theory {
namespace {

using Vector = std::vector<double>;

/// A pair at this distance along the first axis.
std::pair<Vector, Vector> apart(std::size_t d, double z) {
  Vector x(d, 0.0), y(d, 0.0);
  x[0] = z / 2, y[0] = -z / 2;
  return {x, y};
}

TEST(Golden, BiasAndVarianceOfFixedNorms) {
  for (const testing::GoldenCase& known : testing::golden_cases("theory", "orfp_rff_mean")) {
    const std::size_t d = known.args.at("d");
    const double z2 = known.args.at("z2");
    const auto [x, y] = apart(d, std::sqrt(z2));
    const Spec spec{.d = d, .map = "trigonometric", .coupling = "orthogonal_fixed", .m = d};
    EXPECT_NEAR(bias(spec, x, y), known.value.get<double>() - std::exp(-z2 / 2), 1e-14) << d << ' ' << z2;
  }
  for (const testing::GoldenCase& known : testing::golden_cases("theory", "orfp_rff_var")) {
    const std::size_t d = known.args.at("d"), m = known.args.at("m");
    const auto [x, y] = apart(d, std::sqrt(known.args.at("z2").get<double>()));
    const Spec spec{.d = d, .map = "trigonometric", .coupling = "orthogonal_fixed", .m = m};
    EXPECT_NEAR(variance(spec, x, y), known.value.get<double>(), 1e-14) << d << ' ' << m;
  }
}

TEST(Moments, ErrorIsVarianceAndSquaredBias) {
  const Matrix<double> X = test::normal_rows(300, 4, 1.0, 1), Y = test::normal_rows(300, 4, 1.0, 2);
  std::size_t biased = 0;
  for (const char* kernel : {"gaussian", "softmax"})
    for (const char* map : {"trigonometric", "cosine", "positive", "positive_paired", "hybrid_angular"})
      for (const char* coupling : {"iid", "orthogonal", "orthogonal_fixed", "simplex", "hadamard", "simplex_plus"}) {
        if (!misfit(kernel, map, coupling, 4).empty()) continue;
        const Spec spec{.d = 4, .kernel = kernel, .map = map, .coupling = coupling, .m = 9};
        const Vector errors = mse(spec, X.view(), Y.view()), variances = variance(spec, X.view(), Y.view()),
                     biases = bias(spec, X.view(), Y.view());
        for (std::size_t i = 0; i < errors.size(); ++i) {
          ASSERT_NEAR(variances[i] + biases[i] * biases[i], errors[i], 1e-11 * errors[i] + 1e-15)
              << kernel << ' ' << map << ' ' << coupling << ' ' << i;
          biased += biases[i] != 0;
        }
        const auto x = X.view().row(3), y = Y.view().row(3);
        EXPECT_EQ(bias(spec, x, y), biases[3]);
        EXPECT_NEAR(variance(spec, x, y), variances[3], 1e-11 * variances[3]);
      }
  EXPECT_EQ(biased, 2u * 2u * 2u * 300u);  // two kernels, two Fourier maps, two couplings of fixed norms
}

TEST(Moments, BiasIsKnownForUnbiasedRowsWithoutAClosedForm) {
  const Vector x = {0.1, 0.2, 0.3}, y = {0.3, -0.1, 0.2};
  for (const char* coupling : {"halton", "sobol", "fastfood", "circulant"}) {
    const Spec spec{.d = 3, .map = "trigonometric", .coupling = coupling, .m = 5};
    EXPECT_EQ(bias(spec, x, y), 0.0) << coupling;
    EXPECT_THROW(variance(spec, x, y), std::invalid_argument) << coupling;
  }
  const Spec signs{.d = 3, .kernel = "angular", .map = "sign", .coupling = "orthogonal_fixed", .m = 5};
  EXPECT_EQ(bias(signs, x, y), 0.0);
  EXPECT_THROW(bias({.d = 3, .kernel = "angular", .map = "sign", .coupling = "hadamard", .m = 5}, x, y),
               std::invalid_argument);
}

/// z-scores of estimates against the closed form; |z| > 5.3 has probability 1e-7 for a normal law.
TEST(EstimatedMse, AgreesWithTheClosedForm) {
  const Matrix<double> X = test::normal_rows(6, 3, 0.5, 3), Y = test::normal_rows(6, 3, 0.5, 4);
  for (const char* map : {"trigonometric", "cosine", "positive", "hybrid_angular"}) {
    const Spec spec{.d = 3, .kernel = "softmax", .map = map, .coupling = "orthogonal", .m = 5, .lengthscale = {1.5}};
    const Vector exact = mse(spec, X.view(), Y.view());
    const std::vector<EstimatedError> found = estimated_mse(spec, X.view(), Y.view(), 2000, 7);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_LT(std::abs(found[i].mse - exact[i]), 5.3 * found[i].standard_error) << map << ' ' << i;
      EXPECT_LT(found[i].standard_error, 0.2 * exact[i]) << map << ' ' << i;
    }
  }
}

TEST(EstimatedMse, HasTheSameBitsOnAnyNumberOfThreads) {
  const Matrix<double> X = test::normal_rows(300, 5, 1.0, 3), Y = test::normal_rows(300, 5, 1.0, 4);
  const int before = num_threads();
  for (const char* coupling : {"halton", "sobol", "fastfood", "circulant", "givens"}) {
    const Spec spec{.d = 5, .map = "trigonometric", .coupling = coupling, .m = 40, .seed = 3};
    set_num_threads(1);
    const auto one = estimated_mse(spec, X.view(), Y.view(), 3);
    set_num_threads(3);
    Spec other = spec;
    other.seed = 4;  // the seed of the spec does not count
    const auto three = estimated_mse(other, X.view(), Y.view(), 3);
    const auto first = estimated_mse(spec, X.view().row_range(0, 1), Y.view().row_range(0, 1), 3);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].mse, three[i].mse);
      ASSERT_EQ(one[i].standard_error, three[i].standard_error);
    }
    EXPECT_EQ(first[0].mse, one[0].mse);
    EXPECT_NE(estimated_mse(spec, X.view(), Y.view(), 3, 1)[0].mse, one[0].mse);
  }
  set_num_threads(before);
}

TEST(EstimatedMse, RefusesBadArguments) {
  const Matrix<double> X(2, 3, 0.1);
  const auto refusal = [&](const Spec& spec, std::size_t draws) {
    return test::refusal([&] { estimated_mse(spec, X.view(), X.view(), draws); });
  };
  EXPECT_EQ(refusal({.d = 3, .m = 4}, 1), "draws is 1; expected at least 2: one draw has no standard error");
  EXPECT_EQ(refusal({.d = 3, .map = "optimal_positive", .m = 4}, 5),
            "map 'optimal_positive' lacks parameter 'A': give it; optimal_parameters finds it from data");
  EXPECT_EQ(refusal({.d = 4, .m = 4}, 5), "X[0].size() is 3; expected d = 4");
}

}  // namespace
}  // namespace bochner::theory
