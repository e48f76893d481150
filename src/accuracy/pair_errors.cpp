// SPDX-License-Identifier: Apache-2.0
#include "accuracy/pair_errors.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "accuracy/error_table.h"
#include "core/parallel.h"

namespace bochner {
namespace {

using theory::PairGeometry;

constexpr std::size_t kMany = 256;
constexpr std::size_t kPairsPerTask = 64;

/// A closed form at given pairs, by tables where there are many pairs: a table of the form itself, or of its parts.
class ErrorsOfPairs {
 public:
  ErrorsOfPairs(const PreparedError& error, const Pairs& pairs) : error_(error), pairs_(pairs) {
    // Parts on independent rows take a few exponentials, no more than a table.
    const bool simple = !error.parts().empty() && error.chosen().coupling.angles == Angles::independent;
    if (pairs.size() < kMany || simple) return;
    if (ErrorTable::serves(error)) tables_.emplace_back(error);
    for (const PreparedError& part : error.parts()) tables_.emplace_back(part);
    if (tables_.empty()) return;
    parallel_for(pairs.size(), kPairsPerTask, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) note(i);
    });
    for (ErrorTable& table : tables_) table.build();
  }

  std::optional<double> at(std::size_t i, double log_factor) const {
    if (tables_.empty()) return error_.at(pairs_.at(i), log_factor);
    if (error_.parts().empty()) return tables_.front().at(pairs_.geometry[i], log_factor);
    return error_.at(pairs_.at(i), log_factor, [this](std::size_t part, const PairGeometry& pair, double factor) {
      return tables_[part].at(pair, factor);
    });
  }

 private:
  void note(std::size_t i) {
    if (error_.parts().empty()) return tables_.front().want(pairs_.geometry[i]);
    error_.at(pairs_.at(i), 0.0, [this](std::size_t part, const PairGeometry& pair, double) {
      tables_[part].want(pair);
      return 0.0;
    });
  }

  const PreparedError& error_;
  const Pairs& pairs_;
  std::deque<ErrorTable> tables_;
};

/// errors[i] = error_of(i); empty if one of them is unknown: a clustered hybrid has real and complex bases, so a
/// formula may exist for some pairs only.
template <class ErrorOf>
std::optional<std::vector<double>> errors_of(std::size_t pairs, const ErrorOf& error_of) {
  std::atomic<bool> known = true;
  std::vector<double> errors(pairs);
  parallel_for(pairs, kPairsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::optional<double> error = error_of(i);
      if (!error) known = false;
      errors[i] = error.value_or(0.0);
    }
  });
  return known ? std::optional(std::move(errors)) : std::nullopt;
}

bool is_known(const PreparedError& error) {
  const std::vector<double> zero(error.chosen().spec.d, 0.0);
  return error.at({zero, zero, {}}, 0.0).has_value();
}

/// log |k(x, y)|. A kernel that exponential maps serve is e^{-z2/2} times its factor, and the log of this never
/// underflows.
double log_kernel(const Resolved& chosen, const InputPair& pair, double log_factor) {
  if (chosen.kernel.serves(Family::exponential)) return (log_factor - pair.geometry.z2) / 2.0;
  return std::log(std::abs(kernel_at(chosen.kernel, pair.x, pair.y, chosen.spec.parameters)));
}

/// The root of error_at(0), if necessary from error_at(s) = e^s error_at(0): the square leaves the range of double
/// first.
template <class ErrorAt>
std::optional<double> root_of(const ErrorAt& error_at) {
  constexpr double kShift = 700.0, kSmall = 1e-290;
  const std::optional<double> error = error_at(0.0);
  if (!error || (*error >= kSmall && std::isfinite(*error))) return error ? std::optional(std::sqrt(*error)) : error;
  const double shift = *error < 1.0 ? kShift : -kShift;
  return std::sqrt(error_at(shift).value_or(*error)) * std::exp(-shift / 2.0);
}

}  // namespace

Pairs::Pairs(Matrix<double> first, Matrix<double> second)
    : X(std::move(first)), Y(std::move(second)), geometry(X.rows()) {
  for (std::size_t i = 0; i < X.rows(); ++i) geometry[i] = geometry_of(X.view().row(i), Y.view().row(i));
}

std::optional<std::vector<double>> predicted_mses(const Resolved& chosen, const Pairs& pairs, Moment moment) {
  const PreparedError error(chosen, moment);
  if (!is_known(error)) return std::nullopt;
  const ErrorsOfPairs errors(error, pairs);
  return errors_of(pairs.size(),
                   [&](std::size_t i) { return errors.at(i, log_factor(chosen.kernel, pairs.geometry[i])); });
}

std::optional<std::vector<double>> predicted_relative_errors(const Resolved& chosen, const Pairs& pairs) {
  const PreparedError error(chosen);
  if (!is_known(error)) return std::nullopt;
  const ErrorsOfPairs errors(error, pairs);
  return errors_of(pairs.size(), [&](std::size_t i) -> std::optional<double> {
    const double factor = log_factor(chosen.kernel, pairs.geometry[i]);
    const double log_k = log_kernel(chosen, pairs.at(i), factor);
    if (std::isfinite(log_k)) return root_of([&](double shift) { return errors.at(i, factor - 2.0 * log_k + shift); });
    const std::optional<double> absolute = errors.at(i, factor);
    return absolute && *absolute > 0.0 ? std::numeric_limits<double>::infinity() : absolute;
  });
}

std::optional<double> predicted_gram_error(const Resolved& chosen, const Pairs& pairs,
                                           std::span<const double> weights) {
  const PreparedError error(chosen);
  if (!is_known(error)) return std::nullopt;
  std::vector<double> log_k;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    log_k.push_back(log_kernel(chosen, pairs.at(i), log_factor(chosen.kernel, pairs.geometry[i])));
  const double largest = *std::ranges::max_element(log_k);  // both sums are divided by the square of the largest k
  if (!std::isfinite(largest)) return std::nullopt;
  const ErrorsOfPairs errors(error, pairs);
  const auto squares = errors_of(pairs.size(), [&](std::size_t i) {
    return errors.at(i, log_factor(chosen.kernel, pairs.geometry[i]) - 2.0 * largest);
  });
  if (!squares) return std::nullopt;
  double sum = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!(weights[i] > 0.0)) continue;
    sum += weights[i] * (*squares)[i];
    norm += weights[i] * std::exp(2.0 * (log_k[i] - largest));
  }
  const double ratio = std::sqrt(sum / norm);
  return std::isnan(ratio) ? std::nullopt : std::optional(ratio);
}

std::optional<std::vector<double>> predicted_biases(const Resolved& chosen, const Pairs& pairs) {
  return errors_of(pairs.size(),
                   [&](std::size_t i) { return predicted_bias(chosen, pairs.X.view().row(i), pairs.Y.view().row(i)); });
}

}  // namespace bochner
