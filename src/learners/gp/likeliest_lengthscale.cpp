// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bochner/gaussian_process.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "features/sample_rows.h"
#include "learners/gp/evidence.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

/// Lengthscales are start 2^(e / kSteps) with whole e, so equal problems that differ in rounding have equal answers.
constexpr int kSteps = 8, kFarthest = 8 * kSteps, kFirst = kSteps, kLongest = 4 * kSteps;
/// Relative gains of the likelihood below this do not count.
constexpr double kGain = 1e-9;
/// The least mean distance between rows, in lengthscales: a Gaussian kernel is 0.97 at this distance. With a longer
/// lengthscale f is a polynomial of low degree wherever there are rows, and beyond them it depends on the signal alone.
constexpr double kShortest = 0.25;
constexpr std::size_t kPairedRows = 128;
/// Size of the climb along single columns: enough to rank them.
constexpr std::size_t kColumnRows = 2048, kColumnOutputs = 512;
/// Evaluations reserved for the climb after it.
constexpr std::size_t kLastEvaluations = 16;

using Exponents = std::vector<int>;

/// The mean distance between two of at most 128 rows, each coordinate divided by its lengthscale.
double mean_distance(MatrixView<const double> X, const std::vector<double>& lengthscale) {
  const std::size_t n = std::min(X.rows(), kPairedRows);
  const auto entry = [&](std::size_t i, std::size_t j) {
    return X(i * X.rows() / n, j) / lengthscale[lengthscale.size() == 1 ? 0 : j];
  };
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < i; ++k) {
      double square = 0;
      for (std::size_t j = 0; j < X.cols(); ++j) square += (entry(i, j) - entry(k, j)) * (entry(i, j) - entry(k, j));
      sum += std::sqrt(square);
    }
  return n > 1 ? sum / (0.5 * static_cast<double>(n * (n - 1))) : 0;
}

/// Climbs the likelihood along coordinates of the exponents.
class Climb {
 public:
  Climb(const Spec& spec, const ChosenRows& rows, const GaussianProcessOptions& options, std::size_t most)
      : spec_(spec), rows_(rows), options_(options), most_(most), at_(spec.lengthscale.size(), 0) {
    const double distance = mean_distance(rows.X, spec.lengthscale);
    bounded_ = distance > 0;
    for (double& length : spec_.lengthscale)
      if (bounded_) length *= std::min(distance / kShortest, 1.0);
    value_ = likelihood(at_);
    used_ = 1;
  }

  /// Moves all lengthscales together, or each on its own.
  void climb(bool together) {
    std::vector<int> steps(together ? 1 : at_.size(), kFirst);
    while (std::any_of(steps.begin(), steps.end(), [](int step) { return step > 0; }) && used_ + 2 <= most_)
      for (std::size_t c = 0; c < steps.size() && used_ + 2 <= most_; ++c)
        if (steps[c] > 0) steps[c] = try_both(together ? at_.size() : c, steps[c]);
  }

  LikeliestLengthscale result() const { return {lengthscales(at_), value_, used_}; }
  std::size_t used() const { return used_; }

 private:
  /// Tries one step up and one down along coordinate c, or along all if c is the number of coordinates. The next step
  /// is twice as long after a gain and half as long without one.
  int try_both(std::size_t c, int step) {
    std::array<Exponents, 2> trials = {at_, at_};
    std::array<double, 2> values = {};
    for (std::size_t j = 0; j < at_.size(); ++j)
      if (c == j || c == at_.size()) {
        trials[0][j] = std::min(at_[j] + step, kFarthest);
        trials[1][j] = std::max(at_[j] - step, -kFarthest);
      }
    parallel_for(2, 1, [&](std::size_t which, std::size_t) { values[which] = likelihood(trials[which]); });
    used_ += 2;
    const std::size_t better = values[1] > values[0] ? 1 : 0;
    if (!(values[better] > value_ + kGain * std::fabs(value_))) return step / 2;
    at_ = trials[better];
    value_ = values[better];
    return std::min(2 * step, kLongest);
  }

  std::vector<double> lengthscales(const Exponents& exponents) const {
    std::vector<double> result = spec_.lengthscale;
    for (std::size_t j = 0; j < result.size(); ++j) result[j] *= std::exp2(static_cast<double>(exponents[j]) / kSteps);
    return result;
  }

