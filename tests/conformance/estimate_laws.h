// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "conformance/law.h"
#include "conformance/pairs.h"
#include "conformance/sampling.h"

namespace bochner::conformance {

/// The lengthscale of the i-th experiment: one, another one, one per coordinate from 1/2 to 3.
inline Vector lengthscale_in_turn(std::size_t i, std::size_t d) {
  if (i % 3 == 0) return {1.0};
  if (i % 3 == 1) return {0.37};
  Vector sigma;
  for (std::size_t l = 0; l < d; ++l)
    sigma.push_back(0.5 * std::pow(6.0, (static_cast<double>(l) + 0.5) / static_cast<double>(d)));
  return sigma;
}

inline std::size_t comparisons(const std::vector<Experiment>& experiments) {
  std::size_t total = 0;
  for (const Experiment& experiment : experiments) total += experiment.pairs.size();
  return total * combinations().size();
}

inline std::string describe(const Experiment& experiment, std::size_t pair) {
  return fmt::format("d = {}, m = {}, lengthscale [{}], {}, {} draws", experiment.spec.d, experiment.spec.m,
                     fmt::join(experiment.spec.lengthscale, ", "), experiment.pairs.names[pair], experiment.draws);
}

/// E phi(x).phi(y) = k(x, y) + known bias: the mean over draws is within z standard errors. The standard error is the
/// closed form's, or the sample's if that is larger: where the errors are skewed, the closed form bounds one tail of
/// the mean and self-normalisation the other (Jing, Shao & Wang, 2003), so that z of the normal law serves heavy tails
/// too.
inline Report check_means(const Subject& subject, const std::vector<Experiment>& experiments, double p) {
  Report report;
  const double z = normal_threshold(p);
  for (const Experiment& experiment : experiments) {
    const std::vector<ErrorMoments> moments = sample_errors(subject, experiment);
    const Vector exact = exact_kernel(experiment.spec, experiment.pairs);
    const double draws = static_cast<double>(experiment.draws);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const double bias = moments[i].first - known_bias(experiment, i);
      const double spread = moments[i].second - moments[i].first * moments[i].first;
      const double variance = std::max(closed_form_mse(experiment, i).value_or(0.0), spread);
      const double rounding = 1e-13 * std::max(1.0, exact[i]);
      report.expect(std::abs(bias) <= z * std::sqrt(variance / draws) + rounding, [&] {
        return fmt::format("mean of phi(x).phi(y) - k is {:.3g}, k is {:.3g}, standard error {:.2g}, z > {:.2f} ({})",
                           bias, exact[i], std::sqrt(variance / draws), z, describe(experiment, i));
      });
    }
  }
  return report;
}

/// E (phi(x).phi(y) - k(x, y))^2 equals the closed form. Squared errors are positive and skewed to the right, so above
/// the mean the self-normalised z is safe; below it P(mean <= mu - t) <= exp(-n t^2 / (2 E X^2)) for every X >= 0.
inline Report check_squares(const Subject& subject, const std::vector<Experiment>& experiments, double p) {
  Report report;
  const double z = normal_threshold(p);
  for (const Experiment& experiment : experiments) {
    const std::vector<ErrorMoments> moments = sample_errors(subject, experiment);
    const double draws = static_cast<double>(experiment.draws);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const double square = moments[i].second;
      const double expected = *closed_form_mse(experiment, i);
      const double above = z * std::sqrt(std::max(0.0, moments[i].fourth - square * square) / draws);
      const double below = std::sqrt(2 * std::log(2 / p) * moments[i].fourth / draws);
      // An angle of 1e-16 between rows that were to be parallel is 1e-16 in the error of signs, never seen in a sample.
      const double rounding = experiment.spec.map == "sign" ? 1e-15 : 1e-26;
      report.expect(square <= expected + above + rounding && square >= expected - below - rounding, [&] {
        return fmt::format("mean squared error is {:.4g}, closed form {:.4g}, allowed -{:.2g} +{:.2g} ({})", square,
                           expected, below, above, describe(experiment, i));
      });
    }
  }
  return report;
}

