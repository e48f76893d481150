// SPDX-License-Identifier: Apache-2.0
// Maps of monomials: entries of 0 and below the shift, rows too long for plain features, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "core/stream.h"
#include "support/normal_rows.h"
#include "support/refusal.h"
#include "theory/monomial_variance.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

TEST(Monomials, RefuseParametersOutOfRange) {
  const auto made = [](const char* map, Parameters parameters) {
    return refusal([&] { make_features({.d = 2, .map = map, .m = 4, .parameters = parameters}); });
  };
  for (const double rate : {0.0, -1.0, 1e7, HUGE_VAL, std::nan("")})
    EXPECT_NE(made("poisson", {{"rate", rate}}).find("a number from 1e-12 to 1e6"), std::string::npos) << rate;
  for (const double p : {0.0, 1.0, -0.5, 1e-9, std::nan("")})
    EXPECT_NE(made("geometric", {{"p", p}}).find("a number from 1e-5 to 1 - 1e-12"), std::string::npos) << p;
  const std::vector<double> three = {1, 2, 3}, broken = {1, std::nan("")};
  for (const Value& shift : {Value(three), Value(broken), Value(HUGE_VAL), Value("low")})
    EXPECT_NE(made("geomrf+", {{"p", 0.5}, {"shift", shift}}).find("one for each coordinate"), std::string::npos);
  EXPECT_NE(made("poisson", {{"shift", 1.0}}).find("belongs to map 'poisson_positive'"), std::string::npos);
}

TEST(Monomials, RefuseCouplingsOfOtherLaws) {
  EXPECT_EQ(
      misfit("gaussian", "poisson", "orthogonal", 4),
      "coupling 'orthogonal' needs an isotropic law, but kernel 'gaussian' with map 'poisson' has the poisson law; "
      "couplings that fit: iid, halton, sobol");
  EXPECT_EQ(misfit("softmax", "geometric_positive", "circulant", 4),
            "coupling 'circulant' needs a law that is symmetric about 0, but kernel 'softmax' with map "
            "'geometric_positive' has the geometric law; couplings that fit: iid, halton, sobol");
  EXPECT_EQ(default_coupling("softmax", "geometric"), "iid");
  EXPECT_NE(misfit("laplace", "poisson", "iid", 4), "");
}

TEST(Monomials, DirectionsAreTheExponents) {
  for (const char* coupling : {"iid", "halton", "sobol"}) {
    const auto features =
        make_features({.d = 5, .map = "poisson", .coupling = coupling, .m = 200, .parameters = {{"rate", 3.0}}});
    const Matrix<double> W = features->directions();
    double sum = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      EXPECT_TRUE(W.data()[i] >= 0 && W.data()[i] == std::floor(W.data()[i]));
      sum += W.data()[i] / 1000;
    }
    EXPECT_NEAR(sum, 3.0, 5.0 * std::sqrt(3.0 / 1000)) << coupling;
  }
}

/// 0^0 = 1: features without an exponent at a zero coordinate are those of the other coordinates, the rest are 0.
TEST(Monomials, TakeExactZeros) {
  for (const char* map : {"poisson", "geometric"}) {
    Parameters parameters = {{std::string(map) == "poisson" ? "rate" : "p", 0.6}};
    const auto features = make_features({.d = 3, .map = map, .m = 64, .parameters = parameters});
    Matrix<float> X(2, 3, 0.0f), Z(2, 64);
    X(1, 0) = -0.5f;
    features->transform(X.view(), Z.view());
    const Matrix<double> W = features->directions();
    for (std::size_t j = 0; j < 64; ++j) {
      EXPECT_EQ(Z(0, j) != 0, W(j, 0) + W(j, 1) + W(j, 2) == 0) << j;
      EXPECT_EQ(Z(1, j) != 0, W(j, 1) + W(j, 2) == 0) << j;
      EXPECT_EQ(Z(1, j) < 0, Z(1, j) != 0 && std::fmod(W(j, 0), 2) == 1) << j;
    }
  }
}

TEST(PositiveMonomials, RefuseAnEntryBelowTheShift) {
  const auto features = make_features({.d = 3,
                                       .map = "poisson_positive",
                                       .m = 4,
                                       .lengthscale = {2.0},
                                       .parameters = {{"rate", 1.0}, {"shift", std::vector<double>{0.5, -1.0, 0.0}}}});
  Matrix<double> X(4, 3, 0.75), Z(4, 4);
  features->transform(X.view(), Z.view());
  X(2, 0) = 0.25;
  EXPECT_NE(refusal([&] {
              features->transform(X.view(), Z.view());
            }).find("X has 0.25 at row 2, column 0, below the shift 0.5 of that column"),
            std::string::npos);
  std::vector<double> log_scale(4);
  EXPECT_NE(refusal([&] { features->transform_scaled(X.view(), Z.view(), log_scale); }).find("row 2, column 0"),
            std::string::npos);
}

