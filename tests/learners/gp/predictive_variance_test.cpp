// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "bochner/gaussian_process.h"
#include "support/normal_rows.h"

namespace bochner {
namespace {

using test::normal_rows;

std::unique_ptr<Features> wide_features(double lengthscale) {
  return make_features({.d = 2, .map = "trigonometric", .coupling = "iid", .m = 100, .lengthscale = {lengthscale}});
}

Matrix<double> waves(const Matrix<double>& X) {
  Matrix<double> Y(X.rows(), 1);
  for (std::size_t i = 0; i < X.rows(); ++i) Y(i, 0) = std::sin(X(i, 0)) + X(i, 1);
  return Y;
}

/// Fewer rows than outputs, a nearly singular Gram matrix and hardly any noise: what is left of the prior is rounding.
TEST(PredictiveVariance, OfCertainFunctionsIsRounding) {
  const Matrix<double> X = normal_rows(60, 2, 1, 1);
  for (const double lengthscale : {1.0, 4.0, 30.0})
    for (const double noise : {1e-4, 1e-8, 1e-12}) {
      const auto features = wide_features(lengthscale);
      const GaussianProcessFit fit = fit_gaussian_process(*features, X.view(), waves(X).view(), {},
                                                          {.noise_variance = noise, .signal_variance = 1});
      ASSERT_LT(fit.directions.rows(), fit.directions.cols());
      const PredictiveVariance found = predictive_variance(*features, fit, MatrixView<const double>(X));
      for (std::size_t i = 0; i < 60; ++i) {
        const double value = found.values(i, 0) / (fit.y_scale[0] * fit.y_scale[0]);
        EXPECT_GE(value, 0);
        EXPECT_LE(value, noise + 1e-6);  // at a row of the fit: lambda a / (lambda + a) <= a, and rounding
      }
    }
}

TEST(PredictiveVariance, FarBelowZeroIsToldAndNotCut) {
  const Matrix<double> X = normal_rows(60, 2, 1, 1);
  const auto features = wide_features(1);
  GaussianProcessFit fit = fit_gaussian_process(*features, X.view(), waves(X).view());
  EXPECT_NO_THROW(predictive_variance(*features, fit, MatrixView<const double>(X)));
  std::for_each_n(fit.directions.data(), fit.directions.rows() * fit.directions.cols(), [](double& v) { v *= 1.1; });
  try {
    predictive_variance(*features, fit, MatrixView<const double>(X));
    ADD_FAILURE() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("orthonormal"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace bochner
