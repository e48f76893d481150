// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "bochner/kernel_matrix.h"
#include "bochner/theory.h"
#include "conformance/law.h"
#include "conformance/pairs.h"
#include "core/parallel.h"

namespace bochner::conformance {

/// Moments of the error phi(x).phi(y) - k(x, y) over draws of W.
struct ErrorMoments {
  double first = 0;
  double second = 0;
  double fourth = 0;
};

/// A spec with the points it is tested at and the number of seeds.
struct Experiment {
  Spec spec;
  Pairs pairs;
  std::size_t draws;
};

inline Vector exact_kernel(const Spec& spec, const Pairs& pairs) {
  Vector values;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    values.push_back(kernel_matrix<double>(pairs.X.view().row_range(i, i + 1), pairs.Y.view().row_range(i, i + 1),
                                           spec.kernel, spec.lengthscale)(0, 0));
  return values;
}

/// phi(x_i).phi(y_i) of one draw, x as query and y as key.
inline Vector estimates(const Features& features, const Pairs& pairs) {
  Matrix<double> Zx(pairs.size(), features.outputs());
  Matrix<double> Zy(pairs.size(), features.outputs());
  features.transform(pairs.X.view(), Zx.view(), Side::query);
  features.transform(pairs.Y.view(), Zy.view(), Side::key);
  Vector products(pairs.size(), 0.0);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t j = 0; j < features.outputs(); ++j) products[i] += Zx(i, j) * Zy(i, j);
  return products;
}

/// Moments for each pair over seeds spec.seed, spec.seed + 1, ...; on all threads, the same for any number of them.
inline std::vector<ErrorMoments> sample_errors(const Subject& subject, const Experiment& experiment) {
  constexpr std::size_t kChunk = 50;
  const Vector exact = exact_kernel(experiment.spec, experiment.pairs);
  const std::size_t pairs = experiment.pairs.size();
  std::vector<std::vector<ErrorMoments>> sums((experiment.draws + kChunk - 1) / kChunk);
  parallel_for(experiment.draws, kChunk, [&](std::size_t first, std::size_t last) {
    std::vector<ErrorMoments> chunk(pairs);
    for (std::size_t draw = first; draw < last; ++draw) {
      Spec spec = experiment.spec;
      spec.seed += draw;
      const Vector values = estimates(*subject(spec), experiment.pairs);
      for (std::size_t i = 0; i < pairs; ++i) {
        const double error = values[i] - exact[i];
        chunk[i].first += error;
        chunk[i].second += error * error;
        chunk[i].fourth += error * error * error * error;
      }
    }
    sums[first / kChunk] = chunk;
  });
  std::vector<ErrorMoments> mean(pairs);
  const double draws = static_cast<double>(experiment.draws);
  for (const std::vector<ErrorMoments>& chunk : sums)
    for (std::size_t i = 0; i < pairs; ++i) {
      mean[i].first += chunk[i].first / draws;
      mean[i].second += chunk[i].second / draws;
      mean[i].fourth += chunk[i].fourth / draws;
    }
  return mean;
}

inline std::span<const double> row(const Matrix<double>& X, std::size_t i) { return X.view().row(i); }

inline double closed_form_mse(const Experiment& experiment, std::size_t pair) {
  return theory::mse(experiment.spec, row(experiment.pairs.X, pair), row(experiment.pairs.Y, pair));
}

}  // namespace bochner::conformance