  /// Minus infinity if the rows are too long for the map, or too close to each other.
  double likelihood(const Exponents& exponents) const {
    Spec spec = spec_;
    spec.lengthscale = lengthscales(exponents);
    if (bounded_ && mean_distance(rows_.X, spec.lengthscale) < (1 - kGain) * kShortest)
      return -std::numeric_limits<double>::infinity();
    const auto features = make_features(spec);
    try {
      features->fit(rows_.X.view());
      if (rows_.X.rows() < features->outputs())
        return likeliest_variances(dual_modes(*features, rows_.X, rows_.Y, rows_.weights, options_.normalise), options_)
            .log_likelihood;
      Gram gram(features->outputs(), rows_.Y.cols());
      gram.add(*features, rows_.X, rows_.Y, rows_.weights);
      return likeliest_variances(modes_of(gram, options_.normalise), options_).log_likelihood;
    } catch (const std::runtime_error&) {
    } catch (const std::invalid_argument&) {
    }
    return -std::numeric_limits<double>::infinity();
  }

  Spec spec_;
  const ChosenRows& rows_;
  const GaussianProcessOptions& options_;
  std::size_t most_, used_ = 0;
  bool bounded_ = false;  ///< false if all rows are equal
  Exponents at_;
  double value_ = 0;
};

/// Climbs along each column, from the best common lengthscale of all columns. If there are many features and rows, it
/// uses fewer: they show what a column contributes, at a tenth of the cost. Then all columns climb together again, with
/// all features and rows; the result is kept only if it is likelier than the start.
LikeliestLengthscale search_columns(Spec spec, const ChosenRows& rows, const GaussianProcessOptions& options,
                                    const LengthscaleSearch& search, LikeliestLengthscale together) {
  const std::size_t left = search.evaluations - together.evaluations;
  if (left < 2) return together;
  spec.lengthscale = together.lengthscale;
  Spec fewer = spec;
  fewer.m = std::clamp<std::size_t>(kColumnOutputs * spec.m / make_features(spec)->outputs(), 1, spec.m);
  const ChosenRows some =
      choose_rows<double>(rows.X, rows.Y, rows.weights, sample_rows(rows.X.rows(), kColumnRows, spec.seed));
  Climb columns(fewer, some, options, left - std::min(left - 1, kLastEvaluations));
  columns.climb(false);
  spec.lengthscale = columns.result().lengthscale;
  Climb again(spec, rows, options, left - columns.used());
  again.climb(true);
  LikeliestLengthscale found = again.result();
  const std::size_t evaluations = together.evaluations + columns.used() + again.used();
  if (!(found.log_marginal_likelihood > together.log_marginal_likelihood)) found = std::move(together);
  found.evaluations = evaluations;
  return found;
}

template <class T>
LikeliestLengthscale search_rows(Spec spec, MatrixView<const T> X, MatrixView<const double> Y,
                                 std::span<const double> weights, const GaussianProcessOptions& options,
                                 const LengthscaleSearch& search) {
  require_options(options);
  if (search.rows < 2) refuse("rows", fmt::format("{}", search.rows), "at least 2");
  if (search.evaluations == 0) refuse("evaluations", "0", "at least 1");
  const auto features = make_features(spec);
  require_symmetric(*features);
  require_rows<T>(*features, X);
  require_targets(Y, X.rows(), Y.cols());
  require_weights(weights, X.rows());
  require_some_row(X.rows(), X.cols(), weights);
  const std::vector<std::size_t> seen = seen_rows(X.rows(), weights);
  std::vector<std::size_t> chosen = sample_rows(seen.size(), search.rows, spec.seed);
  for (std::size_t& row : chosen) row = seen[row];
  if (search.per_coordinate && spec.lengthscale.size() == 1) spec.lengthscale.resize(spec.d, spec.lengthscale[0]);
  const ChosenRows rows = choose_rows<T>(X, Y, weights, chosen);
  Climb climb(spec, rows, options, search.evaluations);
  climb.climb(true);
  LikeliestLengthscale found =
      search.per_coordinate ? search_columns(spec, rows, options, search, climb.result()) : climb.result();
  if (!std::isfinite(found.log_marginal_likelihood))
    throw std::invalid_argument(
        "X has rows of which no lengthscale has a likelihood that is finite; expected rows of another size beside the "
        "lengthscale, or a bounded map");
  return found;
}

}  // namespace

LikeliestLengthscale likeliest_lengthscale(const Spec& spec, MatrixView<const float> X, MatrixView<const double> Y,
                                           std::span<const double> weights, const GaussianProcessOptions& options,
                                           const LengthscaleSearch& search) {
  return search_rows<float>(spec, X, Y, weights, options, search);
}

LikeliestLengthscale likeliest_lengthscale(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                                           std::span<const double> weights, const GaussianProcessOptions& options,
                                           const LengthscaleSearch& search) {
  return search_rows<double>(spec, X, Y, weights, options, search);
}

}  // namespace bochner
