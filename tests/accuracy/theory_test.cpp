// SPDX-License-Identifier: Apache-2.0
#include "bochner/theory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bochner/features.h"
#include "bochner/matrix.h"
#include "bochner/registry.h"
#include "theory/conformity.h"

namespace bochner::theory {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const std::vector<std::string> kKernels = {"gaussian", "softmax"};
const std::vector<std::string> kMaps = {"trigonometric", "cosine", "positive", "positive_paired"};
const std::vector<std::string> kCouplings = {"iid", "orthogonal", "simplex"};

template <class Visit>
void for_each_spec(std::size_t d, std::size_t m, Visit visit) {
  for (const std::string& kernel : kKernels) {
    for (const std::string& map : kMaps) {
      for (const std::string& coupling : kCouplings) {
        if (!misfit(kernel, map, coupling, d).empty()) continue;
        Spec spec;
        spec.d = d;
        spec.m = m;
        spec.kernel = kernel;
        spec.map = map;
        spec.coupling = coupling;
        SCOPED_TRACE(kernel + ", " + map + ", " + coupling + ", " + std::to_string(d) + ", " + std::to_string(m));
        visit(spec);
      }
    }
  }
}

std::string refused_name(const std::string& what, const std::string& name, const std::string& nearest,
                         std::span<const Entry> entries) {
  std::string sentence = "unknown " + what + " '" + name + "'; did you mean '" + nearest + "'? known: ";
  for (const Entry& entry : entries) sentence += (&entry == entries.data() ? "" : ", ") + std::string(entry.name);
  return sentence;
}

std::string refusal(const Spec& spec, const std::vector<double>& x, const std::vector<double>& y) {
  try {
    mse(spec, x, y);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Mse, IsNeverNegativeNorNaN) {
  for (const std::size_t d : {1u, 2u, 3u, 8u, 65u, 4097u}) {
    for (const std::size_t m : {std::size_t{1}, std::size_t{2}, d, d + 2, 3 * d + 3}) {
      for_each_spec(d, m, [&](const Spec& spec) {
        for (const double a : {0.0, 1e-150, 1e-6, 1e-3, 0.3, 1.0, 3.0, 30.0, 1e4, 1e140}) {
          for (const double ratio : {-1.0, -1.0 + 1e-6, -0.3, 0.0, 0.3, 1.0 - 1e-6, 1.0}) {
            std::vector<double> x(d, 0.0), y(d, 0.0);
            x[0] = a;
            y[0] = ratio * a;
            const double error = mse(spec, x, y);
            EXPECT_GE(error, 0.0) << "x = " << a << ", y = " << ratio * a;
          }
        }
      });
    }
  }
}

TEST(Mse, DoesNotDependOnOrderSignOrAxes) {
  const std::vector<double> x = {0.3, -0.2, 0.5, 0.1, 0.0}, y = {-0.1, 0.4, 0.2, -0.6, 0.3};
  std::vector<double> turned_x = {-0.5, 0.1, 0.3, 0.0, 0.2}, turned_y = {-0.2, -0.6, -0.1, 0.3, -0.4};
  for_each_spec(5, 13, [&](const Spec& spec) {
    const double error = mse(spec, x, y);
    EXPECT_EQ(mse(spec, y, x), error);
    EXPECT_NEAR(mse(spec, turned_x, turned_y) / error, 1.0, 1e-14);
  });
}

TEST(Mse, OfTheGaussianTrigonometricMapIsShiftInvariant) {
  const std::vector<double> x = {0.5, -0.25, 1.0}, y = {-0.125, 0.5, 0.25};
  const std::vector<double> moved_x = {8.5, 3.75, -15.0}, moved_y = {7.875, 4.5, -15.75};
  for_each_spec(3, 7, [&](const Spec& spec) {
    const bool invariant = spec.kernel == "gaussian" && (spec.map == "trigonometric" || spec.map == "cosine");
    EXPECT_EQ(mse(spec, moved_x, moved_y) == mse(spec, x, y), invariant);
  });
}

TEST(Mse, LengthscaleDividesInputs) {
  const std::vector<double> x = {0.3, -0.2, 0.5}, y = {-0.1, 0.4, 0.2};
  for_each_spec(3, 7, [&](const Spec& spec) {
    Spec one = spec;
    one.lengthscale = {2.0};
    const std::vector<double> halved_x = {0.15, -0.1, 0.25}, halved_y = {-0.05, 0.2, 0.1};
    EXPECT_EQ(mse(one, x, y), mse(spec, halved_x, halved_y));
    Spec each = spec;
    each.lengthscale = {2.0, 4.0, 0.5};
    const std::vector<double> scaled_x = {0.15, -0.05, 1.0}, scaled_y = {-0.05, 0.1, 0.4};
    EXPECT_EQ(mse(each, x, y), mse(spec, scaled_x, scaled_y));
  });
}

TEST(Mse, SoftmaxIsTheGaussianErrorTimesTheSquaredNorms) {
  const std::vector<double> x = {0.3, -0.2, 0.5}, y = {-0.1, 0.4, 0.2};
  const double norms = 0.38 + 0.21;
  for_each_spec(3, 7, [&](Spec spec) {
    if (spec.kernel != "softmax") return;
    const double softmax = mse(spec, x, y);
    spec.kernel = "gaussian";
    EXPECT_NEAR(softmax / mse(spec, x, y), std::exp(norms), 1e-14 * std::exp(norms));
  });
}

TEST(Mse, KeepsAFiniteValueWhereFactorsOverflow) {
  Spec spec;
  spec.d = 2;
  spec.m = 1;
  spec.kernel = "softmax";
  spec.map = "trigonometric";
  const std::vector<double> far = {30.0, 0.0};
  EXPECT_EQ(mse(spec, far, far), 0.0);
  // e^{nx+ny} = e^{1300} and (1 - e^{-z2})^2/2 = 1/2 overflow together; e^{nx+ny} = e^{800} times z2^2/2 does not.
  EXPECT_EQ(mse(spec, far, std::vector<double>{0.0, 20.0}), kInfinity);
  const double gap = 0x1p-200;
  const double near = mse(spec, std::vector<double>{20.0, 0.0}, std::vector<double>{20.0, gap});
  EXPECT_NEAR(std::log(near), 800.0 + 4.0 * std::log(gap) - std::log(2.0), 1e-10);
  // Positive features of far but nearly orthogonal inputs: e^{4 x.y} stays in range though e^{2 v2} does not.
  spec.kernel = "gaussian";
  spec.map = "positive";
  EXPECT_NEAR(mse(spec, std::vector<double>{30.0, 0.0}, std::vector<double>{0.1, 25.0}), std::exp(12.0), 1e-8);
}

TEST(Mse, RefusesWhatItDoesNotKnow) {
  Spec good;
  good.d = 2;
  const std::vector<double> x = {0.1, 0.2};
  ASSERT_EQ(refusal(good, x, x), "accepted");
  const auto with = [&](auto change) {
    Spec spec = good;
    change(spec);
    return refusal(spec, x, x);
  };
  EXPECT_EQ(with([](Spec& s) { s.kernel = "gausian"; }), refused_name("kernel", "gausian", "gaussian", kernels()));
  EXPECT_EQ(with([](Spec& s) { s.map = "cosin"; }), refused_name("map", "cosin", "cosine", maps()));
  EXPECT_EQ(with([](Spec& s) { s.coupling = "simplx"; }), refused_name("coupling", "simplx", "simplex", couplings()));
  EXPECT_EQ(with([](Spec& s) { s.d = 0; }), "d is 0; expected a number of columns >= 1");
  EXPECT_EQ(with([](Spec& s) { s.m = 0; }), "m is 0; expected a number of random directions >= 1");
  for (const double sigma : {0.0, -1.0, kNaN, kInfinity}) {
    const std::string sentence = with([&](Spec& s) { s.lengthscale = {1.0, sigma}; });
    EXPECT_NE(sentence.find("lengthscale is"), std::string::npos) << sentence;
  }
  EXPECT_EQ(refusal(good, {0.1}, x), "x.size() is 1; expected d = 2");
  EXPECT_EQ(refusal(good, x, {0.1, 0.2, 0.3}), "y.size() is 3; expected d = 2");
  EXPECT_EQ(refusal(good, {0.1, kNaN}, x), "x[1] is nan; expected a finite number");
  EXPECT_EQ(refusal(good, x, {-kInfinity, 0}), "y[0] is -inf; expected a finite number");
  EXPECT_NE(refusal(good, {1e200, 0.0}, x).find("expected at most 1e300"), std::string::npos);
}

TEST(Mse, OfRowsIsThatOfEachPair) {
  const std::vector<double> x = {0.1, 0.2, 0.5, -0.3, 1, 1}, y = {0.4, 0.2, 0.5, -0.3, -1, 0.5};
  const MatrixView<const double> X(x.data(), 3, 2), Y(y.data(), 3, 2);
  const Spec spec{.d = 2, .map = "positive", .coupling = "simplex", .m = 5, .lengthscale = {0.7, 2.0}};
  const std::vector<double> errors = mse(spec, X, Y);
  ASSERT_EQ(errors.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(errors[i], mse(spec, X.row(i), Y.row(i))) << i;
  EXPECT_THROW(mse(spec, X, Y.row_range(0, 2)), std::invalid_argument);
  EXPECT_TRUE(mse(spec, Matrix<double>(0, 2).view(), Matrix<double>(0, 2).view()).empty());
}

/// Tables against the closed form itself, over all decades that data may have.
TEST(Mse, OfManyRowsIsThatOfEachPair) {
  constexpr std::size_t kPairs = 600;
  for (const auto& [kernel, parameters] : {std::pair<const char*, Parameters>{"gaussian", {}}, {"softmax", {}}})
    for (const char* map : {"trigonometric", "cosine", "positive", "positive_paired", "optimal_positive"})
      for (const char* coupling : {"iid", "orthogonal", "simplex", "orthogonal_fixed"}) {
        Spec spec{.d = 3, .kernel = kernel, .map = map, .coupling = coupling, .m = 7, .parameters = parameters};
        if (!misfit(kernel, map, coupling, 3).empty()) continue;
        if (spec.map == "optimal_positive") spec.parameters["A"] = -0.3;
        Matrix<double> X(kPairs, 3), Y(kPairs, 3);
        for (std::size_t i = 0; i < kPairs; ++i) {
          const double size = std::pow(10.0, -5 + 5.9 * static_cast<double>(i) / kPairs), turn = static_cast<double>(i);
          for (std::size_t l = 0; l < 3; ++l) {
            X(i, l) = size * std::sin(turn + static_cast<double>(l));
            Y(i, l) = size * std::cos(2.7 * turn - static_cast<double>(l));
          }
        }
        const std::vector<double> errors = mse(spec, X.view(), Y.view());
        for (std::size_t i = 0; i < kPairs; ++i) {
          const double exact = mse(spec, X.view().row(i), Y.view().row(i));
          // The closed form of fixed norms has itself an absolute error of 1e-15.
          const bool fixed = spec.coupling == "orthogonal_fixed";
          if ((fixed && spec.kernel == "softmax") || errors[i] == exact) continue;  // both may be infinite
          ASSERT_NEAR(errors[i], exact, 3e-12 * exact + (fixed ? 4e-15 : 0))
              << kernel << ' ' << map << ' ' << coupling << ' ' << i;
        }
      }
}

/// Where query and key centres have the same sign, the base of a clustered hybrid is complex: on orthogonal rows it has
/// no formula, while the base of the other keys has one.
TEST(Mse, OfRowsIsRefusedWhereOnePairHasNoFormula) {
  const Spec spec{.d = 2,
                  .map = "hybrid_clustered",
                  .coupling = "orthogonal",
                  .m = 4,
                  .parameters = {{"clusters", std::vector<double>{1, 2}},
                                 {"query_centres", std::vector<double>{1, 1}},
                                 {"key_centres", std::vector<double>{-1, -1, 1, 1}}}};
  Matrix<double> X(2, 2, 1.0), Y(2, 2, -1.0);
  EXPECT_EQ(mse(spec, X.view(), Y.view()).size(), 2u);
  Y(1, 0) = Y(1, 1) = 1;
  EXPECT_THROW(mse(spec, X.view(), Y.view()), std::invalid_argument);
}

TEST(Mse, NamesAParameterThatOnlyDataGive) {
  const std::vector<double> x = {0.1, 0.2};
  EXPECT_EQ(refusal({.d = 2, .map = "optimal_positive"}, x, x),
            "map 'optimal_positive' lacks parameter 'A': give it; optimal_parameters finds it from data");
}

TEST(Conformity, IsThatOfTheAngleOfTheCoupling) {
  for (const double v : {0.0, 0.3, 1.0, 2.5}) {
    EXPECT_EQ(conformity(v, 6, "iid", "positive"), std::exp(v * v));
    EXPECT_EQ(conformity(v, 6, "iid", "trigonometric"), std::exp(-v * v));
    EXPECT_EQ(conformity(v, 6, "orf", "prf"), std::exp(log_rho(v * v, 6, 0)));
    EXPECT_EQ(conformity(v, 6, "simplex", "positive"), std::exp(log_rho(v * v, 6, -0.2)));
    EXPECT_EQ(conformity(v, 6, "simplex", "positive_paired"), std::exp(log_rho_paired(v * v, 6, -0.2)));
    EXPECT_EQ(conformity(v, 6, "simplex", "trigonometric"), conf(v * v, 6, -0.2));
  }
  EXPECT_THROW(conformity(1, 6, "halton", "positive"), std::invalid_argument);
  EXPECT_THROW(conformity(1, 6, "iid", "cosine"), std::invalid_argument);
  EXPECT_THROW(conformity(1, 1, "simplex", "positive"), std::invalid_argument);
  EXPECT_THROW(conformity(-1, 6), std::invalid_argument);
  EXPECT_THROW(conformity(kNaN, 6), std::invalid_argument);
}

TEST(OptimalParameters, AreWhatFitFindsAndNeverWhatIsGiven) {
  const std::vector<double> x = {0.1, 0.2, 0.5, -0.3, 1, 1};
  const MatrixView<const double> X(x.data(), 3, 2);
  const Spec spec{.d = 2, .map = "optimal_positive", .coupling = "iid", .m = 3};
  const auto features = make_features(spec);
  features->fit(X);
  EXPECT_EQ(optimal_parameters(spec, X), features->spec().parameters);
  Spec given = spec;
  given.parameters = {{"A", -0.2}};
  EXPECT_TRUE(optimal_parameters(given, X).empty());
  EXPECT_TRUE(optimal_parameters({.d = 2}, X).empty());
}

}  // namespace
}  // namespace bochner::theory
