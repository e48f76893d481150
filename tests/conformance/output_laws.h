// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "conformance/direction_laws.h"
#include "conformance/estimate_laws.h"
#include "conformance/law.h"
#include "conformance/reproducibility_laws.h"
#include "reference/maps.h"

namespace bochner::conformance {

/// Number of outputs = width(map) m, for any m and d; no row works; views with gaps are read and written in place.
inline Report shapes(const Subject& subject, const Combination& combination, Effort) {
  Report report;
  constexpr double kUntouched = -12345.0;
  for (const std::size_t d : {1, 2, 3, 5, 8, 13, 33}) {
    if (!combination.fits(d)) continue;
    for (const std::size_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33, 47, 64, 65, 100}) {
      const auto features = subject(combination.spec(d, m, 3));
      const std::size_t outputs = features->outputs();
      const auto where = [&] { return fmt::format("d = {}, m = {}: {} outputs", d, m, outputs); };
      const Matrix<double> W = features->directions();
      report.expect(outputs == width(combination.map, features->spec().parameters) * m, where);
      report.expect(W.rows() == m && W.cols() == d && features->m() == m && features->d() == d, where);
      transformed(*features, Matrix<double>(0, d));
      transformed(*features, Matrix<float>(0, d));

      const Matrix<double> X = sample_rows<double>(7, features->spec());
      Matrix<double> wide_X(7, d + 3, std::numeric_limits<double>::quiet_NaN());
      Matrix<double> wide_Z(7, outputs + 5, kUntouched);
      for (std::size_t i = 0; i < 7; ++i) std::copy_n(X.view().row(i).data(), d, wide_X.view().row(i).data());
      features->transform(wide_X.view().col_range(0, d), wide_Z.view().col_range(0, outputs), Side::query);
      const Matrix<double> Z = transformed(*features, X);
      bool equal = true;
      for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < outputs + 5; ++j)
          equal = equal && wide_Z(i, j) == (j < outputs ? Z(i, j) : kUntouched);
      report.expect(equal, [&] { return "views with gaps: " + where(); });
    }
  }
  return report;
}

/// What an error of one output is measured in: rounding unit x max(1, sum |w_l u_l|) x the size of the feature.
/// Exponents that hold |u|^2 add it: their relative error follows the magnitude of what is exponentiated. The sums
/// inside a fast transform are of the size of |w| |u| in R^D, whatever the terms of the product are.
struct Yardstick {
  double condition;  ///< max(1, ...)
  double size;
};

/// A row of Cauchy entries has terms that outweigh all others, and every later addition rounds at their size: the bound
/// is then that of d additions, (d/2 + 4) `epsilon`. A sign is free where rounding by 4 `epsilon` may take the
/// projection across 0.
inline Yardstick yardstick(const Spec& spec, std::span<const double> w, const reference::Row& row, double value,
                           double epsilon, const reference::Lifted& lifted) {
  long double terms = 0;
  for (std::size_t l = 0; l < w.size(); ++l) terms += std::abs(w[l] * row.u[l]);
  if (made_of_transforms(spec.coupling))
    terms = std::max(terms, std::sqrt(std::get<double>(spec.parameters.at("block")) * row.norm2));
  if (made_of_monomials(spec.map)) {
    // Features fall to 0 below the normal range, which those of rows far from the shift reach.
    const bool gone = std::abs(value) < (epsilon > 1e-10 ? std::numeric_limits<float>::min() : 1e-307);
    return {static_cast<double>(std::max(1.0L, reference::monomial(spec, w, row).size)),
            gone ? std::numeric_limits<double>::infinity() : std::abs(value)};
  }
  double norm2 = 0;
  for (const double entry : w) norm2 += entry * entry;
  if (reference::is_complex_map(spec.map)) {
    const double most = static_cast<double>(reference::exponent_size(spec, w, norm2, row, lifted, terms));
    return {std::max(1.0, most), value};
  }
  const reference::Weight weight = reference::weight(spec, norm2);
  terms = weight.slope * terms + weight.size;
  const bool free_sign = spec.map == "sign" && std::abs(reference::projection(w, row)) <= 4 * epsilon * terms;
  if (spec.map == "sign") return {1, free_sign ? std::numeric_limits<double>::infinity() : std::abs(value)};
  const bool periodic = spec.map == "trigonometric" || spec.map == "cosine";
  if (!periodic || spec.kernel == "softmax") terms += row.norm2;
  if (spec.kernel == "laplace") terms *= 1 + static_cast<double>(w.size()) / 8;
  const long double amplitude = reference::feature_scale(spec) * std::exp(row.norm_exponent * row.norm2);
  return {static_cast<double>(std::max(1.0L, terms)), periodic ? static_cast<double>(amplitude) : std::abs(value)};
}