/// At the shift a feature with an exponent there is 0; a row without any other feature has zeros and the log scale 0.
TEST(PositiveMonomials, AtTheShift) {
  for (const double sigma : {1.0, 0.3, 7.0}) {
    const auto features = make_features({.d = 2,
                                         .map = "poisson_positive",
                                         .m = 9,
                                         .lengthscale = {sigma},
                                         .parameters = {{"rate", 40.0}, {"shift", 0.1}}});
    Matrix<float> X(2, 2, 0.1f), Z(2, 9);
    X(1, 1) = 0.9f;
    std::vector<float> log_scale(2, 5.0f);
    features->transform_scaled(X.view(), Z.view(), log_scale);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(log_scale[i], 0.0f);
      for (const float value : Z.view().row(i)) EXPECT_EQ(value, 0.0f);
    }
  }
}

/// Rows with |x|^2 up to 800 in float: no negative and no infinite number, a maximum of 1, and the plain features where
/// those exist.
template <class T>
void expect_scaled(const Spec& spec, double squared_length) {
  const auto features = make_features(spec);
  Matrix<T> X(5, spec.d);
  for (std::size_t i = 0; i < 5; ++i) {
    const Matrix<double> row = normal_rows(5, spec.d, 1.0, 9);
    double norm2 = 1e-300;
    for (const double entry : row.view().row(i)) norm2 += entry * entry;
    for (std::size_t l = 0; l < spec.d; ++l) X(i, l) = static_cast<T>(row(i, l) * std::sqrt(squared_length / norm2));
  }
  Matrix<T> Z(5, spec.m), plain(5, spec.m);
  std::vector<T> log_scale(5);
  features->transform_scaled(X.view(), Z.view(), log_scale);
  features->transform(X.view(), plain.view());
  for (std::size_t i = 0; i < 5; ++i) {
    T largest = 0;
    for (std::size_t j = 0; j < spec.m; ++j) {
      EXPECT_TRUE(std::isfinite(Z(i, j)) && Z(i, j) >= 0 && Z(i, j) <= 1 && plain(i, j) >= 0) << Z(i, j);
      largest = std::max(largest, Z(i, j));
      const double log_plain = std::log(static_cast<double>(plain(i, j)));
      if (!std::isfinite(log_plain) || std::abs(log_plain) > 80 || Z(i, j) == 0) continue;
      EXPECT_NEAR(std::log(static_cast<double>(Z(i, j))) + log_scale[i], log_plain,
                  4e3 * std::numeric_limits<T>::epsilon());
    }
    EXPECT_EQ(largest, T(1));
    EXPECT_TRUE(std::isfinite(log_scale[i]));
  }
}

TEST(PositiveMonomials, HaveALogScaleWherePlainFeaturesDoNotExist) {
  for (const char* kernel : {"gaussian", "softmax"})
    for (const std::string map : {"poisson_positive", "geometric_positive"})
      for (const double squared_length : {0.0, 1.0, 100.0, 800.0}) {
        Spec spec{.d = 16, .kernel = kernel, .map = map, .m = 40, .parameters = {{"shift", -30.0}}};
        if (map == "poisson_positive") spec.parameters["rate"] = 900.0;
        if (map == "geometric_positive") spec.parameters["p"] = 0.001;
        SCOPED_TRACE(to_json(spec));
        expect_scaled<float>(spec, squared_length);
        expect_scaled<double>(spec, squared_length);
      }
}

/// Theory and map take the shift in the same units.
TEST(PositiveMonomials, ErrorFollowsTheShiftedPair) {
  const std::vector<double> x = {1.0, 2.0}, y = {2.0, 1.5};
  const Spec spec{.d = 2,
                  .map = "poisson_positive",
                  .m = 3,
                  .lengthscale = {2.0},
                  .parameters = {{"rate", 0.4}, {"shift", std::vector<double>{-1.0, 0.5}}}};
  const std::vector<double> u = {1.0, 0.75}, v = {1.5, 0.5};
  const double expected = theory::mse_monomial(theory::excess_poisson(0.4, u, v), u, v, 0.0, 3);
  EXPECT_NEAR(theory::mse(spec, x, y) / expected, 1.0, 1e-13);
  Spec softmax = spec;
  softmax.kernel = "softmax";
  EXPECT_NEAR(theory::mse(softmax, x, y) / expected / std::exp((5.0 + 6.25) / 4), 1.0, 1e-12);
  Spec other = spec;
  other.coupling = "sobol";
  EXPECT_EQ(theory::exactness(other), theory::Exactness::none);
  EXPECT_EQ(theory::exactness(spec), theory::Exactness::exact);
  EXPECT_EQ(theory::exactness({.d = 2, .map = "geometric_positive", .parameters = {{"shift", 5.0}}}),
            theory::Exactness::exact);
}

}  // namespace
}  // namespace bochner
