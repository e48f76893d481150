// SPDX-License-Identifier: Apache-2.0
// fit: what is missing is found from data, what is given is kept, and a sentence for what cannot be.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "core/stream.h"
#include "support/normal_rows.h"
#include "support/refusal.h"
#include "theory/generalised_exponential.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

double A_of(const Features& features) { return std::get<double>(features.spec().parameters.at("A")); }

/// mean |x + y|^2 over all pairs, the long way.
double mean_squared_sum_of(const Matrix<double>& X, const Matrix<double>& Y, double lengthscale) {
  double sum = 0;
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < Y.rows(); ++j)
      for (std::size_t l = 0; l < X.cols(); ++l) sum += std::pow((X(i, l) + Y(j, l)) / lengthscale, 2);
  return sum / static_cast<double>(X.rows() * Y.rows());
}

TEST(Fit, FindsTheBestWeightOfBothSides) {
  const Matrix<double> X = normal_rows(37, 5, 0.8, 1), Y = normal_rows(2100, 5, 0.5, 2);
  for (const char* map : {"optimal_positive", "optimal_positive_paired"}) {
    const auto features = make_features({.d = 5, .map = map, .m = 8, .lengthscale = {2.0}});
    EXPECT_FALSE(features->fitted());
    EXPECT_EQ(features->outputs(), std::string(map) == "optimal_positive" ? 8u : 16u);
    features->fit(X.view(), Y.view());
    EXPECT_TRUE(features->fitted());
    const double v2 = mean_squared_sum_of(X, Y, 2.0);
    const double best =
        std::string(map) == "optimal_positive" ? theory::optimal_A(v2, 5) : theory::optimal_paired_A(v2, 5);
    EXPECT_NEAR(A_of(*features), best, 1e-12);
    EXPECT_LT(A_of(*features), 0);
  }
}

TEST(Fit, OfOneSideTakesItForBoth) {
  const Matrix<double> X = normal_rows(50, 3, 1.0, 1);
  const auto one = make_features({.d = 3, .map = "oprf", .m = 4}), two = make_features({.d = 3, .map = "oprf", .m = 4});
  one->fit(X.view());
  two->fit(X.view(), X.view());
  EXPECT_EQ(one->spec(), two->spec());
}

TEST(Fit, KeepsWhatIsGivenAndWhatWasFound) {
  const Matrix<double> near = normal_rows(50, 3, 0.1, 1), far = normal_rows(50, 3, 3.0, 1);
  const auto given = make_features({.d = 3, .map = "oprf", .m = 4, .parameters = {{"A", -0.5}}});
  EXPECT_TRUE(given->fitted());
  given->fit(far.view());
  EXPECT_EQ(A_of(*given), -0.5);
  const auto found = make_features({.d = 3, .map = "oprf", .m = 4});
  found->fit(near.view());
  const double A = A_of(*found);
  found->fit(far.view());
  EXPECT_EQ(A_of(*found), A);
}

TEST(Fit, DoesNothingWhereNothingIsMissing) {
  const auto features = make_features({.d = 3, .m = 4});
  const Spec before = features->spec();
  features->fit(normal_rows(5, 3, 1.0, 1).view());
  EXPECT_EQ(features->spec(), before);
}

TEST(Fit, FloatAndDoubleAgree) {
  const Matrix<double> X = normal_rows(3000, 4, 1.0, 3);
  Matrix<float> X32(3000, 4);
  for (std::size_t i = 0; i < 12000; ++i) X32.data()[i] = static_cast<float>(X.data()[i]);
  const auto a = make_features({.d = 4, .map = "oprf", .m = 4}), b = make_features({.d = 4, .map = "oprf", .m = 4});
  a->fit(X.view());
  b->fit(X32.view());
  EXPECT_NEAR(A_of(*a), A_of(*b), 1e-7);
}

