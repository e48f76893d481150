// SPDX-License-Identifier: Apache-2.0
// relative_error, max_relative_error and its bound of bochner/theory.h.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "bochner/kernel_matrix.h"
#include "bochner/matrix.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "support/golden.h"
#include "support/normal_rows.h"
#include "support/refusal.h"

namespace bochner::theory {
namespace {

using Vector = std::vector<double>;

Spec hybrid(std::size_t m, std::size_t n, std::string coupling = "iid") {
  return {.d = 4,
          .kernel = "softmax",
          .map = "hybrid_angular",
          .coupling = std::move(coupling),
          .m = m,
          .parameters = {{"lambda_m", static_cast<double>(n)}}};
}

double at_angle(const Spec& spec, double theta, double r) {
  Vector x(spec.d, 0.0), y(spec.d, 0.0);
  x[0] = r, y[0] = r * std::cos(theta), y[1] = r * std::sin(theta);
  return relative_error(spec, x, y);
}

TEST(Golden, RelativeErrors) {
  for (const testing::GoldenCase& known : testing::golden_cases("theory", "eps_relative")) {
    const Spec spec{.d = 4, .kernel = "softmax", .map = "trigonometric", .coupling = "iid", .m = known.args.at("m")};
    const double value = known.value.get<double>();
    EXPECT_NEAR(at_angle(spec, known.args.at("theta"), known.args.at("r")), value, 1e-10 * value);
    Spec opposite = spec;
    opposite.map = "positive_paired";
    EXPECT_NEAR(at_angle(opposite, std::numbers::pi - known.args.at("theta").get<double>(), known.args.at("r")), value,
                1e-10 * value);
  }
  for (const testing::GoldenCase& known : testing::golden_cases("theory", "eps_angular")) {
    const double value = known.value.get<double>();
    EXPECT_NEAR(at_angle(hybrid(known.args.at("m"), known.args.at("n")), known.args.at("theta"), known.args.at("r")),
                value, 1e-10 * value);
  }
  for (const testing::GoldenCase& known : testing::golden_cases("theory", "eps_angular_bound")) {
    const double value = known.value.get<double>();
    EXPECT_NEAR(max_relative_error_bound(hybrid(known.args.at("m"), known.args.at("n")), known.args.at("r")), value,
                1e-10 * value);
  }
}

/// Direct evaluation and tables, against mse and the exact kernel.
TEST(RelativeError, IsTheRootOfTheErrorOverTheKernel) {
  const Matrix<double> X = test::normal_rows(260, 3, 0.6, 1), Y = test::normal_rows(260, 3, 0.6, 2);
  for (const char* kernel : {"gaussian", "softmax", "laplace", "matern", "angular"})
    for (const char* map : {"trigonometric", "positive", "complex_exponential", "hybrid_angular", "hybrid_gaussian",
                            "poisson", "sign", "exponential"})
      for (const char* coupling : {"iid", "orthogonal", "simplex"}) {
        if (!misfit(kernel, map, coupling, 3).empty()) continue;
        Spec spec{.d = 3, .kernel = kernel, .map = map, .coupling = coupling, .m = 7, .lengthscale = {0.8}};
        if (spec.coupling != "iid" && (spec.map == "sign" || spec.kernel == "matern")) continue;
        if (spec.map == "complex_exponential") spec.parameters["A"] = Vector{1.0, 0.8, 1.2};
        if (spec.map == "exponential") spec.parameters = {{"A", 0.02}, {"s", -1.0}};
        if (spec.map == "poisson") spec.parameters["rate"] = 0.3;
        if (spec.map == "hybrid_gaussian") spec.parameters["radius"] = 1.0;
        const Vector errors = mse(spec, X.view(), Y.view()), relative = relative_error(spec, X.view(), Y.view());
        const double sigma = 0.8;
        for (std::size_t i = 0; i < errors.size(); ++i) {
          const auto x = X.view().row_range(i, i + 1), y = Y.view().row_range(i, i + 1);
          const double k = std::abs(kernel_matrix<double>(x, y, kernel, {&sigma, 1})(0, 0));
          ASSERT_NEAR(relative[i] * k, std::sqrt(errors[i]), 1e-11 * std::sqrt(errors[i]))
              << kernel << ' ' << map << ' ' << coupling << ' ' << i;
        }
        EXPECT_NEAR(relative_error(spec, X.view().row(7), Y.view().row(7)), relative[7], 1e-11 * relative[7]);
      }
}

TEST(RelativeError, IsFiniteWhereErrorAndKernelAreNot) {
  for (const char* kernel : {"gaussian", "softmax"}) {
    const Spec spec{.d = 2, .kernel = kernel, .map = "positive", .coupling = "iid", .m = 4};
    // k = e^{-900} or e^{-1800}, |x+y|^2 = 0.01.
    EXPECT_NEAR(relative_error(spec, Vector{30, 0}, Vector{-30, 0.1}), std::sqrt(std::expm1(0.01) / 4), 1e-13);
    // |x+y|^2 = 1296: the square of the error is e^{1296}, the error e^{648}.
    const double log_error = std::log(relative_error(spec, Vector{18, 0}, Vector{18, 0}));
    EXPECT_NEAR(log_error, 648 - std::log(2.0), 1e-10);
    EXPECT_EQ(relative_error(spec, Vector{18, 0}, Vector{-18, 0}), 0.0);
    // The square of the error is e^{-800}.
    const double tiny = std::exp(-200.0);
    EXPECT_NEAR(relative_error(spec, Vector{tiny, 0}, Vector{0, 0}) / tiny, 0.5, 1e-13);
    // Many pairs, by tables.
    Matrix<double> X(300, 2, 0.0), Y(300, 2, 0.0);
    for (std::size_t i = 0; i < 300; ++i) X(i, 0) = Y(i, 0) = 18, Y(i, 1) = 1e-3 * static_cast<double>(i);
    EXPECT_NEAR(std::log(relative_error(spec, X.view(), Y.view())[0]), log_error, 1e-10);
  }
  const Spec angles{.d = 2, .kernel = "angular", .map = "sign", .coupling = "iid", .m = 4};
  EXPECT_EQ(relative_error(angles, Vector{1, 0}, Vector{0, 1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(relative_error(angles, Vector{1, 0}, Vector{1, 0}), 0.0);
}

/// The figures of Choromanski et al. 2022, Fig. 2 (d = 64), and the closed form at theta = pi.
TEST(MaxRelativeError, IsThatOfTheFigure) {
  Spec spec{.d = 64, .kernel = "softmax", .map = "trigonometric", .coupling = "iid", .m = 128};
  EXPECT_NEAR(max_relative_error(spec, 1.0), 0.453, 5e-4);
  EXPECT_NEAR(max_relative_error(spec, 1.5), 5.63, 5e-3);
  EXPECT_NEAR(max_relative_error(spec, 1.5), std::exp(4.5) * -std::expm1(-9.0) / 16, 1e-12 * 5.63);
  Spec wide = spec;
  wide.lengthscale = {2.0};
  EXPECT_EQ(max_relative_error(wide, 3.0), max_relative_error(spec, 1.5));
  spec.map = "positive_paired";
  EXPECT_NEAR(max_relative_error(spec, 1.0), 0.453, 5e-4);
  const double figure[][3] = {{16, 0.312, 2.54}, {32, 0.221, 1.80}, {64, 0.156, 1.27}};
  for (const auto& [m, one, more] : figure) {
    EXPECT_NEAR(max_relative_error(hybrid(static_cast<std::size_t>(m), 8), 1.0), one, 5e-4);
    EXPECT_NEAR(max_relative_error(hybrid(static_cast<std::size_t>(m), 8), 1.5), more, 5e-3);
  }
}

TEST(MaxRelativeError, IsTheLargestOverAngles) {
  for (const char* coupling : {"iid", "orthogonal", "simplex"})
    for (const double r : {0.3, 1.0, 2.5, 6.0}) {
      const Spec spec = hybrid(6, 4, coupling);
      const double largest = max_relative_error(spec, r);
      double scanned = 0;
      for (int i = 0; i <= 800; ++i) scanned = std::max(scanned, at_angle(spec, std::numbers::pi * i / 800, r));
      EXPECT_GE(largest, scanned * (1 - 1e-11)) << coupling << ' ' << r;
      EXPECT_LE(largest, scanned * (1 + 1e-3)) << coupling << ' ' << r;
    }
}

TEST(MaxRelativeError, StaysBelowTheCorrectedBound) {
  for (const std::size_t n : {1u, 4u, 16u, 64u})
    for (const double r : {1.0, 1.5, 3.0, 5.0, 12.0}) {
      const double largest = max_relative_error(hybrid(7, n), r), bound = max_relative_error_bound(hybrid(7, n), r);
      EXPECT_LE(largest, bound) << n << ' ' << r;
    }
  // In units of e^{2r^2} / sqrt(2m): the printed bound, with 1/r^2 in both terms, is 0.1502 at n = 1, r = 5.
  EXPECT_NEAR(max_relative_error(hybrid(7, 1), 5.0) * std::sqrt(14.0) * std::exp(-50.0), 0.1653, 5e-5);
}

TEST(MaxRelativeError, WorksInOneDimensionAndFarOut) {
  const Spec line{.d = 1, .map = "trigonometric", .coupling = "iid", .m = 2};
  EXPECT_NEAR(max_relative_error(line, 1.0), std::exp(2.0) * -std::expm1(-4.0) / 2, 1e-12);
  EXPECT_EQ(max_relative_error(line, 0.0), 0.0);
  EXPECT_EQ(max_relative_error(hybrid(4, 8), 1e3), std::numeric_limits<double>::infinity());
}

TEST(MaxRelativeError, RefusesWhatDependsOnMoreThanTheAngle) {
  const auto refusal = [](const Spec& spec, double radius) {
    return test::refusal([&] { max_relative_error(spec, radius); });
  };
  const Spec good{.d = 3, .m = 4};
  EXPECT_EQ(refusal(good, -1), "radius is -1; expected a number from 0 to 1e150");
  EXPECT_EQ(refusal({.d = 3, .m = 4, .lengthscale = {1, 2, 1}}, 1),
            "lengthscale is 3 different numbers; expected one number: divided by others, a sphere is none");
  for (const Spec& spec : {Spec{.d = 3, .kernel = "laplace", .m = 4},
                           Spec{.d = 3, .map = "poisson", .m = 4, .parameters = {{"rate", 1.0}}},
                           Spec{.d = 3, .map = "complex_exponential", .m = 4, .parameters = {{"A", Vector{1, 2, 3}}}}})
    EXPECT_NE(refusal(spec, 1).find("depends on more at equal norms; expected kernel 'gaussian'"), std::string::npos)
        << refusal(spec, 1);
  EXPECT_NE(refusal({.d = 3, .coupling = "halton", .m = 4}, 1).find("no closed form of the error is known"),
            std::string::npos);
  const auto bound = [](const Spec& spec, double radius) {
    return test::refusal([&] { max_relative_error_bound(spec, radius); });
  };
  EXPECT_EQ(bound(good, 2), "map is 'trigonometric'; expected 'hybrid_angular', for which the bound is proven");
  EXPECT_EQ(bound(hybrid(4, 8, "orthogonal"), 2),
            "coupling is 'orthogonal'; expected 'iid', for which the bound is proven");
  EXPECT_EQ(bound(hybrid(4, 8), 0.5),
            "radius is 0.5 lengthscales; expected at least 1 lengthscale, from which on the bound is proven");
}

}  // namespace
}  // namespace bochner::theory
