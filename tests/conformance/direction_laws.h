// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "conformance/law.h"
#include "conformance/pairs.h"
#include "core/parallel.h"
#include "support/statistics.h"

namespace bochner::conformance {

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t l = 0; l < a.size(); ++l) sum += a[l] * b[l];
  return sum;
}

/// W of `draws` seeds, with two whole blocks of d rows and a third of about half.
struct DirectionDraws {
  Spec spec;
  std::vector<Matrix<double>> W;

  /// f(W) of every draw.
  template <class Function>
  Vector each(const Function& f) const {
    Vector values;
    for (const Matrix<double>& draw : W) values.push_back(f(draw));
    return values;
  }
};

inline DirectionDraws draw_directions(const Subject& subject, const Combination& combination, std::size_t d,
                                      std::size_t draws) {
  DirectionDraws result{combination.spec(d, 2 * d + (d + 1) / 2, 300'000'000), {}};
  result.W.resize(draws);
  parallel_for(draws, 50, [&](std::size_t first, std::size_t last) {
    for (std::size_t draw = first; draw < last; ++draw) {
      Spec spec = result.spec;
      spec.seed += draw;
      result.W[draw] = subject(spec)->directions();
    }
  });
  return result;
}

/// Dimensions in which W is looked at; 40 is beyond the norms that are sums of normal squares.
inline std::vector<std::size_t> direction_dimensions(Effort effort) {
  return effort == Effort::library ? std::vector<std::size_t>{2, 3, 5, 8, 40} : std::vector<std::size_t>{2, 5};
}

/// The cosine between rows of one block of r rows that a coupling promises.
inline std::optional<double> promised_cosine(std::string_view coupling, std::size_t r) {
  for (const char* orthogonal : {"orthogonal", "orthogonal_fixed", "hadamard", "givens"})
    if (coupling == orthogonal) return 0.0;
  for (const char* simplex : {"simplex", "simplex_hadamard"})
    if (coupling == simplex) return -1.0 / (static_cast<double>(r) - 1);
  return std::nullopt;
}

inline std::size_t block_of(const Spec& spec) {
  const auto block = spec.parameters.find("block");
  return block == spec.parameters.end() ? spec.d : static_cast<std::size_t>(std::get<double>(block->second));
}

/// Rows of one block meet at the promised angle, exactly.
inline Report angles(const Subject& subject, const Combination& combination, Effort effort) {
  Report report;
  for (const std::size_t d : direction_dimensions(effort)) {
    const DirectionDraws draws = draw_directions(subject, combination, d, 10);
    // What a block promises in R^D, D > d, cannot be seen in the first d coordinates.
    const bool padded = block_of(make_features(draws.spec)->spec()) != d;
    if (!promised_cosine(combination.coupling, 2) || padded) continue;
    for (const Matrix<double>& W : draws.W)
      for (std::size_t i = 0; i < W.rows(); ++i)
        for (std::size_t j = i / d * d; j < i; ++j) {
          const std::size_t rows = std::min(d, W.rows() - i / d * d);
          const auto a = W.view().row(i), b = W.view().row(j);
          const double cosine = dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
          report.expect(std::abs(cosine - *promised_cosine(combination.coupling, rows)) <= 1e-12,
                        [&] { return fmt::format("cosine of rows {} and {} is {:.6g} (d = {})", j, i, cosine, d); });
        }
  }
  return report;
}

/// Collects p-values and judges them when their number is known.
class PValues {
 public:
  void add(double p, std::string what) { values_.emplace_back(p, std::move(what)); }
  /// `families`: how often this list is made in one run of the laws.
  Report judge(std::size_t families) const {
    Report report;
    const double least = kFamilyFailure / static_cast<double>(values_.size() * families);
    for (const auto& [p, what] : values_)
      report.expect(p >= least, [&] { return fmt::format("p-value {:.3g} < {:.3g}: {}", p, least, what); });
    return report;
  }

 private:
  std::vector<std::pair<double, std::string>> values_;
};

inline double chi_cdf(double norm, std::size_t d) {
  return boost::math::cdf(boost::math::chi_squared(static_cast<double>(d)), norm * norm);
}