TEST(Fit, RefusesWhatItCannotUse) {
  const auto features = make_features({.d = 3, .map = "optimal_positive", .m = 4});
  Matrix<double> Z(2, 4), rows(2, 3, 0.5), narrow(2, 2, 0.5), none(0, 3), broken(2, 3, 0.5);
  broken(1, 2) = std::numeric_limits<double>::quiet_NaN();
  const auto says = [&](const std::function<void()>& call, const char* part) {
    const std::string sentence = refusal(call);
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  says([&] { features->transform(rows.view(), Z.view()); }, "map 'optimal_positive' lacks parameter 'A'");
  says([&] { features->directions(); }, "call fit(X) first");
  says([&] { features->fit(none.view()); }, "X is empty");
  says([&] { features->fit(narrow.view()); }, "X is 2 x 2; expected n x 3 (d)");
  says([&] { features->fit(rows.view(), narrow.view()); }, "Y is 2 x 2");
  says([&] { features->fit(broken.view()); }, "X has nan at row 1, column 2");
  says([&] { features->fit(rows.view(), broken.view()); }, "Y has nan at row 1, column 2");
  EXPECT_FALSE(features->fitted());
  for (const double A : {0.125, 0.2, 1.0, std::numeric_limits<double>::infinity()})
    says([&] { make_features({.d = 3, .map = "oprf", .m = 4, .parameters = {{"A", A}}}); }, "a number < 1/8");
}

/// phi = Z exp(log_scale), with rows so long that the plain features would leave the range of T.
template <class T>
void expect_scaled(const Spec& spec, double squared_length) {
  const auto features = make_features(spec);
  Matrix<T> X(3, spec.d, T(0));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t l = 0; l < spec.d; ++l)
      X(i, l) = static_cast<T>(std::sqrt(squared_length / static_cast<double>(spec.d)) * (i == 1 ? -1.0 : 1.0));
  Matrix<T> Z(3, features->outputs());
  std::vector<T> log_scale(3);
  features->transform_scaled(X.view(), Z.view(), log_scale);
  for (std::size_t i = 0; i < 3; ++i) {
    T largest = 0;
    for (const T value : Z.view().row(i)) {
      EXPECT_TRUE(std::isfinite(value) && value >= 0 && value <= 1) << value;
      largest = std::max(largest, value);
    }
    EXPECT_EQ(largest, T(1));
    EXPECT_TRUE(std::isfinite(log_scale[i]));
  }
  if (squared_length > 4) return;
  Matrix<T> plain(3, features->outputs());
  features->transform(X.view(), plain.view());
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < plain.cols(); ++j)
      EXPECT_NEAR(Z(i, j) * std::exp(log_scale[i]) / plain(i, j), T(1), 60 * std::numeric_limits<T>::epsilon());
}

TEST(LogScale, HoldsWherePlainFeaturesOverflow) {
  for (const char* kernel : {"gaussian", "softmax"})
    for (const char* map : {"positive", "positive_paired", "optimal_positive", "optimal_positive_paired"})
      for (const char* coupling : {"orthogonal", "hadamard"})
        for (const double squared_length : {0.0, 1.0, 100.0, 800.0}) {
          Spec spec{.d = 16, .kernel = kernel, .map = map, .coupling = coupling, .m = 40};
          if (std::string(map).starts_with("optimal")) spec.parameters["A"] = -0.3;
          SCOPED_TRACE(to_json(spec));
          expect_scaled<float>(spec, squared_length);
          expect_scaled<double>(spec, squared_length);
        }
}

TEST(LogScale, IsForPositiveMaps) {
  const auto features = make_features({.d = 2, .m = 4});
  const Matrix<double> X(1, 2, 0.5);
  Matrix<double> Z(1, 8);
  std::vector<double> one(1), two(2);
  EXPECT_NE(refusal([&] {
              features->transform_scaled(X.view(), Z.view(), one);
            }).find("map 'trigonometric' has no log scale; maps that do: positive"),
            std::string::npos);
  const auto positive = make_features({.d = 2, .map = "positive", .m = 8});
  EXPECT_NE(refusal([&] { positive->transform_scaled(X.view(), Z.view(), two); }).find("log_scale is 2 numbers"),
            std::string::npos);
}

}  // namespace
}  // namespace bochner
