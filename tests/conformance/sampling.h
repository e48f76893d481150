// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "bochner/kernel_matrix.h"
#include "bochner/theory.h"
#include "conformance/law.h"
#include "conformance/pairs.h"
#include "core/parallel.h"
#include "reference/kernels.h"

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

/// Nothing where no formula is known.
inline std::optional<double> closed_form_mse(const Experiment& experiment, std::size_t pair) {
  if (theory::exactness(experiment.spec) == theory::Exactness::none) return std::nullopt;
  return theory::mse(experiment.spec, row(experiment.pairs.X, pair), row(experiment.pairs.Y, pair));
}

/// E phi(x).phi(y) - k(x, y). Rows of the norm sqrt(D) have E cos(w.z) = Gamma(D/2) (2/t)^{D/2-1} J_{D/2-1}(t) at
/// t = sqrt(D) |z|, in place of e^{-z^2/2}; all other couplings tested here have no bias, and
/// signs do not feel norms.
inline double known_bias(const Experiment& experiment, std::size_t pair) {
  const Spec& spec = experiment.spec;
  if (spec.coupling != "orthogonal_fixed" || spec.map == "sign") return 0;
  double z2 = 0, norms = 0;
  for (std::size_t l = 0; l < spec.d; ++l) {
    const double sigma = reference::lengthscale_at(spec.lengthscale, l);
    const double x = experiment.pairs.X(pair, l) / sigma, y = experiment.pairs.Y(pair, l) / sigma;
    z2 += (x - y) * (x - y);
    norms += x * x + y * y;
  }
  if (z2 == 0) return 0;
  const auto block = spec.parameters.find("block");
  const double D = block == spec.parameters.end() ? static_cast<double>(spec.d) : std::get<double>(block->second);
  const double order = D / 2 - 1, t = std::sqrt(D * z2);
  const double mean = boost::math::cyl_bessel_j(order, t) * std::exp(std::lgamma(D / 2) + order * std::log(2 / t));
  return (mean - std::exp(-z2 / 2)) * (spec.kernel == "softmax" ? std::exp(norms / 2) : 1.0);
}

}  // namespace bochner::conformance
