// SPDX-License-Identifier: Apache-2.0
#include "bochner/error_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "accuracy/pair_errors.h"
#include "accuracy/sketch.h"
#include "bochner/plan.h"
#include "bochner/registry.h"
#include "core/errors.h"
#include "features/check.h"

namespace bochner {
namespace {

constexpr double kLuck = 2;      // errors of one draw share W over all pairs, so their mean varies by tens of percent
constexpr double kBetter = 0.7;  // another mechanism is named when its error is this much smaller
/// Errors below this share of the sum of |phi_j(x) phi_j(y)| are rounding: projections of a few thousand terms.
constexpr double kRounding = 1e-12;

Matrix<double> in_user_units(const Matrix<double>& rows, const std::vector<double>& inverse) {
  Matrix<double> copy(rows.rows(), rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t l = 0; l < rows.cols(); ++l) copy(i, l) = rows(i, l) / inverse[inverse.size() == 1 ? 0 : l];
  return copy;
}

/// Variance of the mean over blocks of directions, where each block is an estimate of its own; a last, smaller block is
/// left out.
double block_variance(std::span<const double> query, std::span<const double> key, std::size_t m, std::size_t block) {
  const std::size_t blocks = m / block;
  double first = 0, second = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    double estimate = 0;
    for (std::size_t part = 0; part < query.size(); part += m)
      for (std::size_t j = part + b * block; j < part + (b + 1) * block; ++j) estimate += query[j] * key[j];
    estimate *= static_cast<double>(m) / static_cast<double>(block);
    first += estimate;
    second += estimate * estimate;
  }
  const double n = static_cast<double>(blocks);
  return std::max(0.0, second / n - first / n * (first / n)) / (n - 1);
}

/// Rows that depend on each other stay in one block; independent rows are divided into 32 groups.
std::size_t jackknife_block(const Resolved& chosen) {
  if (!chosen.coupling.independent_blocks) return chosen.spec.m;
  if (chosen.coupling.angles == Angles::independent) return std::max<std::size_t>(1, chosen.spec.m / 32);
  return space_of(chosen.spec);
}

/// The sentence about an error that is larger than promised. More directions do not mend what all blocks of directions
/// have in common.
std::string broken_promise(const ErrorReport& report, const Spec& spec) {
  const double ratio = report.observed / *report.predicted;
  if (report.jackknife && report.observed > kLuck * *report.jackknife) {
    const std::string_view coupling = default_coupling(spec.kernel, spec.map);
    return fmt::format(
        "the error is {:.3g} x the promised one and {:.3g} x what blocks of directions vary by: it is a bias, which "
        "more directions do not mend; take {}",
        ratio, report.observed / *report.jackknife,
        coupling == spec.coupling ? "another map" : fmt::format("coupling '{}'", coupling));
  }
  return fmt::format("the error is {:.3g} x the promised one; about m = {:.0f} would have it", ratio,
                     std::ceil(static_cast<double>(spec.m) * ratio * ratio));
}

std::string advice(const ErrorReport& report, const Spec& spec, const std::optional<Candidate>& best) {
  std::string sentence = report.kept ? "" : broken_promise(report, spec);
  const bool other = best && (best->spec.map != spec.map || best->spec.coupling != spec.coupling);
  if (other && best->error < kBetter * report.predicted.value_or(report.observed))
    sentence += fmt::format(
        "{}map '{}' with coupling '{}' and m = {} has a predicted error of {:.3g} with a feature vector as long",
        sentence.empty() ? "" : "; ", best->spec.map, best->spec.coupling, best->spec.m, best->error);
  return sentence;
}

/// The best mechanism with as many outputs; empty where no error is predicted for any.
template <class T>
std::optional<Candidate> best_rival(const Resolved& chosen, std::size_t outputs, MatrixView<const T> X,
                                    MatrixView<const T> Y, std::uint64_t seed) {
  PlanRequest others{
      .kernel = chosen.spec.kernel, .lengthscale = chosen.spec.lengthscale, .outputs = outputs, .seed = seed};
  for (const Parameter& parameter : chosen.kernel.entry().parameters)
    others.parameters.insert(*chosen.spec.parameters.find(parameter.name));
  try {
    return plan<T>(X, Y, others).best();
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

template <class T>
void check_rows(MatrixView<const T> X, std::size_t d, std::string_view name) {
  if (X.cols() != d || X.rows() == 0)
    refuse(name, fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("at least one row of {} columns (d)", d));
}

/// Compares errors over the pairs of the sketch; leaves the advice to the caller.
ErrorReport compare(const Features& features, const Resolved& chosen, const Sketch& sketched) {
  const std::vector<double> inverse = inverse_lengthscale(chosen.spec.lengthscale, chosen.spec.d);
  const std::size_t n = sketched.pairs.size();
  Matrix<double> queries(n, features.outputs()), keys(n, features.outputs());
  features.transform(in_user_units(sketched.pairs.X, inverse).view(), queries.view(), Side::query);
  features.transform(in_user_units(sketched.pairs.Y, inverse).view(), keys.view(), Side::key);
  const auto predicted = predicted_mses(chosen, sketched.pairs);
  const std::size_t m = chosen.spec.m, block = jackknife_block(chosen);
  const bool has_blocks = chosen.map.compose == nullptr && m >= 2 * block;
  double promised = 0, observed = 0, spread = 0, rounding = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<const double> query = queries.view().row(i), key = keys.view().row(i);
    const double error = std::inner_product(query.begin(), query.end(), key.begin(), 0.0) - sketched.kernel[i];
    const double size = std::transform_reduce(query.begin(), query.end(), key.begin(), 0.0, std::plus<>(),
                                              [](double a, double b) { return std::abs(a * b); });
    rounding += sketched.weights[i] * kRounding * size * kRounding * size;
    observed += sketched.weights[i] * error * error;
    if (predicted) promised += sketched.weights[i] * (*predicted)[i];
    if (has_blocks) spread += sketched.weights[i] * block_variance(query, key, m, block);
  }
  ErrorReport report{.pairs = n, .observed = std::sqrt(observed)};
  if (predicted) {
    report.predicted = std::sqrt(promised);
    report.exactness = chosen.coupling.approximate ? theory::Exactness::approximate : theory::Exactness::exact;
    report.kept = report.observed <= kLuck * *report.predicted + std::sqrt(rounding);
  }
  if (has_blocks) report.jackknife = std::sqrt(spread);
  return report;
}

}  // namespace

template <class T>
ErrorReport error_report(const Features& features, MatrixView<const T> X, MatrixView<const T> Y, std::size_t pairs,
                         std::uint64_t seed) {
  const Spec& spec = features.spec();
  const bool one_set = Y.data() == nullptr;
  check_rows<T>(X, spec.d, "X");
  if (!one_set) check_rows<T>(Y, spec.d, "Y");
  if (pairs == 0) refuse("pairs", "0", "at least 1");
  const Resolved chosen = resolve(spec);
  Sketch sketched = sketch<T>(X, Y, one_set, inverse_lengthscale(spec.lengthscale, spec.d), seed, pairs);
  measure_by(sketched, "absolute", chosen.kernel, chosen.spec.parameters);
  ErrorReport report = compare(features, chosen, sketched);
  report.advice = advice(report, chosen.spec, best_rival<T>(chosen, features.outputs(), X, Y, seed));
  return report;
}

template ErrorReport error_report<float>(const Features&, MatrixView<const float>, MatrixView<const float>, std::size_t,
                                         std::uint64_t);
template ErrorReport error_report<double>(const Features&, MatrixView<const double>, MatrixView<const double>,
                                          std::size_t, std::uint64_t);

}  // namespace bochner
