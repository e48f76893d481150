// SPDX-License-Identifier: Apache-2.0
// Known feature vectors of the complex maps, from explicit W.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bochner/matrix.h"
#include "maps/generalised_exponential.h"
#include "reference/maps.h"
#include "support/given_projection.h"
#include "support/golden.h"

namespace bochner {
namespace {

using testing::GoldenCase;
using Complex = std::complex<double>;

const Map& map_named(std::string_view name) {
  for (const Map* map : all_maps())
    if (map->entry.name == name) return *map;
  throw std::runtime_error("no map");
}

template <class T>
Matrix<T> matrix(const nlohmann::json& rows) {
  Matrix<T> A(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j) A(i, j) = rows[i][j].get<T>();
  return A;
}

/// A number, or numbers row by row.
Value value_of(const nlohmann::json& number) {
  const nlohmann::json &re = number.at("re"), &im = number.at("im");
  if (re.is_number()) return canonical(Complex(re.get<double>(), im.get<double>()));
  std::vector<Complex> numbers;
  for (std::size_t i = 0; i < re.size(); ++i) {
    if (re[i].is_number()) numbers.emplace_back(re[i].get<double>(), im[i].get<double>());
    for (std::size_t j = 0; re[i].is_array() && j < re[i].size(); ++j)
      numbers.emplace_back(re[i][j].get<double>(), im[i][j].get<double>());
  }
  return canonical(numbers);
}

/// Known f in the layout of the side: all Re f, then all Im f if the map has them, negative for keys.
Matrix<double> laid_out(const nlohmann::json& f, Side side, std::size_t outputs) {
  const bool both = f.is_object();
  const Matrix<double> re = matrix<double>(both ? f.at("re") : f);
  Matrix<double> Z(re.rows(), outputs, 0.0);
  for (std::size_t i = 0; i < re.rows(); ++i)
    for (std::size_t j = 0; j < re.cols(); ++j) {
      Z(i, j) = re(i, j);
      if (both && outputs > re.cols())
        Z(i, re.cols() + j) = f.at("im")[i][j].get<double>() * (side == Side::key ? -1 : 1);
    }
  return Z;
}

struct Subject {
  const Map& map;
  Parameters parameters;
  Side side;
};

Subject subject_of(const GoldenCase& known) {
  if (known.fn == "complex_exponential")
    return {map_named(known.fn), {{"A", value_of(known.args.at("M"))}}, Side::query};
  return {map_named("exponential"),
          {{"A", value_of(known.args.at("A"))}, {"s", known.args.at("s").get<double>()}},
          known.args.at("second").get<bool>() ? Side::key : Side::query};
}

template <class T>
void expect_known(const GoldenCase& known, double tolerance) {
  const auto [map, parameters, side] = subject_of(known);
  const Matrix<T> X = matrix<T>(known.args.at("X"));
  const Matrix<double> W = matrix<double>(known.args.at("W"));
  std::vector<T> norms(X.rows(), T(0));
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (const T entry : X.view().row(i)) norms[i] += entry * entry;
  const testing::GivenProjection projection(W);
  const double norm_exponent = known.args.at("kernel") == "gaussian" ? 0.0 : 0.5;
  Matrix<T> Z(X.rows(), map.width(parameters) * W.rows());
  map.make({norm_exponent, W.cols(), W.rows(), 0, parameters, projection})
      ->transform(Rows<T>{X.view(), norms, side, 0, false}, projection, Z.view());
  const Matrix<double> expected = laid_out(known.value, side, Z.cols());
  const Spec spec{.d = W.cols(),
                  .kernel = norm_exponent == 0 ? "gaussian" : "softmax",
                  .map = std::string(map.entry.name),
                  .m = W.rows(),
                  .parameters = parameters};
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    const std::vector<double> x(X.view().row(i).begin(), X.view().row(i).end());
    const std::vector<double> plain = reference::features(spec, W.view(), {}, x, reference::Bug::none, {}, side);
    ASSERT_EQ(plain.size(), Z.cols());
    for (std::size_t j = 0; j < Z.cols(); ++j) {
      const double size = 1 + std::hypot(expected(i, j), expected(i, (j + W.rows()) % Z.cols()));
      ASSERT_NEAR(Z(i, j), expected(i, j), tolerance * size) << known.fn << known.args.dump();
      ASSERT_NEAR(plain[j], expected(i, j), tolerance * size) << known.fn << known.args.dump();
    }
  }
}

TEST(GoldenFeatures, OfComplexMaps) {
  for (const char* fn : {"exponential", "complex_exponential"})
    for (const GoldenCase& known : testing::golden_cases("maps", fn)) {
      expect_known<double>(known, 2e-13);
      expect_known<float>(known, 128 * 0x1p-24);
    }
}

/// B, C and D as the map uses them: D is what is left at w = 0.
TEST(GoldenFeatures, ParametersOfTheExponent) {
  const Parameters none;
  const testing::GivenProjection zero(Matrix<double>(1, 1, 0.0));
  for (const GoldenCase& known : testing::golden_cases("maps", "exponential_parameters")) {
    const std::size_t d = known.args.at("d");
    const Complex A(known.args.at("A").at("re").get<double>(), known.args.at("A").at("im").get<double>());
    const auto parameters =
        complex_exponential({0.0, d, 1, 0, none, zero}, A, known.args.at("s").get<double>(), Side::query);
    const auto number = [&](std::size_t i) {
      return Complex(known.value[i].at("re").get<double>(), known.value[i].at("im").get<double>());
    };
    const Complex D =
        std::polar(std::exp(parameters.column_offset[0]), 2 * std::numbers::pi * parameters.column_phase[0]);
    EXPECT_NEAR(std::abs(Complex(parameters.slope, parameters.phase_slope) - number(0)), 0, 1e-14);
    EXPECT_EQ(parameters.offset_exponent, known.value[1].get<double>());
    EXPECT_NEAR(std::abs(D - number(2)), 0, 1e-13 * std::abs(D));
  }
}

}  // namespace
}  // namespace bochner
