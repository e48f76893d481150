// SPDX-License-Identifier: Apache-2.0
// Features of random monomials: known answers, sums over exponents, and what the best parameters are for.
#include "theory/monomial_variance.h"

#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "bochner/matrix.h"
#include "core/data_statistics.h"
#include "support/golden.h"
#include "theory/bessel.h"

namespace bochner::theory {
namespace {

using testing::golden_cases;
using testing::GoldenCase;
using Vector = std::vector<double>;

void expect_close(double actual, const GoldenCase& known) {
  const double value = known.value.get<double>();
  EXPECT_LE(std::abs(actual - value), known.rtol * std::abs(value)) << known.fn << known.args << " not " << actual;
}

Vector list(const GoldenCase& known, const char* name) { return known.args.at(name).get<Vector>(); }

Vector products(const Vector& x, const Vector& y) {
  Vector c(x.size());
  for (std::size_t l = 0; l < x.size(); ++l) c[l] = std::abs(x[l] * y[l]);
  return c;
}

double squared_products(const Vector& x, const Vector& y) {
  double sum = 0;
  for (const double c : products(x, y)) sum += c * c;
  return sum;
}

TEST(Golden, BestParameters) {
  for (const GoldenCase& known : golden_cases("theory", "pois_lambda_star")) {
    const Vector x = list(known, "x"), y = list(known, "y");
    expect_close(optimal_rate(squared_products(x, y), x.size()), known);
  }
  for (const GoldenCase& known : golden_cases("theory", "geom_p_star"))
    expect_close(optimal_p(products(list(known, "x"), list(known, "y"))), known);
  for (const GoldenCase& known : golden_cases("theory", "geom_p_star_absprod"))
    expect_close(optimal_p(list(known, "absprod")), known);
}

TEST(Golden, SecondMomentsAndVariances) {
  for (const GoldenCase& known : golden_cases("theory", "log_second_moment_pois"))
    expect_close(log_second_moment_poisson(known.args.at("lam"), list(known, "x"), list(known, "y")), known);
  for (const GoldenCase& known : golden_cases("theory", "log_second_moment_geom"))
    expect_close(log_second_moment_geometric(known.args.at("p"), list(known, "x"), list(known, "y")), known);
  for (const GoldenCase& known : golden_cases("theory", "var_pois")) {
    const Vector x = list(known, "x"), y = list(known, "y");
    expect_close(mse_monomial(excess_poisson(known.args.at("lam"), x, y), x, y, 0, 1), known);
  }
  for (const GoldenCase& known : golden_cases("theory", "var_geom")) {
    const Vector x = list(known, "x"), y = list(known, "y");
    expect_close(mse_monomial(excess_geometric(known.args.at("p"), x, y), x, y, 0, 1), known);
  }
}

DataStatistics statistics(const nlohmann::json& rows) {
  Matrix<double> X(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t l = 0; l < X.cols(); ++l) X(i, l) = rows[i][l];
  DataStatistics gathered(X.cols());
  gathered.add(X.view());
  return gathered;
}

TEST(Golden, StatisticsOfData) {
  for (const GoldenCase& known : golden_cases("theory", "stat_sq_products"))
    expect_close(mean_squared_products(statistics(known.args.at("X")), statistics(known.args.at("Y"))), known);
  for (const GoldenCase& known : golden_cases("theory", "stat_abs_products")) {
    const Vector means = mean_absolute_products(statistics(known.args.at("X")), statistics(known.args.at("Y")));
    for (std::size_t l = 0; l < means.size(); ++l)
      EXPECT_NEAR(means[l], known.value[l].get<double>(), known.rtol * std::abs(means[l]));
  }
}

TEST(Statistics, OfShiftedDataAreThoseOfTheDifferences) {
  const nlohmann::json X = {{0.3, -1.0}, {0.9, 2.0}, {0.4, 0.5}}, Y = {{0.7, 0.1}, {0.2, -0.6}};
  const Vector shift = {-0.5, -1.25};
  double squares = 0;
  Vector absolute(2, 0.0);
  for (const auto& x : X)
    for (const auto& y : Y)
      for (std::size_t l = 0; l < 2; ++l) {
        const double product = (x[l].get<double>() - shift[l]) * (y[l].get<double>() - shift[l]);
        squares += product * product / 6;
        absolute[l] += product / 6;
      }
  EXPECT_NEAR(mean_squared_products(statistics(X), statistics(Y), shift), squares, 1e-14 * squares);
  const Vector means = mean_absolute_products(statistics(X), statistics(Y), shift);
  for (std::size_t l = 0; l < 2; ++l) EXPECT_NEAR(means[l], absolute[l], 1e-14);
}

/// E f(x)^2 f(y)^2 of one coordinate as a sum over exponents, in long double.
long double summed_second_moment(bool poisson, double parameter, double x, double y) {
  const long double t = static_cast<long double>(x) * y, log_t2 = 2 * std::log(std::abs(t));
  long double sum = 0;
  for (int k = 0; k < 3000; ++k) {
    const long double log_probability =
        poisson ? k * std::log(static_cast<long double>(parameter)) - parameter - std::lgamma(k + 1.0L)
                : std::log(static_cast<long double>(parameter)) + k * std::log1p(-static_cast<long double>(parameter));
    sum += std::exp(k * log_t2 - 2 * std::lgamma(k + 1.0L) - log_probability);
  }
  return std::log(sum) - static_cast<long double>(x) * x - static_cast<long double>(y) * y;
}

TEST(SecondMoment, IsTheSumOverExponents) {
  for (const double x : {0.01, 0.7, -1.3, 6.0, 20.0})
    for (const double y : {0.3, -2.0, 15.0}) {
      const Vector a = {x}, b = {y};
      for (const double rate : {0.05, 1.0, 9.0}) {
        if (x * y * x * y / rate > 2000) continue;  // beyond the sum
        const long double exact = summed_second_moment(true, rate, x, y);
        EXPECT_NEAR(log_second_moment_poisson(rate, a, b), exact, 1e-12L * (1 + x * x + y * y + std::abs(exact)));
      }
      for (const double p : {0.05, 0.5, 0.9})
        EXPECT_NEAR(log_second_moment_geometric(p, a, b), summed_second_moment(false, p, x, y),
                    1e-12 * (1 + x * x + y * y));
    }
}

/// In long double, whose log(I_0) near I_0 = 1 has a relative error of its epsilon / log(I_0).
TEST(Bessel, AgreesWithBoost) {
  constexpr long double kEpsilon = std::numeric_limits<long double>::epsilon();
  for (double t = 1e-3; t < 600; t *= 1.3) {
    const long double i0 = boost::math::cyl_bessel_i(0, static_cast<long double>(t));
    const long double i1 = boost::math::cyl_bessel_i(1, static_cast<long double>(t));
    EXPECT_NEAR(static_cast<double>(bessel_ratio(t) * i0 / i1), 1.0, 4e-15) << t;
    const long double exact = std::log(i0);
    EXPECT_NEAR(static_cast<double>(log_bessel_i0(t) / exact), 1.0, static_cast<double>(4e-15L + 8 * kEpsilon / exact))
        << t;
  }
  EXPECT_NEAR(log_bessel_i0(1e-6) / 0.25e-12, 1.0, 1e-12);
  EXPECT_NEAR(log_bessel_i0(1e8) - (1e8 - 0.5 * std::log(2e8 * M_PI)), 0.0, 1e-7);
  EXPECT_EQ(log_bessel_i0(0.0), 0.0);
  EXPECT_EQ(bessel_ratio(0.0), 0.0);
  EXPECT_NEAR(bessel_ratio(1e8), 1 - 0.5e-8, 1e-15);
}

TEST(BestParameters, AreMinima) {
  const Vector x = {0.4, -1.2, 2.5, 0.0, 0.01}, y = {1.0, 0.8, -3.0, 5.0, 0.2};
  for (const double length : {1e-4, 0.1, 1.0, 30.0}) {
    Vector a = x, b = y;
    for (double& entry : a) entry *= length;
    for (double& entry : b) entry *= length;
    const double rate = optimal_rate(squared_products(a, b), a.size()), p = optimal_p(products(a, b));
    ASSERT_TRUE(p > 0 && p < 1) << length;
    const double odds = std::log(p) - std::log1p(-p);
    for (const double step : {-0.05, 0.05}) {
      EXPECT_LT(excess_poisson(rate, a, b), excess_poisson(rate * (1 + step), a, b)) << length;
      EXPECT_LT(excess_geometric(p, a, b), excess_geometric(1 / (1 + std::exp(-odds - step)), a, b)) << length;
    }
  }
}

TEST(BestParameters, OfNothing) {
  EXPECT_EQ(optimal_rate(0.0, 3), 0.0);
  EXPECT_EQ(optimal_p(Vector{0.0, 0.0}), 1.0);
  const double tiny = optimal_p(Vector{1e-9, 0.0});
  EXPECT_NEAR(1 - tiny, std::sqrt(1e-18 / 2), 1e-12);  // as rate: sqrt(sum c^2 / d)
  EXPECT_GT(optimal_p(Vector{1e12}), 0.0);
}

TEST(Error, IsFiniteWhereFactorsAreNot) {
  const Vector far = {30.0, 30.0}, near = {29.0, 30.0};
  EXPECT_EQ(mse_monomial(0.0, far, near, 0.0, 4), 0.0);
  EXPECT_NEAR(std::log(mse_monomial(1000.0, far, near, -800.0, 4)), 1000 - 1 - 800 - std::log(4.0), 1e-10);
  EXPECT_NEAR(mse_monomial(1e-30, far, near, 0.0, 1) / (1e-30 * std::exp(-1.0)), 1.0, 1e-13);
  EXPECT_TRUE(std::isinf(mse_monomial(1e4, far, near, 0.0, 1)));
}

/// A pair whose products all equal the rate is estimated exactly, whatever is drawn.
TEST(Error, VanishesWhereEveryProductIsTheRate) {
  const Vector x = {0.5, 2.0}, y = {1.0, 0.25};
  EXPECT_EQ(excess_poisson(0.5, x, y), 0.0);
}

}  // namespace
}  // namespace bochner::theory
