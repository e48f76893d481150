// SPDX-License-Identifier: Apache-2.0
// What fit finds for maps of monomials: exponents of least error, a shift below the data, and refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "core/stream.h"
#include "support/normal_rows.h"
#include "support/refusal.h"
#include "theory/monomial_variance.h"

namespace bochner {
namespace {

using test::normal_rows;
using test::refusal;

constexpr const char* kMaps[] = {"poisson", "geometric", "poisson_positive", "geometric_positive"};

double parameter(const Features& features, const char* name) {
  return std::get<double>(features.spec().parameters.at(name));
}
std::vector<double> shift_of(const Features& features) {
  return std::get<std::vector<double>>(features.spec().parameters.at("shift"));
}

std::unique_ptr<Features> fitted(const Spec& spec, const Matrix<double>& X, const Matrix<double>& Y) {
  auto features = make_features(spec);
  features->fit(X.view(), Y.view());
  return features;
}

/// mean of g(x, y) over all pairs in units of the lengthscale, less the shift.
template <class Function>
double mean_over_pairs(const Matrix<double>& X, const Matrix<double>& Y, double sigma, std::vector<double> shift,
                       std::size_t l, const Function& g) {
  double sum = 0;
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < Y.rows(); ++j) sum += g((X(i, l) - shift[l]) / sigma, (Y(j, l) - shift[l]) / sigma);
  return sum / static_cast<double>(X.rows() * Y.rows());
}

TEST(MonomialFit, FindsTheBestParametersOfBothSides) {
  const Matrix<double> X = normal_rows(37, 5, 1.6, 1), Y = normal_rows(80, 5, 1.0, 2);
  for (const std::string map : kMaps) {
    const auto features = fitted({.d = 5, .map = map, .m = 8, .lengthscale = {2.0}}, X, Y);
    const bool shifted = map.ends_with("_positive");
    const std::vector<double> shift = shifted ? shift_of(*features) : std::vector<double>(5, 0.0);
    double squares = 0;
    std::vector<double> products(5);
    for (std::size_t l = 0; l < 5; ++l) {
      squares += mean_over_pairs(X, Y, 2.0, shift, l, [](double x, double y) { return x * x * y * y; });
      products[l] = mean_over_pairs(X, Y, 2.0, shift, l, [](double x, double y) { return std::abs(x * y); });
    }
    const bool poisson = map.starts_with("poisson");
    EXPECT_NEAR(parameter(*features, poisson ? "rate" : "p"),
                poisson ? std::sqrt(squares / 5) : theory::optimal_p(products), 1e-12)
        << map;
  }
}

TEST(MonomialFit, ShiftIsJustBelowBothDataSets) {
  const Matrix<double> X = normal_rows(37, 4, 1.6, 1), Y = normal_rows(80, 4, 1.0, 2);
  const auto features = fitted({.d = 4, .map = "poisrf+", .m = 8, .lengthscale = {1.0, 2.0, 0.5, 3.0}}, X, Y);
  const std::vector<double> shift = shift_of(*features);
  for (std::size_t l = 0; l < 4; ++l) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Matrix<double>* data : {&X, &Y})
      for (std::size_t i = 0; i < data->rows(); ++i)
        low = std::min(low, (*data)(i, l)), high = std::max(high, (*data)(i, l));
    EXPECT_LT(shift[l], low);
    EXPECT_GT(shift[l], low - 0.002 * (high - low));
  }
  const auto again = make_features(spec_from_json(to_json(features->spec())));
  EXPECT_EQ(again->spec(), features->spec());
}

TEST(MonomialFit, KeepsWhatIsGiven) {
  const Matrix<double> X = normal_rows(30, 3, 1.0, 1);
  const auto shifted = fitted({.d = 3, .map = "poisson_positive", .m = 4, .parameters = {{"shift", -5.0}}}, X, X);
  EXPECT_EQ(parameter(*shifted, "shift"), -5.0);
  EXPECT_NEAR(parameter(*shifted, "rate"), 26.0, 3.0);  // E (x + 5)^2
  const auto rated = fitted({.d = 3, .map = "geometric_positive", .m = 4, .parameters = {{"p", 0.25}}}, X, X);
  EXPECT_EQ(parameter(*rated, "p"), 0.25);
  EXPECT_EQ(shift_of(*rated).size(), 3u);
}

