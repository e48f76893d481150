// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "defaults.h"
#include "demo/data.h"
#include "demo/study.h"

namespace bochner::cli {
namespace {

constexpr std::size_t kDimension = 64, kDirections = 64, kDraws = 1000, kCurve = 60;
constexpr double kSumDistances[] = {0.12, 0.24, 0.36, 0.48, 0.6, 0.72, 0.84, 0.96, 1.08, 1.2};
constexpr double kDifferenceDistances[] = {0.3, 0.6, 0.9, 1.2, 1.5, 1.8, 2.1, 2.4, 2.7, 3.0};

std::vector<double> distances(const std::string& map) {
  if (grows_with_sum(map)) return {std::begin(kSumDistances), std::end(kSumDistances)};
  return {std::begin(kDifferenceDistances), std::end(kDifferenceDistances)};
}

/// Rows 2k and 2k+1 are a pair at distance k along one random direction: (u/2, u/2) has |x + y| = |u| and x - y = 0;
/// for (u/2, -u/2) it is the other way round.
Matrix<double> pairs_at(const std::vector<double>& distances, bool sum, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<double> direction(kDimension);
  double square = 0;
  for (double& value : direction) {
    value = generator.normal();
    square += value * value;
  }
  Matrix<double> X(2 * distances.size(), kDimension);
  for (std::size_t k = 0; k < distances.size(); ++k)
    for (std::size_t l = 0; l < kDimension; ++l) {
      X(2 * k, l) = distances[k] / 2 * direction[l] / std::sqrt(square);
      X(2 * k + 1, l) = sum ? X(2 * k, l) : -X(2 * k, l);
    }
  return X;
}

Spec spec_of(const std::string& map, const std::string& coupling, std::uint64_t seed) {
  return {.d = kDimension, .map = map, .coupling = coupling, .m = kDirections, .seed = seed};
}

double kernel_value(double distance, bool sum) { return sum ? 1 : std::exp(-distance * distance / 2); }

/// MSE of the same map with independent directions.
double independent_mse(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  Spec independent{.d = spec.d, .map = spec.map, .coupling = kIndependentCoupling, .m = spec.m};
  for (const Entry& map : maps())
    for (const Parameter& parameter : map.parameters)
      if (map.name == spec.map) independent.parameters.insert(*spec.parameters.find(parameter.name));
  return theory::mse(independent, x, y);
}

/// Sets a mean of squared errors and its standard error, in units of `unit`.
void set_measured(DistanceStudy::Point& point, const std::vector<double>& squares, double unit) {
  const auto count = static_cast<double>(squares.size());
  double mean = 0, variance = 0;
  for (const double value : squares) mean += value / count;
  for (const double value : squares) variance += (value - mean) * (value - mean) / (count - 1);
  point.measured = mean / unit;
  point.standard_error = std::sqrt(variance / count) / unit;
}

/// Completes the spec with the parameters that come from data.
Spec fitted(const Spec& spec, const Matrix<double>& X) {
  const auto features = make_features(spec);
  features->fit(X);
  return features->spec();
}

void measure(DistanceStudy::Mechanism& mechanism, Spec spec, std::size_t draws) {
  const bool sum = grows_with_sum(mechanism.map);
  const auto at = distances(mechanism.map);
  const auto X = pairs_at(at, sum, spec.seed);
  spec = fitted(spec, X);
  std::vector<std::vector<double>> errors(at.size());
  const std::uint64_t first = spec.seed * kDraws;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    spec.seed = first + draw;
    const auto features = make_features(spec);
    Matrix<double> Z(X.rows(), features->outputs()), keys(X.rows(), features->outputs());
    features->transform(X, Z);
    features->transform(X, keys, Side::key);
    for (std::size_t k = 0; k < at.size(); ++k) {
      double estimate = 0;
      for (std::size_t j = 0; j < Z.cols(); ++j) estimate += Z(2 * k, j) * keys(2 * k + 1, j);
      errors[k].push_back(std::pow(estimate - kernel_value(at[k], sum), 2));
    }
  }
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto x = X.view().row(2 * k), y = X.view().row(2 * k + 1);
    const double independent = independent_mse(spec, x, y);
    DistanceStudy::Point point;
    point.distance = at[k];
    if (mechanism.exactness != theory::Exactness::none) point.predicted = theory::mse(spec, x, y) / independent;
    set_measured(point, errors[k], independent);
    mechanism.points.push_back(point);
  }
}

void add_curve(DistanceStudy::Mechanism& mechanism, Spec spec) {
  if (mechanism.exactness == theory::Exactness::none) return;
  const bool sum = grows_with_sum(mechanism.map);
  const double last = distances(mechanism.map).back();
  spec = fitted(spec, pairs_at(distances(mechanism.map), sum, spec.seed));
  for (std::size_t k = 1; k <= kCurve; ++k)
    mechanism.curve_x.push_back(last * static_cast<double>(k) / static_cast<double>(kCurve));
  const auto X = pairs_at(mechanism.curve_x, sum, spec.seed);
  for (std::size_t k = 0; k < kCurve; ++k) {
    const auto x = X.view().row(2 * k), y = X.view().row(2 * k + 1);
    mechanism.curve_y.push_back(theory::mse(spec, x, y) / independent_mse(spec, x, y));
  }
}

/// Whether independent rows make no error on the pairs to which the map was fitted, so that no error can be relative to
/// it.
bool is_exact_on_pairs(const Spec& spec) {
  const auto X = pairs_at(distances(spec.map), grows_with_sum(spec.map), spec.seed);
  return independent_mse(fitted(spec, X), X.view().row(X.rows() - 2), X.view().row(X.rows() - 1)) == 0;
}

}  // namespace

DistanceStudy study_distance(const std::vector<std::string>& maps, DistanceStudy::Scope scope, std::uint64_t seed,
                             double effort, const Progress& progress) {
  DistanceStudy study;
  study.d = kDimension;
  study.m = kDirections;
  study.draws = share_of(kDraws, effort);
  for (const std::string& map : maps)
    for (const Entry& coupling : couplings()) {
      if (!misfit(Spec{}.kernel, map, coupling.name, kDimension).empty()) continue;
      const theory::Exactness exactness = theory::exactness(spec_of(map, std::string(coupling.name), seed));
      if (is_exact_on_pairs(spec_of(map, std::string(coupling.name), seed))) continue;
      if (scope == DistanceStudy::Scope::exact && exactness != theory::Exactness::exact) continue;
      study.mechanisms.push_back({map, std::string(coupling.name), exactness, {}, {}, {}});
    }
  std::size_t done = 0;
  for (auto& mechanism : study.mechanisms) {
    const Spec spec = spec_of(mechanism.map, mechanism.coupling, seed);
    measure(mechanism, spec, study.draws);
    add_curve(mechanism, spec);
    progress(static_cast<double>(++done) / static_cast<double>(study.mechanisms.size()));
  }
  return study;
}

}  // namespace bochner::cli
