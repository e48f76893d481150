// SPDX-License-Identifier: Apache-2.0
#include "plan/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "accuracy/pair_errors.h"
#include "accuracy/simulated_error.h"
#include "core/data_statistics.h"
#include "core/parameter.h"
#include "features/defaults.h"
#include "plan/cost.h"

namespace bochner {
namespace {

// From this D on, the closed forms of exact counterparts hold (structured couplings in small spaces are not random
// enough).
constexpr std::size_t kSmallestApproximate = 32;
struct Effort {
  std::size_t draws, pairs;
};
constexpr Effort kGlance{12, 256}, kCare{32, 1024};
constexpr double kMostEntries = 0x1p17;  // of a W that is drawn to measure an error

RowReader reader(const Matrix<double>& rows) {
  return {rows.rows(), [&rows](std::size_t first, MatrixView<double> out) {
            for (std::size_t i = 0; i < out.rows(); ++i)
              std::ranges::copy(rows.view().row(first + i), out.row(i).begin());
          }};
}

DataStatistics statistics_of(const Matrix<double>& sample, std::span<const double> minima) {
  DataStatistics statistics(sample.cols());
  statistics.add(sample.view());
  statistics.lower_minima(minima);
  return statistics;
}

/// The number that fit found; null unless it found exactly one number and nothing else.
double* single_number(Parameters& parameters, const Entry& entry) {
  double* found = nullptr;
  for (const Parameter& parameter : entry.parameters) {
    if (parameter.fallback != nullptr) continue;
    double* number = std::get_if<double>(&parameters.find(parameter.name)->second);
    if (number == nullptr || found != nullptr) return nullptr;
    found = number;
  }
  return found;
}

bool is_constant(const Sketch& sketch) {
  std::optional<double> value;
  for (std::size_t i = 0; i < sketch.weights.size(); ++i)
    if (sketch.weights[i] > 0 && sketch.kernel[i] != value.value_or(sketch.kernel[i]))
      return false;
    else if (sketch.weights[i] > 0)
      value = sketch.kernel[i];
  return true;
}

/// Whether every feature is at most sqrt(2/m), so that a few draws show the error.
bool is_measurable(const Map& map) { return map.family == Family::fourier || map.family == Family::sign; }

bool is_bounded(const Resolved& chosen) {
  if (is_measurable(chosen.map)) return true;
  const auto A = chosen.spec.parameters.find("A");
  return chosen.map.positive && A != chosen.spec.parameters.end() && std::get<double>(A->second) < 0;
}

bool is_unbiased(const Resolved& chosen) {
  const auto norms = chosen.spec.parameters.find("norms");
  return chosen.map.entry.bias.empty() && chosen.coupling.entry.bias.empty() &&
         (norms == chosen.spec.parameters.end() || is_word(norms->second, "chi"));
}

}  // namespace

bool has_property(const Resolved& chosen, std::string_view property) {
  if (property == "positive") return chosen.map.positive;
  if (property == "unbiased") return is_unbiased(chosen);
  if (property == "bounded") return is_bounded(chosen);
  if (property == "real") return chosen.map.complex == nullptr || !chosen.map.complex(chosen.spec.parameters);
  if (property == "symmetric") return is_symmetric(chosen.map, chosen.spec.parameters);
  return chosen.coupling.structured;
}

Predictor::Predictor(const PlanRequest& request, const Sketch& sketch, std::size_t d)
    : request_(request),
      sketch_(sketch),
      d_(d),
      queries_(statistics_of(sketch.queries, sketch.query_minima)),
      keys_(statistics_of(sketch.keys, sketch.key_minima)),
      constant_(is_constant(sketch)) {}

std::optional<Resolved> Predictor::best_of(const Map& map, const Coupling& coupling, std::size_t m,
                                           std::string_view block) const {
  Spec spec{.d = d_,
            .kernel = request_.kernel,
            .map = std::string(map.entry.name),
            .coupling = std::string(coupling.entry.name),
            .m = m,
            .seed = request_.seed,
            .lengthscale = request_.lengthscale,
            .parameters = request_.parameters};
  if (!block.empty()) spec.parameters["block"] = std::string(block);
  const bool unbiased = std::ranges::find(request_.require, "unbiased") != request_.require.end();
  if (unbiased && find_parameter(coupling.entry, "norms") != nullptr) spec.parameters.emplace("norms", "chi");
  try {
    Resolved chosen = resolve(spec);
    if (map.fit != nullptr) fit(chosen);
    return chosen;
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // more directions than memory holds, data that the map does not take, ...
  }
}

void Predictor::fit(Resolved& chosen) const {
  const std::vector<std::string_view> missing = missing_parameters(chosen.map.entry, chosen.spec.parameters);
  if (missing.empty()) return;
  const std::pair key(chosen.map.entry.name, space_of(chosen.spec));
  Parameters known;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = found_.find(key); found != found_.end()) known = found->second;
  }
  if (known.empty()) {
    const RowReader query_rows = reader(sketch_.queries), key_rows = reader(sketch_.keys);
    Resolved independent{chosen.kernel, chosen.map, find_coupling(defaults::kIndependentCoupling), chosen.spec};
    independent.spec.parameters.merge(
        fitted_parameters(chosen.map, {chosen.spec, key.second, queries_, keys_, query_rows, key_rows}));
    tune(independent);
    for (const std::string_view name : missing) known.insert(*independent.spec.parameters.find(name));
    const std::lock_guard lock(mutex_);
    found_.emplace(key, known);
  }
  chosen.spec.parameters.merge(known);
}