/// Products that are all 0 ask for rate 0 and p 1, which would leave one feature: fit stops before.
TEST(MonomialFit, OfZerosStaysInRange) {
  const Matrix<double> zero(4, 3, 0.0), one(4, 3, 1.0);
  Matrix<double> left(2, 2, 0.0), right(2, 2, 0.0);
  left(0, 0) = left(1, 0) = 1, right(0, 1) = right(1, 1) = 1;
  EXPECT_EQ(parameter(*fitted({.d = 3, .map = "poisson", .m = 4}, zero, zero), "rate"), 1e-6);
  EXPECT_EQ(parameter(*fitted({.d = 3, .map = "geometric", .m = 4}, zero, one), "p"), 1 - 1e-6);
  EXPECT_EQ(parameter(*fitted({.d = 2, .map = "poisson", .m = 4}, left, right), "rate"), 1e-6);
  Matrix<double> Z(4, 4);
  for (const char* map : {"poisson", "geometric"}) {
    fitted({.d = 3, .map = map, .m = 4}, zero, zero)->transform(zero.view(), Z.view());
    double product = 0;
    for (const double value : Z.view().row(0)) product += value * value;
    EXPECT_NEAR(product, 1.0, 1e-5) << map;
  }
}

/// Columns that never vary are put where they cost nothing: constant data are estimated exactly by poisson.
TEST(MonomialFit, OfConstantColumns) {
  Matrix<double> X = normal_rows(50, 3, 1.0, 7);
  for (std::size_t i = 0; i < 50; ++i) X(i, 1) = 0.1;
  const auto features = fitted({.d = 3, .map = "poisson_positive", .m = 16}, X, X);
  EXPECT_LT(shift_of(*features)[1], 0.1 - 1.0);
  for (const double value : {0.0, -3.7, 0.1}) {
    const Matrix<double> same(5, 3, value);
    const auto exact = fitted({.d = 3, .map = "poisson_positive", .m = 7, .lengthscale = {2.0}}, same, same);
    Matrix<double> Z(5, 7);
    exact->transform(same.view(), Z.view());
    double product = 0;
    for (const double feature : Z.view().row(0)) product += feature * feature;
    EXPECT_NEAR(product, 1.0, 1e-12) << value;
  }
}

TEST(MonomialFit, RefusesDataItCannotServe) {
  Matrix<double> far = normal_rows(10, 3, 1e5, 1);
  const auto says = [](const std::string& sentence, const char* part) {
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  };
  says(refusal([&] { fitted({.d = 3, .map = "poisson", .m = 4}, far, far); }),
       "X has rows too long for map 'poisson' in units of the lengthscale: they ask for rate =");
  says(refusal([&] { fitted({.d = 3, .map = "geometric", .m = 4}, far, far); }), "they ask for p =");
  says(refusal([&] { fitted({.d = 3, .map = "poisson_positive", .m = 4}, far, far); }), "use a larger lengthscale");
  const Matrix<double> endless(2, 3, 1e149);  // squares of products are beyond 1e308
  says(refusal([&] { fitted({.d = 3, .map = "poisson", .m = 4}, endless, endless); }), "they ask for rate = inf");
  says(refusal([&] { fitted({.d = 3, .map = "geometric", .m = 4}, endless, endless); }), "they ask for p =");
  const Matrix<double> none(0, 3);
  for (const char* map : kMaps) {
    const auto features = make_features({.d = 3, .map = map, .m = 4});
    says(refusal([&] { features->fit(none.view()); }), "X is empty");
    says(refusal([&] { features->directions(); }), "call fit(X) first");
  }
}

}  // namespace
}  // namespace bochner