inline std::vector<Experiment> unbiased_experiments(const Combination& combination, Effort effort) {
  struct Size {
    std::size_t d, draws;
  };
  const std::vector<Size> sizes = effort == Effort::library
                                      ? std::vector<Size>{{4, 3000}, {8, 2000}, {16, 1000}, {64, 300}}
                                      : std::vector<Size>{{4, 2000}, {8, 300}};
  std::vector<Experiment> experiments;
  for (const Size& size : sizes)
    for (const std::size_t m : {std::size_t{1}, size.d - 1, size.d, size.d + 1, 3 * size.d + 5}) {
      Spec spec = combination.spec(size.d, m, 1'000'000 * (experiments.size() + 1));
      set_lengthscale(spec, lengthscale_in_turn(experiments.size(), size.d));
      experiments.push_back({spec, mild_pairs(spec, 0.6), test::scaled(size.draws, 200)});
    }
  return experiments;
}

inline std::vector<Experiment> unit_diagonal_experiments(const Combination& combination, Effort effort) {
  struct Size {
    std::size_t d, draws;
  };
  const std::vector<Size> sizes = effort == Effort::library
                                      ? std::vector<Size>{{4, 8000}, {8, 6000}, {16, 4000}, {64, 3000}}
                                      : std::vector<Size>{{4, 8000}};
  std::vector<Experiment> experiments;
  for (const Size& size : sizes) {
    const Spec spec = combination.spec(size.d, size.d, 1'000'000 * (100 + experiments.size()));
    experiments.push_back({spec, unit_diagonal_pairs(spec), test::scaled(size.draws, 200)});
  }
  return experiments;
}

/// One block, several blocks and a last one that is not whole: (4, 11) has 4 + 4 + 3 rows; inputs padded from 3 to 8.
inline std::vector<Experiment> squared_error_experiments(const Combination& combination, Effort effort) {
  struct Size {
    std::size_t d, m, draws;
  };
  const std::vector<Size> sizes = effort == Effort::library
                                      ? std::vector<Size>{{2, 2, 50000}, {3, 3, 50000}, {4, 11, 40000}, {8, 8, 30000}}
                                      : std::vector<Size>{{3, 3, 6000}, {4, 11, 15000}};
  const std::size_t share = combination.map.starts_with("hybrid") ? 3 : 1;  // three maps drawn for one
  std::vector<Experiment> experiments;
  for (const Size& size : sizes) {
    Spec spec = combination.spec(size.d, size.m, 1'000'000 * (200 + experiments.size()));
    set_lengthscale(spec, lengthscale_in_turn(experiments.size(), size.d));
    experiments.push_back({spec, mild_pairs(spec, 0.5), test::scaled(size.draws / share, 1000)});
  }
  if (takes(combination.coupling, "block")) {
    Spec padded = combination.spec(3, 9, 1'000'000 * 210);
    padded.parameters["block"] = 8.0;
    experiments.push_back({padded, mild_pairs(padded, 0.5), test::scaled(sizes.back().draws / share, 1000)});
  }
  return experiments;
}

/// Approximate couplings are held to the bounds of their own tests.
inline bool bias_is_known(const Combination& combination) {
  return entry_of(combination.coupling).bias.empty() || combination.coupling == "orthogonal_fixed";
}

inline Report unbiased(const Subject& subject, const Combination& combination, Effort effort) {
  if (!bias_is_known(combination)) return {};
  const std::vector<Experiment> experiments = unbiased_experiments(combination, effort);
  return check_means(
      subject, experiments,
      kFamilyFailure / static_cast<double>(comparisons(unbiased_experiments(combination, Effort::library))));
}

inline Report unbiased_at_unit_norm(const Subject& subject, const Combination& combination, Effort effort) {
  if (!bias_is_known(combination)) return {};
  const std::vector<Experiment> experiments = unit_diagonal_experiments(combination, effort);
  return check_means(
      subject, experiments,
      kFamilyFailure / static_cast<double>(comparisons(unit_diagonal_experiments(combination, Effort::library))));
}

inline Report squared_error(const Subject& subject, const Combination& combination, Effort effort) {
  if (theory::exactness(combination.spec(4, 4)) != theory::Exactness::exact) return {};
  const std::vector<Experiment> experiments = squared_error_experiments(combination, effort);
  return check_squares(
      subject, experiments,
      kFamilyFailure / static_cast<double>(comparisons(squared_error_experiments(combination, Effort::library))));
}

}  // namespace bochner::conformance
