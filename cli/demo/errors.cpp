// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "bochner/features.h"
#include "bochner/kernel_matrix.h"
#include "bochner/registry.h"
#include "bochner/theory.h"
#include "demo/data.h"
#include "demo/study.h"

namespace bochner::cli {
namespace {

constexpr std::size_t kPoints = 60, kPairs = 96, kDraws = 300, kFewestDraws = 40;
constexpr std::size_t kSizes[] = {4, 8, 16, 32, 64, 128, 256, 512};

struct Pair {
  std::size_t x, y;
};

/// The pairs on which every mechanism is measured; the two points of a pair are different.
std::vector<Pair> draw_pairs(std::uint64_t seed) {
  Generator generator(seed);
  std::vector<Pair> pairs;
  while (pairs.size() < kPairs) {
    const Pair pair{generator.below(kPoints), generator.below(kPoints)};
    if (pair.x != pair.y) pairs.push_back(pair);
  }
  return pairs;
}

double squared_error(const Features& features, const Matrix<double>& X, const Matrix<double>& exact,
                     const std::vector<Pair>& pairs) {
  Matrix<double> Z(X.rows(), features.outputs()), other;
  features.transform(X, Z, Side::query);
  if (!features.symmetric()) {
    other = Matrix<double>(X.rows(), features.outputs());
    features.transform(X, other, Side::key);
  }
  const Matrix<double>& keys = features.symmetric() ? Z : other;
  double sum = 0;
  for (const Pair& pair : pairs) {
    double estimate = 0;
    for (std::size_t j = 0; j < Z.cols(); ++j) estimate += Z(pair.x, j) * keys(pair.y, j);
    const double error = estimate - exact(pair.x, pair.y);
    sum += error * error;
  }
  return sum / static_cast<double>(pairs.size());
}

/// Completes the spec with the parameters that come from data.
Spec fitted(const Spec& spec, const Matrix<double>& X) {
  const auto features = make_features(spec);
  features->fit(X);
  return features->spec();
}

ErrorStudy::Point measure(Spec spec, const Matrix<double>& X, const Matrix<double>& exact,
                          const std::vector<Pair>& pairs, double effort) {
  spec = fitted(spec, X);
  double predicted = 0;
  for (const Pair& pair : pairs)
    predicted += theory::mse(spec, X.view().row(pair.x), X.view().row(pair.y)) / static_cast<double>(pairs.size());
  std::vector<double> errors;
  std::size_t outputs = 0;
  const std::uint64_t first = (spec.seed * 1024 + spec.m) * kDraws;  // other draws for each m: independent errors
  // Maps with many outputs per direction take more time, so they get fewer draws.
  const std::size_t numbers = width(spec.map, spec.parameters);
  const std::size_t draws = share_of(std::max(kFewestDraws, kDraws / std::max<std::size_t>(1, numbers / 4)), effort);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    spec.seed = first + draw;
    const auto features = make_features(spec);
    outputs = features->outputs();
    errors.push_back(squared_error(*features, X, exact, pairs));
  }
  return {spec.m, outputs, compare(errors, predicted)};
}

/// Pools the squares: their mean is unbiased, the mean of the roots is not.
void pool(ErrorStudy::Mechanism& mechanism) {
  double mean = 0, variance = 0;
  const auto count = static_cast<double>(mechanism.points.size());
  for (const auto& point : mechanism.points) {
    mean += point.error.ratio * point.error.ratio / count;
    variance += std::pow(2 * point.error.ratio * point.error.standard_error / count, 2);
  }
  mechanism.ratio = std::sqrt(mean);
  mechanism.standard_error = 0.5 * std::sqrt(variance) / mechanism.ratio;
}

void describe(ErrorStudy& study, const Matrix<double>& X, const std::vector<Pair>& pairs) {
  for (const Pair& pair : pairs)
    for (std::size_t l = 0; l < X.cols(); ++l) {
      study.sum_norm += std::pow((X(pair.x, l) + X(pair.y, l)) / study.lengthscale, 2);
      study.difference_norm += std::pow((X(pair.x, l) - X(pair.y, l)) / study.lengthscale, 2);
    }
  study.sum_norm = std::sqrt(study.sum_norm / static_cast<double>(pairs.size()));
  study.difference_norm = std::sqrt(study.difference_norm / static_cast<double>(pairs.size()));
}

/// All mechanisms that have a closed form with the parameters that fit finds.
std::vector<ErrorStudy::Mechanism> all_mechanisms(const std::vector<std::string>& kernels,
                                                  const std::vector<std::string>& maps, const Matrix<double>& X) {
  const std::size_t d = X.cols();
  std::vector<ErrorStudy::Mechanism> mechanisms;
  for (const std::string& kernel : kernels)
    for (const std::string& map : maps)
      for (const Entry& coupling : couplings()) {
        if (!misfit(kernel, map, coupling.name, d).empty()) continue;
        const Spec spec{.d = d, .kernel = kernel, .map = map, .coupling = std::string(coupling.name)};
        if (theory::exactness(fitted(spec, X)) == theory::Exactness::exact)
          mechanisms.push_back({spec.kernel, spec.map, spec.coupling, {}});
      }
  return mechanisms;
}

}  // namespace

std::size_t share_of(std::size_t draws, double effort) {
  return std::max<std::size_t>(2, static_cast<std::size_t>(effort * static_cast<double>(draws)));
}

Measurement compare(const std::vector<double>& squared_errors, double predicted) {
  const auto count = static_cast<double>(squared_errors.size());
  double mean = 0, variance = 0;
  for (const double value : squared_errors) mean += value / count;
  for (const double value : squared_errors) variance += (value - mean) * (value - mean) / (count - 1);
  Measurement result;
  result.measured = std::sqrt(mean);
  result.predicted = std::sqrt(predicted);
  result.ratio = result.measured / result.predicted;
  result.standard_error = 0.5 * result.ratio * std::sqrt(variance / count) / mean;
  return result;
}

ErrorStudy study_errors(const std::vector<std::string>& kernels, const std::vector<std::string>& maps,
                        std::uint64_t seed, double effort, const Progress& progress) {
  ErrorStudy study;
  study.d = 3;
  study.pairs = kPairs;
  study.draws = share_of(kDraws, effort);
  study.lengthscale = 4;
  const auto X = s_curve(kPoints, seed);
  const auto pairs = draw_pairs(seed);
  describe(study, X, pairs);
  study.mechanisms = all_mechanisms(kernels, maps, X);
  std::size_t done = 0;
  for (auto& mechanism : study.mechanisms) {
    Spec spec{.d = study.d,
              .kernel = mechanism.kernel,
              .map = mechanism.map,
              .coupling = mechanism.coupling,
              .seed = seed,
              .lengthscale = {study.lengthscale}};
    const auto exact = kernel_matrix<double>(X, X, spec.kernel, spec.lengthscale);
    for (const std::size_t m : kSizes) {
      spec.m = m;
      mechanism.points.push_back(measure(spec, X, exact, pairs, effort));
    }
    pool(mechanism);
    progress(static_cast<double>(++done) / static_cast<double>(study.mechanisms.size()));
  }
  return study;
}

}  // namespace bochner::cli
