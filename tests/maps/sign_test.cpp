// SPDX-License-Identifier: Apache-2.0
// sign features: bits of scale 1/sqrt(m), blind to norms, with the mean 1 - 2 theta / pi.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "bochner/features.h"
#include "bochner/matrix.h"
#include "bochner/registry.h"
#include "core/stream.h"

namespace bochner {
namespace {

template <class T>
Matrix<T> transformed(const Features& features, const Matrix<T>& X) {
  Matrix<T> Z(X.rows(), features.outputs());
  features.transform(X.view(), Z.view(), Side::query);
  return Z;
}

Spec sign_spec(std::size_t d, std::size_t m, const std::string& coupling, std::uint64_t seed = 1) {
  return {.d = d, .kernel = "angular", .map = "sign", .coupling = coupling, .m = m, .seed = seed};
}

TEST(SignMap, OutputsAreSignsOfTheProjections) {
  const auto features = make_features(sign_spec(5, 37, "orthogonal"));
  const Matrix<double> W = features->directions();
  Matrix<double> X(20, 5);
  for (std::size_t i = 0; i < 20; ++i) Stream(2, Purpose::iid_entries).fill_normal(i, 0, X.view().row(i));
  const Matrix<double> Z = transformed(*features, X);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = 0; j < 37; ++j) {
      double p = 0;
      for (std::size_t l = 0; l < 5; ++l) p += W(j, l) * X(i, l);
      ASSERT_EQ(Z(i, j), std::copysign(1 / std::sqrt(37.0), p));
    }
}

TEST(SignMap, ScaleAndNormsDoNotMatter) {
  Spec spec = sign_spec(4, 50, "iid");
  Matrix<float> X(9, 4), longer(9, 4);
  for (std::size_t i = 0; i < 36; ++i) {
    X.data()[i] = static_cast<float>(Stream(3, Purpose::iid_entries).normal(0, i));
    longer.data()[i] = 1024 * X.data()[i];
  }
  const Matrix<float> Z = transformed(*make_features(spec), X);
  spec.lengthscale = {0.25};
  const Matrix<float> of_longer = transformed(*make_features(spec), longer);
  for (std::size_t i = 0; i < 9 * 50; ++i) EXPECT_EQ(Z.data()[i], of_longer.data()[i]);
}

/// A sum of m coins: with 2^17 signs the mean is within 6 standard deviations of 1 - 2 theta/pi, not of 1 - theta/pi.
TEST(SignMap, MeanIsTheAngularKernel) {
  for (const Entry& coupling : couplings()) {
    if (!misfit("angular", "sign", coupling.name, 3).empty() || !coupling.bias.empty()) continue;
    const auto features = make_features(sign_spec(3, std::size_t{1} << 17, std::string(coupling.name), 4));
    for (const double theta : {0.4, 1.0, 2.5}) {
      Matrix<double> X(2, 3, 0.0);
      X(0, 1) = 2.0;
      X(1, 1) = std::cos(theta);
      X(1, 2) = std::sin(theta);
      const Matrix<double> Z = transformed(*features, X);
      double product = 0;
      for (std::size_t j = 0; j < features->outputs(); ++j) product += Z(0, j) * Z(1, j);
      EXPECT_NEAR(product, 1 - 2 * theta / std::numbers::pi, 6 * std::sqrt(0x1p-17)) << coupling.name;
    }
  }
}

}  // namespace
}  // namespace bochner
