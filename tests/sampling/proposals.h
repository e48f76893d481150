// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "bochner/softmax_sampler.h"

namespace bochner::test {

/// Probabilities of all classes for row 0 of the queries.
inline std::vector<double> probabilities(const SoftmaxSampler& sampler, const Matrix<double>& queries,
                                         std::optional<std::uint64_t> excluded = std::nullopt) {
  const std::size_t n = sampler.classes();
  Matrix<std::uint64_t> ids(1, n);
  for (std::size_t i = 0; i < n; ++i) ids(0, i) = i;
  Matrix<double> logs(1, n);
  std::vector<std::uint64_t> leave_out;
  if (excluded) leave_out.push_back(*excluded);
  sampler.log_probability(queries.view().row_range(0, 1), ids.view(), logs.view(), leave_out);
  std::vector<double> result;
  for (const double log : logs.view().row(0)) result.push_back(std::exp(log));
  return result;
}

/// phi(h) . phi(c_i) of all classes.
inline std::vector<double> estimates(const SoftmaxSampler& sampler, const Matrix<double>& queries,
                                     const Matrix<double>& classes) {
  const auto features = make_features(sampler.spec());
  Matrix<double> query(queries.rows(), features->outputs()), keys(classes.rows(), features->outputs());
  features->transform(queries.view(), query.view(), Side::query);
  features->transform(classes.view(), keys.view(), Side::key);
  std::vector<double> result;
  for (std::size_t i = 0; i < classes.rows(); ++i)
    result.push_back(std::inner_product(query.data(), query.data() + query.cols(), keys.view().row(i).data(), 0.0));
  return result;
}

/// Numbers over their sum.
inline std::vector<double> shares(std::vector<double> values) {
  const double total = std::accumulate(values.begin(), values.end(), 0.0);
  for (double& value : values) value /= total;
  return values;
}

}  // namespace bochner::test