/// Norms of rows are chi(d), and independent of each other: in one block, between blocks, and of the directions.
inline Report norms(const Subject& subject, const Combination& combination, Effort effort) {
  if (!rotation_invariant(combination)) return {};
  PValues p_values;
  for (const std::size_t d : direction_dimensions(effort)) {
    const DirectionDraws draws = draw_directions(subject, combination, d, test::scaled(2000, 200));
    const auto uniform_norm = [&](std::size_t i) {
      return draws.each(
          [&](const Matrix<double>& W) { return chi_cdf(std::sqrt(dot(W.view().row(i), W.view().row(i))), d) - 0.5; });
    };
    std::vector<Vector> centred;
    for (std::size_t i = 0; i < draws.spec.m; ++i) centred.push_back(uniform_norm(i));
    for (const std::size_t i : {std::size_t{0}, d - 1, d, draws.spec.m - 1})
      p_values.add(testing::ks_p_value(centred[i], [](double u) { return u + 0.5; }),
                   fmt::format("norm of row {} is chi({})", i, d));
    for (const std::size_t j : {std::size_t{1}, d, 2 * d})
      p_values.add(testing::correlation_p_value(centred[0], centred[j]),
                   fmt::format("norms of rows 0 and {} are independent (d = {})", j, d));
    const Vector projections = draws.each([&](const Matrix<double>& W) { return dot(W.view().row(0), diagonal(d)); });
    p_values.add(testing::correlation_p_value(centred[0], projections),
                 fmt::format("norm and direction of row 0 (d = {})", d));
  }
  return p_values.judge(one_per_coupling().size());
}

/// P(t <= x) of a coordinate t of a uniform direction in R^d: t^2 ~ Beta(1/2, (d-1)/2), either sign alike.
inline double sphere_coordinate_cdf(double x, std::size_t d) {
  const boost::math::beta_distribution<double> law(0.5, (static_cast<double>(d) - 1) / 2);
  const double inner = boost::math::cdf(law, std::min(1.0, x * x));
  return x < 0 ? (1 - inner) / 2 : (1 + inner) / 2;
}

/// Projection of a sum or difference of two unit rows on u, normalised; nothing if the sum vanishes (antipodal rows).
inline std::optional<Vector> pair_coordinates(const DirectionDraws& draws, double sign, const Vector& u) {
  Vector values;
  for (const Matrix<double>& W : draws.W) {
    Vector sum(u.size());
    const double a = std::sqrt(dot(W.view().row(0), W.view().row(0)));
    const double b = std::sqrt(dot(W.view().row(1), W.view().row(1)));
    for (std::size_t l = 0; l < u.size(); ++l) sum[l] = W(0, l) / a + sign * W(1, l) / b;
    const double length = std::sqrt(dot(sum, sum));
    if (length < 1e-9) return std::nullopt;
    values.push_back(dot(sum, u) / length);
  }
  return values;
}

/// Every row is N(0, I) along every direction (signs random: Haar, not any Q), also jointly with its neighbour (what is
/// made of two rows of a block has no preferred direction), and blocks know nothing of each other.
inline Report isotropy(const Subject& subject, const Combination& combination, Effort effort) {
  if (!rotation_invariant(combination)) return {};
  PValues p_values;
  for (const std::size_t d : direction_dimensions(effort)) {
    const DirectionDraws draws = draw_directions(subject, combination, d, test::scaled(2000, 200));
    const std::map<std::string, Vector> along = {
        {"e1", axis(d)}, {"(1,..,1)", diagonal(d)}, {"a generic direction", generic(d, 3)}};
    for (const auto& [name, u] : along) {
      const auto projections = [&](std::size_t i) {
        return draws.each([&](const Matrix<double>& W) { return dot(W.view().row(i), u); });
      };
      for (const std::size_t i : {std::size_t{0}, d - 1, d, draws.spec.m - 1})
        p_values.add(
            testing::ks_p_value(projections(i), [](double t) { return boost::math::cdf(boost::math::normal(), t); }),
            fmt::format("row {} along {} is N(0, 1) (d = {})", i, name, d));
      p_values.add(testing::correlation_p_value(projections(0), projections(d)),
                   fmt::format("rows 0 and {} along {} are independent", d, name));
      if (made_of_transforms(combination.coupling)) continue;  // rows share a diagonal: each is isotropic, not the pair
      for (const double sign : {1.0, -1.0})
        if (const std::optional<Vector> values = pair_coordinates(draws, sign, u))
          p_values.add(testing::ks_p_value(*values, [d](double t) { return sphere_coordinate_cdf(t, d); }),
                       fmt::format("rows 0 and 1 jointly ({:+}) along {} (d = {})", sign, name, d));
    }
  }
  return p_values.judge(one_per_coupling().size());
}

}  // namespace bochner::conformance
