// SPDX-License-Identifier: Apache-2.0
// Known feature vectors of the maps, from explicit W and phases: no random generator is involved.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/spec.h"
#include "kernels/kernel.h"
#include "maps/feature_map.h"
#include "reference/maps.h"
#include "support/given_projection.h"
#include "support/golden.h"
#include "theory/generalised_exponential.h"

namespace bochner {
namespace {

using testing::GoldenCase;

template <class T>
Matrix<T> matrix(const nlohmann::json& rows) {
  Matrix<T> A(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j) A(i, j) = rows[i][j].get<T>();
  return A;
}

std::string kernel_of(const GoldenCase& known) { return known.args.value("kernel", "angular"); }

const Map& map_named(std::string_view name) {
  for (const Map* map : all_maps())
    if (map->entry.name == name) return *map;
  throw std::runtime_error("no map " + std::string(name));
}

double norm_exponent_of(std::string_view name) {
  for (const Kernel* kernel : all_kernels())
    if (kernel->entry().name == name) return kernel->norm_exponent();
  throw std::runtime_error("no kernel " + std::string(name));
}

/// Phases of the case as fractions of a turn; none for maps without.
template <class T>
std::vector<T> turns_of(const GoldenCase& known) {
  std::vector<T> turns;
  if (known.args.contains("b"))
    for (const double phase : known.args.at("b")) turns.push_back(static_cast<T>(phase / (2 * std::numbers::pi)));
  return turns;
}

/// W, or the exponents of monomials.
Matrix<double> directions_of(const GoldenCase& known) {
  return matrix<double>(known.args.at(known.args.contains("W") ? "W" : "Om"));
}

/// The best weight for the mean of |x + y|^2 that the case gives, or the law of the exponents and the shift.
Parameters parameters_of(const GoldenCase& known) {
  Parameters parameters;
  if (known.args.contains("v2"))
    parameters["A"] = theory::optimal_A(known.args.at("v2"), known.args.at("W").at(0).size());
  if (known.args.contains("lam")) parameters["rate"] = known.args.at("lam").get<double>();
  if (known.args.contains("p")) parameters["p"] = known.args.at("p").get<double>();
  if (known.args.contains("c")) parameters["shift"] = known.args.at("c").get<std::vector<double>>();
  return parameters;
}

/// The map on the W of the case, with its phases in place of drawn ones.
template <class T>
Matrix<T> transformed(const GoldenCase& known, const Map& map) {
  const Matrix<T> X = matrix<T>(known.args.at("X"));
  const Matrix<double> W = directions_of(known);
  std::vector<T> norms(X.rows(), T(0));
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (const T entry : X.view().row(i)) norms[i] += entry * entry;
  const Parameters parameters = parameters_of(known);
  const testing::GivenProjection projection(W, turns_of<double>(known));
  const auto made = map.make({norm_exponent_of(kernel_of(known)), W.cols(), W.rows(), 0, parameters, projection});
  Matrix<T> Z(X.rows(), map.width(parameters) * W.rows());
  made->transform(Rows<T>{X.view(), norms, Side::query, 0, false}, projection, Z.view());
  return Z;
}

/// Names of maps, which are those of the functions in the file.
class GoldenFeatures : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenFeatures, LibraryAgreesInDouble) {
  for (const GoldenCase& known : testing::golden_cases("maps", GetParam())) {
    const Matrix<double> expected = matrix<double>(known.value);
    const Matrix<double> Z = transformed<double>(known, map_named(GetParam()));
    ASSERT_EQ(Z.cols(), expected.cols());
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (std::size_t j = 0; j < Z.cols(); ++j)
        ASSERT_NEAR(Z(i, j), expected(i, j), 1e-13 * (1 + std::abs(expected(i, j)))) << i << ", " << j;
  }
}

/// Projections are sums of at most 8 terms of size <= 4: an exponent or phase carries an error of at most 64 u.
TEST_P(GoldenFeatures, LibraryAgreesInFloat) {
  for (const GoldenCase& known : testing::golden_cases("maps", GetParam())) {
    const Matrix<double> expected = matrix<double>(known.value);
    const Matrix<float> Z = transformed<float>(known, map_named(GetParam()));
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (std::size_t j = 0; j < Z.cols(); ++j)
        ASSERT_NEAR(Z(i, j), expected(i, j), 64 * 0x1p-24 * (1 + std::abs(expected(i, j)))) << i << ", " << j;
  }
}

TEST_P(GoldenFeatures, ReferenceAgrees) {
  for (const GoldenCase& known : testing::golden_cases("maps", GetParam())) {
    const Matrix<double> X = matrix<double>(known.args.at("X"));
    const Matrix<double> W = directions_of(known);
    const Matrix<double> expected = matrix<double>(known.value);
    const Spec spec{.d = W.cols(),
                    .kernel = kernel_of(known),
                    .map = GetParam(),
                    .m = W.rows(),
                    .parameters = parameters_of(known)};
    for (std::size_t i = 0; i < X.rows(); ++i) {
      const std::vector<double> phi = reference::features(spec, W.view(), turns_of<double>(known), X.view().row(i));
      ASSERT_EQ(phi.size(), expected.cols());
      for (std::size_t j = 0; j < phi.size(); ++j)
        ASSERT_NEAR(phi[j], expected(i, j), 2e-15 * (1 + std::abs(expected(i, j)))) << i << ", " << j;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Maps, GoldenFeatures,
                         ::testing::Values("trigonometric", "cosine", "positive", "positive_paired", "optimal_positive",
                                           "poisson", "geometric", "poisson_positive", "geometric_positive", "sign"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace bochner