/// Golden-section search for a factor, from 1/8 to 8, of the one number that fit found: the closed form of that number
/// is best for the mean of a statistic, not for the mean of the error.
void Predictor::tune(Resolved& chosen) const {
  double* value = single_number(chosen.spec.parameters, chosen.map.entry);
  if (value == nullptr || *value == 0) return;
  const double start = *value;
  const auto log_error = [&](double log_factor) {
    *value = start * std::exp(log_factor);
    const Parameter* parameter = nullptr;
    for (const Parameter& declared : chosen.map.entry.parameters)
      if (declared.fallback == nullptr) parameter = &declared;
    if (!parameter->accepts(*value, d_)) return std::numeric_limits<double>::infinity();
    return closed_form(chosen).value_or(std::numeric_limits<double>::infinity());
  };
  constexpr double kGolden = 0.6180339887498949;
  double low = -std::log(8.0), high = std::log(8.0);
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double left_error = log_error(left), right_error = log_error(right);
  while (high - low > 0.02) {
    if (left_error <= right_error) {
      high = right, right = left, right_error = left_error;
      left_error = log_error(left = high - kGolden * (high - low));
    } else {
      low = left, left = right, left_error = right_error;
      right_error = log_error(right = low + kGolden * (high - low));
    }
  }
  const double best = (low + high) / 2;
  *value = log_error(best) <= log_error(0) ? start * std::exp(best) : start;
}

std::optional<double> Predictor::closed_form(const Resolved& chosen) const {
  const auto errors = predicted_mses(chosen, sketch_.pairs);
  if (!errors) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < errors->size(); ++i)
    if (sketch_.weights[i] > 0) sum += sketch_.weights[i] * (*errors)[i];
  return sum;
}

std::size_t Predictor::most_measured(std::size_t D) {
  return static_cast<std::size_t>(kMostEntries / static_cast<double>(D));
}

std::optional<Predictor::Measured> Predictor::measured(const Resolved& chosen, Care care) const {
  if (request_.exact_only) return std::nullopt;
  // The tails of exponential features are too heavy for a few draws: the features would look better than they are.
  if (!is_measurable(chosen.map)) return std::nullopt;
  const std::size_t most = most_measured(space_of(chosen.spec));
  const bool asked_for = request_.coupling != "auto";
  try {
    if (chosen.spec.m <= most) return with_care(chosen, care);
    return asked_for && most > 0 ? std::optional(by_part(chosen, most, care)) : std::nullopt;
  } catch (const std::invalid_argument&) {
    if (asked_for) throw;
    return std::nullopt;  // rows that are too long for the map
  }
}