/// |Z - reference| <= 4 u max(1, sum |w_l u_l|) size of the feature, u = 2^-23 in float, 2^-52 in double.
template <class T>
void check_precision(const Features& features, const Matrix<T>& X, Side side, Report& report) {
  const Spec& spec = features.spec();
  const Matrix<T> Z = transformed(features, X, side);
  const Matrix<double> W = features.directions();
  const Vector b = reference::turns(spec);
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const Vector x(X.view().row(i).begin(), X.view().row(i).end());
    const reference::Row scaled = reference::scaled_row(spec, x);
    const reference::Lifted lifted = reference::lifted(spec, scaled, side);
    const Vector expected = reference::features(spec, W.view(), b, x, reference::Bug::none, {}, side);
    double worst = 0;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      // Of a complex feature, the modulus.
      const double other = reference::is_complex_map(spec.map) ? expected[(j + spec.m) % expected.size()] : 0.0;
      const Yardstick unit = yardstick(spec, W.view().row(j % spec.m), scaled, std::hypot(expected[j], other),
                                       std::numeric_limits<T>::epsilon(), lifted);
      const double error = std::abs(static_cast<double>(Z(i, j)) - expected[j]);
      worst = std::max(worst, error / (unit.condition * unit.size * std::numeric_limits<T>::epsilon()));
    }
    report.expect(worst <= 4, [&] {
      return fmt::format(
          "feature off the plain formula by {:.3g} units, 4 allowed (d = {}, m = {}, |x / lengthscale| = {:.3g}, "
          "{} bytes a number)",
          worst, spec.d, spec.m, std::sqrt(static_cast<double>(scaled.norm2)), sizeof(T));
    });
  }
}

/// transform() is the map's formula on directions(), in float and double: W is what was drawn, the outputs are in the
/// documented order, and lane code keeps its promise against scalar code.
inline Report precision(const Subject& subject, const Combination& combination, Effort effort) {
  Report report;
  if (!reference::knows_map(combination.map)) return report;
  // Weights of |w|^2 in R^D cannot be had from the first d columns: such maps are looked at where D = d.
  const bool weighted = combination.spec(2, 2).parameters.contains("A");
  std::size_t turn = 0;
  for (const std::size_t d : {1, 2, 7, 16, 63, 300}) {
    if (!combination.fits(d) || (effort == Effort::reference && d > 16)) continue;
    for (const std::size_t m : {1, 6, 37, 130}) {
      Spec spec = combination.spec(d, m, 17 + d);
      if (spec.parameters.contains("shift")) allow_long_rows(spec);
      set_lengthscale(spec, lengthscale_in_turn(turn++, d));
      const auto features = subject(spec);
      if (weighted && block_of(bochner::make_features(spec)->spec()) != d) continue;
      for (const double length : {0.01, 1.0, 3.0, 6.0}) {
        for (const Side side : {Side::query, Side::key}) {
          if (side == Side::key && features->symmetric()) continue;
          check_precision(*features, sample_rows<float>(9, spec, length), side, report);
          check_precision(*features, sample_rows<double>(9, spec, length), side, report);
        }
      }
    }
  }
  return report;
}

}  // namespace bochner::conformance
