// SPDX-License-Identifier: Apache-2.0
// Which maps and couplings serve the kernels whose spectral law is not the normal one, and what the refusals say.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/theory.h"

namespace bochner {
namespace {

TEST(SpectralLaws, ExponentialMapsNeedNormalRows) {
  for (const std::string kernel : {"laplace", "cauchy", "matern"}) {
    const std::string reason = misfit(kernel, "positive", "iid", 3);
    EXPECT_TRUE(reason.starts_with("map 'positive' does not serve kernel '" + kernel + "'; maps that do: ")) << reason;
    EXPECT_NE(reason.find("trigonometric, cosine"), std::string::npos) << reason;
    EXPECT_EQ(reason.find("positive", 20), std::string::npos) << reason;
  }
}

TEST(SpectralLaws, GeometricCouplingsNeedIsotropicLaws) {
  for (const std::string kernel : {"laplace", "cauchy"})
    for (const std::string coupling : {"orthogonal", "simplex"}) {
      const std::string reason = misfit(kernel, "trigonometric", coupling, 3);
      const std::string law = kernel == "laplace" ? "cauchy" : "laplace";
      EXPECT_NE(reason.find("coupling '" + coupling + "' needs an isotropic law"), std::string::npos) << reason;
      EXPECT_NE(reason.find("has the " + law + " law; couplings that fit: iid"), std::string::npos) << reason;
    }
  for (const std::string coupling : {"iid", "orthogonal", "simplex"})
    EXPECT_EQ(misfit("matern", "cosine", coupling, 3), "");
  EXPECT_NE(misfit("matern", "trigonometric", "orthogonal_fixed", 3).find("the normal law"), std::string::npos);
}

TEST(SpectralLaws, SignsAndAnglesBelongTogether) {
  for (const Entry& kernel : kernels())
    EXPECT_EQ(misfit(kernel.name, "sign", "iid", 3).empty(), kernel.name == "angular") << kernel.name;
  for (const Entry& map : maps())
    EXPECT_EQ(misfit("angular", map.name, "iid", 3).empty(), map.name == "sign") << map.name;
  EXPECT_EQ(misfit("angular", "cosine", "iid", 2), "map 'cosine' does not serve kernel 'angular'; maps that do: sign");
  for (const std::string coupling : {"orthogonal", "orthogonal_fixed", "simplex"})
    EXPECT_EQ(misfit("angular", "sign", coupling, 3), "") << coupling;
}

TEST(SpectralLaws, AutoFits) {
  EXPECT_EQ(default_map("angular"), "sign");
  EXPECT_EQ(default_map("matern"), "trigonometric");
  EXPECT_EQ(default_coupling("laplace", "trigonometric"), "iid");
  EXPECT_EQ(default_coupling("matern", "trigonometric"), "orthogonal");
  EXPECT_EQ(default_coupling("angular", "sign"), "orthogonal");
}

Spec matern_spec(double nu, const std::string& coupling = "orthogonal") {
  return {.d = 3, .kernel = "matern", .map = "trigonometric", .coupling = coupling, .m = 6, .parameters = {{"nu", nu}}};
}

TEST(SpectralLaws, SmoothnessReachesTheRows) {
  const auto rough = make_features(matern_spec(0.5)), smooth = make_features(matern_spec(2.5));
  EXPECT_NE(rough->directions()(0, 0), smooth->directions()(0, 0));
  EXPECT_EQ(std::get<double>(make_features({.d = 3, .kernel = "matern"})->spec().parameters.at("nu")), 1.5);
  EXPECT_THROW(make_features(matern_spec(0.0)), std::invalid_argument);
  EXPECT_THROW(make_features({.d = 3, .kernel = "gaussian", .parameters = {{"nu", 1.5}}}), std::invalid_argument);
}

/// Features stay finite for the heaviest tails and the longest rows, in float too.
TEST(SpectralLaws, HeavyTailsStayFinite) {
  for (const double nu : {1e-9, 0.01, 0.1})
    for (const std::string coupling : {"iid", "orthogonal"}) {
      Spec spec = matern_spec(nu, coupling);
      spec.m = 500;
      const auto features = make_features(spec);
      const Matrix<float> X(1, 3, 9e17f);
      Matrix<float> Z(1, features->outputs());
      features->transform(X.view(), Z.view(), Side::query);
      for (std::size_t j = 0; j < features->outputs(); ++j)
        ASSERT_LE(std::abs(Z(0, j)), 1.001 / std::sqrt(500.0)) << nu << " " << coupling;
    }
}

TEST(SpectralLaws, ErrorsAreKnownBeforehand) {
  const std::vector<double> x = {0.3, -0.1, 0.5}, y = {-0.2, 0.4, 0.1};
  for (const Entry& kernel : kernels())
    EXPECT_EQ(theory::exactness({.d = 3, .kernel = std::string(kernel.name), .coupling = "iid", .m = 5}),
              theory::Exactness::exact)
        << kernel.name;
  const Spec spec = {.d = 3, .kernel = "laplace", .map = "trigonometric", .coupling = "iid", .m = 5};
  EXPECT_NEAR(theory::mse(spec, x, y), (1 - std::exp(-2 * 1.4)) / 10, 1e-16);
  Spec cosine = spec;
  cosine.map = "cosine";
  EXPECT_NEAR(theory::mse(cosine, x, y), theory::mse(spec, x, y) + 0.1, 1e-16);
  const double theta = std::acos((-0.06 - 0.04 + 0.05) / std::sqrt(0.35 * 0.21));
  const double k = 1 - 2 * theta / std::numbers::pi;
  EXPECT_NEAR(theory::mse({.d = 3, .kernel = "angular", .coupling = "iid", .m = 4}, x, y), (1 - k * k) / 4, 1e-15);
  EXPECT_LT(theory::mse(matern_spec(1.5), x, y), theory::mse(matern_spec(1.5, "iid"), x, y));
}

TEST(SpectralLaws, NoFormulaForOrthogonalSigns) {
  const Spec spec = {.d = 2, .kernel = "angular", .map = "sign", .coupling = "orthogonal", .m = 4};
  const std::vector<double> x = {1.0, 0.0};
  EXPECT_EQ(theory::exactness(spec), theory::Exactness::none);
  EXPECT_THROW(theory::mse(spec, x, x), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