/// The variance falls at least as fast as 1/m; the bias does not fall.
Predictor::Measured Predictor::by_part(const Resolved& chosen, std::size_t most, Care care) const {
  const std::tuple key(chosen.map.entry.name, space_of(chosen.spec), care);
  std::optional<Measured> found;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = parts_.find(key); known != parts_.end()) found = known->second;
  }
  if (!found) {
    Resolved part = chosen;
    part.spec.m = most;
    found = with_care(part, care);
    const std::lock_guard lock(mutex_);
    parts_.emplace(key, *found);
  }
  const double share = is_unbiased(chosen) ? static_cast<double>(most) / static_cast<double>(chosen.spec.m) : 1;
  return {found->mean * share, found->standard_error * share};
}

Predictor::Measured Predictor::with_care(const Resolved& chosen, Care care) const {
  if (care == Care::full) return simulated(chosen, kCare.draws, kCare.pairs);
  const Measured found = simulated(chosen, kGlance.draws, kGlance.pairs);
  if (care == Care::glance) return found;
  const Coupling& standard = find_coupling(default_coupling(request_.kernel, chosen.map.entry.name));
  const auto rival = best_of(chosen.map, standard, chosen.spec.m, "");
  const std::optional<double> square = rival ? closed_form(*rival) : std::nullopt;
  if (square && found.mean - 2 * found.standard_error > *square) return found;
  return simulated(chosen, kCare.draws, kCare.pairs);
}

Predictor::Measured Predictor::simulated(const Resolved& chosen, std::size_t draws, std::size_t pairs) const {
  const std::size_t step = std::max<std::size_t>(1, sketch_.pairs.size() / pairs);
  Matrix<double> X(sketch_.pairs.size() / step, d_), Y(X.rows(), d_);
  double total = 0, all = 0;
  std::vector<double> exact;
  for (std::size_t i = 0; i < X.rows(); ++i) {
    exact.push_back(sketch_.kernel[i * step]);
    std::ranges::copy(sketch_.pairs.X.view().row(i * step), X.view().row(i).begin());
    std::ranges::copy(sketch_.pairs.Y.view().row(i * step), Y.view().row(i).begin());
    total += sketch_.weights[i * step];
  }
  for (const double weight : sketch_.weights) all += weight;
  Spec spec = chosen.spec;
  spec.lengthscale = {1.0};
  std::vector<std::uint64_t> seeds(draws);
  std::iota(seeds.begin(), seeds.end(), request_.seed + 1);
  RunningMean mean;
  simulate_errors(spec, X.view(), Y.view(), exact, seeds, [&](std::span<const double> squares) {
    double sum = 0;
    for (std::size_t i = 0; i < squares.size(); ++i) sum += sketch_.weights[i * step] * squares[i] * all / total;
    mean.add(sum);
  });
  return {mean.mean(), mean.standard_error()};
}

std::optional<Candidate> Predictor::candidate(const Resolved& chosen, Care care) const {
  Candidate made{.spec = chosen.spec,
                 .outputs = chosen.map.width(chosen.spec.parameters) * chosen.spec.m,
                 .nanoseconds = nanoseconds_per_row(chosen)};
  const bool trusted = !chosen.coupling.approximate || space_of(chosen.spec) >= kSmallestApproximate;
  const std::optional<double> square = trusted ? closed_form(chosen) : std::nullopt;
  if (square) {
    made.exactness = chosen.coupling.approximate ? theory::Exactness::approximate : theory::Exactness::exact;
    made.error = std::sqrt(*square);
    made.reason = chosen.coupling.approximate ? "by the closed form of its exact counterpart" : "by its closed form";
  } else {
    const auto estimate = measured(chosen, care);
    if (!estimate) return std::nullopt;
    made.exactness = theory::Exactness::none;
    made.error = std::sqrt(estimate->mean);
    made.standard_error = made.error > 0 ? estimate->standard_error / (2 * made.error) : 0;
    const std::size_t most = most_measured(space_of(chosen.spec));
    made.reason = chosen.spec.m <= most ? "measured on a few draws"
                                        : fmt::format("measured on a few draws of {} of its directions", most);
  }
  // A closed form that is out of range gives 0 or infinity; bounded features may be exact, such as signs on a line.
  if (!std::isfinite(made.error) || (made.error == 0 && !constant_ && !is_measurable(chosen.map))) return std::nullopt;
  return made;
}

}  // namespace bochner
