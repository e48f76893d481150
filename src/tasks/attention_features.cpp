// SPDX-License-Identifier: Apache-2.0
#include "tasks/attention_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bochner/theory.h"
#include "core/errors.h"

namespace bochner {
namespace {

bool is_optimal(std::string_view map) { return map == "optimal_positive" || map == "optimal_positive_paired"; }

std::optional<double> A_of(const Spec& spec) {
  const auto found = spec.parameters.find("A");
  return found == spec.parameters.end() ? std::nullopt : std::optional(std::get<double>(found->second));
}

/// The best A follows from |x+y|^2 alone: a pair of equal inputs that has it, and one direction.
double fitted_A(Spec spec, double v2) {
  spec.m = 1;
  spec.parameters.erase("A");
  Matrix<double> x(1, spec.d, 0.0);
  x(0, 0) = std::sqrt(v2) / 2 * spec.lengthscale[0];
  return std::get<double>(theory::optimal_parameters(spec, x).at("A"));
}

}  // namespace

double attention_scale(const AttentionOptions& options, std::size_t dim) {
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(dim)));
  if (!std::isfinite(scale) || !(scale > 0)) refuse("scale", fmt::format("{}", scale), "a finite number > 0");
  return scale;
}

AttentionFeatures::AttentionFeatures(std::size_t dim, const AttentionOptions& options) {
  if (dim == 0) refuse("q", "an array of dim 0", "dim at least 1");
  const double scale = attention_scale(options, dim);
  Spec spec{.d = dim,
            .kernel = "softmax",
            .map = options.map,
            .coupling = options.coupling,
            .m = options.m,
            .seed = options.seed,
            .lengthscale = {1 / std::sqrt(scale)},
            .parameters = options.parameters};
  features_ = make_features(spec);
  if (!features_->fitted()) {
    if (!is_optimal(features_->spec().map))
      throw std::invalid_argument(fmt::format(
          "map '{}' of attention lacks a parameter; expected every one to be given: bochner.features(...).fit "
          "finds them from data",
          features_->spec().map));
    per_head_ = !options.causal;
    spec = features_->spec();
    spec.parameters["A"] = fitted_A(spec, 2 * scale * static_cast<double>(dim));
    features_ = make_features(spec);
  }
  // Refuses maps that are not positive.
  features_->transform_log(MatrixView<const double>(nullptr, 0, dim),
                           MatrixView<double>(nullptr, 0, features_->outputs()), {});
  A_ = is_optimal(features_->spec().map) ? A_of(features_->spec()) : std::nullopt;
  if (!per_head_) return;
  const Matrix<double> origin(1, dim, 0.0);
  weighted_norms_.resize(features_->outputs());
  double log_factor = 0;
  features_->transform_log(origin.view(), MatrixView<double>(weighted_norms_.data(), 1, features_->outputs()),
                           {&log_factor, 1});
}

AttentionFeatures::AttentionFeatures(std::unique_ptr<Features> features)
    : features_(std::move(features)), A_(A_of(features_->spec())) {}

HeadFeatures AttentionFeatures::common() const {
  return {features_.get(), 1, std::vector<double>(features_->outputs(), 0.0), A_};
}

HeadFeatures AttentionFeatures::for_mean_squared_sum(double v2) const {
  // A is about -v2 / (4 dim) for long inputs; beyond this the features could not tell them apart.
  const double A = fitted_A(features_->spec(), std::min(v2, 1e12)), slope = std::sqrt((1 - 4 * A) / (1 - 4 * *A_));
  HeadFeatures head{features_.get(), slope, weighted_norms_, A};
  for (double& offset : head.offset) offset *= A / *A_ - slope;
  return head;
}

}  // namespace bochner
