// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/pair_errors.h"
#include "accuracy/simulated_error.h"
#include "accuracy/sketch.h"
#include "bochner/error_report.h"
#include "bochner/registry.h"
#include "core/errors.h"
#include "features/check.h"
#include "features/defaults.h"
#include "plan/candidates.h"
#include "plan/defaults.h"

namespace bochner {
namespace {

constexpr std::size_t kPairs = 200;  // fewer than those for which tables are made: a few milliseconds with series
constexpr std::size_t kFewestPairs = 16;
constexpr std::size_t kMostDrawn = std::size_t{1} << 20;  // features of a draw, which take 20 ms
/// The relative error of features of zeros.
constexpr double kWorthless = 1.0;

/// The same features with independent rows, in place of a coupling without a closed form.
Resolved with_independent_rows(const Resolved& chosen) {
  Spec spec = chosen.spec;
  spec.coupling = defaults::kIndependentCoupling;
  for (const Parameter& parameter : chosen.coupling.entry.parameters)
    if (find_parameter(chosen.map.entry, parameter.name) == nullptr &&
        find_parameter(chosen.kernel.entry(), parameter.name) == nullptr)
      spec.parameters.erase(std::string(parameter.name));
  return resolve_undrawn(spec);
}

/// The error of these very features on as many pairs as time allows; empty where those are too few or the error is not
/// a finite number.
std::optional<double> observed_error(const Spec& spec, const Sketch& sketched, std::size_t outputs) {
  const std::size_t pairs = std::min(sketched.pairs.size(), kMostDrawn / (2 * std::max<std::size_t>(outputs, 1)));
  if (pairs < std::min(kFewestPairs, sketched.pairs.size())) return std::nullopt;
  Spec unit = spec;
  unit.lengthscale = {1.0};
  double error = 0, norm = 0;
  try {
    // Take every step-th pair, since the pairs of a row with itself come first.
    const std::size_t step = sketched.pairs.size() / pairs, d = spec.d;
    Matrix<double> X(pairs, d), Y(pairs, d);
    std::vector<double> kernel;
    for (std::size_t i = 0; i < pairs; ++i) {
      std::ranges::copy(sketched.pairs.X.view().row(i * step), X.view().row(i).begin());
      std::ranges::copy(sketched.pairs.Y.view().row(i * step), Y.view().row(i).begin());
      kernel.push_back(sketched.kernel[i * step]);
      norm += sketched.weights[i * step] * kernel[i] * kernel[i];
    }
    simulate_errors(unit, X.view(), Y.view(), kernel, {&spec.seed, 1}, [&](std::span<const double> squares) {
      for (std::size_t i = 0; i < squares.size(); ++i) error += sketched.weights[i * step] * squares[i];
    });
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // rows too long for the map; transform reports that
  }
  const double ratio = std::sqrt(error / norm);
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

/// sqrt(sum (phi.phi - k)^2 / sum k^2): by the closed form, else by that of independent rows, else measured on these
/// features.
std::optional<double> relative_error(const Resolved& chosen, const Sketch& sketched, std::size_t outputs) {
  if (const auto error = predicted_gram_error(chosen, sketched.pairs, sketched.weights)) return error;
  if (const auto error = predicted_gram_error(with_independent_rows(chosen), sketched.pairs, sketched.weights))
    return error;
  return observed_error(chosen.spec, sketched, outputs);
}

struct Rival {
  Spec spec;
  double error;
};

/// The best of a few mechanisms with feature vectors of the same length: the kernel's default and those that win most
/// plans.
std::optional<Rival> best_rival(const Resolved& chosen, const Sketch& sketched, std::size_t outputs) {
  PlanRequest request{.kernel = chosen.spec.kernel, .lengthscale = chosen.spec.lengthscale, .seed = chosen.spec.seed};
  for (const Parameter& parameter : chosen.kernel.entry().parameters)
    request.parameters.insert(*chosen.spec.parameters.find(parameter.name));
  const Predictor predictor(request, sketched, chosen.spec.d);
  std::vector<std::string_view> names = {default_map(chosen.spec.kernel)};
  names.insert(names.end(), defaults::kAdvisedMaps.begin(), defaults::kAdvisedMaps.end());
  std::optional<Rival> best;
  for (const std::string_view name : names) {
    const Map& map = find_map(name);
    const Coupling& coupling = find_coupling(default_coupling(chosen.spec.kernel, name));
    if (name == chosen.map.entry.name || !misfit(chosen.kernel, map, coupling, chosen.spec.d).empty()) continue;
    const std::size_t m = outputs / width(name, {});
    const auto made = m > 0 ? predictor.best_of(map, coupling, m, "") : std::nullopt;
    const auto error = made ? predicted_gram_error(*made, sketched.pairs, sketched.weights) : std::nullopt;
    if (error && *error < (best ? best->error : kWorthless)) best = Rival{made->spec, *error};
  }
  return best;
}

std::string sentence(const Resolved& chosen, double error, const std::optional<Rival>& rival) {
  const std::string size = std::isfinite(error) ? fmt::format("{:.3g}", error) : "more than 1e150";
  const std::string advice =
      rival
          ? fmt::format("map '{}' with coupling '{}' and m = {} has {:.3g} with a feature vector as long",
                        rival->spec.map, rival->spec.coupling, rival->spec.m, rival->error)
          : "others with a feature vector as long do no better than zeros; use a larger lengthscale, or more features";
  return fmt::format(
      "map is '{}', whose relative error is predicted as {} on the rows it was fitted to, where features of zeros have "
      "1; {}",
      chosen.map.entry.name, size, advice);
}

}  // namespace

template <class T>
std::string fit_advice(const Features& features, MatrixView<const T> X, MatrixView<const T> Y) {
  if (features.spec().kernel == "composed") return "";  // each of its parts was fitted to rows of its own
  const Resolved chosen = resolve_undrawn(features.spec());
  const std::size_t d = chosen.spec.d;
  const bool one_set = Y.data() == nullptr;
  if (X.cols() != d || X.rows() == 0)
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("at least one row of {} columns (d)", d));
  if (!one_set && (Y.cols() != d || Y.rows() == 0))
    refuse("Y", fmt::format("{} x {}", Y.rows(), Y.cols()), fmt::format("at least one row of {} columns (d)", d));
  Sketch sketched = sketch<T>(X, Y, one_set, inverse_lengthscale(chosen.spec.lengthscale, d), 0, kPairs);
  measure_by(sketched, "absolute", chosen.kernel, chosen.spec.parameters);
  const auto error = relative_error(chosen, sketched, features.outputs());
  if (!error || !(*error > kWorthless)) return "";
  return sentence(chosen, *error, best_rival(chosen, sketched, features.outputs()));
}

template std::string fit_advice<float>(const Features&, MatrixView<const float>, MatrixView<const float>);
template std::string fit_advice<double>(const Features&, MatrixView<const double>, MatrixView<const double>);

bool lacks_parameters(const Spec& spec) {
  if (spec.map == "auto") return false;
  const Resolved chosen = resolve_undrawn(spec);
  return !missing_parameters(chosen.map.entry, chosen.spec.parameters).empty();
}

}  // namespace bochner
