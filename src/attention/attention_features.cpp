// SPDX-License-Identifier: Apache-2.0
#include "attention/attention_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bochner/theory.h"
#include "core/errors.h"
#include "features/defaults.h"
#include "features/lookup.h"

namespace bochner {
namespace {

/// Whether the features are positive, with a weight A whose best value follows from |x+y|^2 alone.
bool is_optimal(const Spec& spec) {
  const Map& map = find_map(spec.map);
  return map.positive && map.weighted;
}

bool is_hybrid(const Spec& spec) { return find_map(spec.map).compose != nullptr; }

std::optional<double> A_of(const Spec& spec) {
  const auto found = spec.parameters.find("A");
  return found == spec.parameters.end() ? std::nullopt : std::optional(std::get<double>(found->second));
}

/// The best A follows from |x+y|^2 alone: found with a pair of equal inputs that has this value, and one direction.
double fitted_A(Spec spec, double v2) {
  spec.m = 1;
  spec.parameters.erase("A");
  Matrix<double> x(1, spec.d, 0.0);
  x(0, 0) = std::sqrt(v2) / 2 * spec.lengthscale[0];
  return std::get<double>(theory::optimal_parameters(spec, x).at("A"));
}

/// sqrt(scale) x stays in the range of float up to here.
constexpr double kLargestScale = 1e60;
/// A is about -v2 / (4 dim) for long inputs; beyond this |x+y|^2 features could not distinguish them.
constexpr double kLargestSquaredSum = 1e12;

/// The given scale, or its default; refuses anything but a number > 0 within range.
double attention_scale(const AttentionOptions& options, std::size_t dim) {
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(dim)));
  if (!std::isfinite(scale) || !(scale > 0)) refuse("scale", fmt::format("{}", scale), "a finite number > 0");
  if (scale > kLargestScale) refuse("scale", fmt::format("{}", scale), fmt::format("at most {}", kLargestScale));
  return scale;
}

/// The map; "auto" does not depend on the rows, so that nothing depends on the future. Refuses maps that are neither
/// positive nor hybrids.
std::string map_of(const AttentionOptions& options) {
  if (options.map == "auto") return std::string(defaults::kSoftmaxMap);
  const auto serves = [](const Map& map) { return map.positive || map.compose != nullptr; };
  if (serves(find_map(options.map))) return options.map;
  std::string list;
  for (const Map* map : registered_maps())
    if (serves(*map)) list += fmt::format("{}{}", list.empty() ? "" : ", ", map->entry.name);
  refuse("map", fmt::format("'{}'", options.map), fmt::format("a positive map or a hybrid for attention: {}", list));
}

/// `shift` in units of the data, one number for each coordinate; empty if there is none.
std::vector<double> shift_of(const Spec& spec) {
  const auto found = spec.parameters.find("shift");
  if (found == spec.parameters.end()) return {};
  const double* single = std::get_if<double>(&found->second);
  return single != nullptr ? std::vector<double>(spec.d, *single) : std::get<std::vector<double>>(found->second);
}

/// The number of different rows, at most `most`.
template <class T>
std::size_t different_rows(MatrixView<const T> rows, std::size_t most) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rows.rows() && found.size() < most; ++i)
    if (std::ranges::none_of(found, [&](std::size_t j) { return std::ranges::equal(rows.row(i), rows.row(j)); }))
      found.push_back(i);
  return found.size();
}

/// Lowers the numbers of clusters to the numbers of different rows, if these are smaller.
template <class T>
Spec with_clusters_for(Spec spec, MatrixView<const T> queries, MatrixView<const T> keys) {
  const auto found = spec.parameters.find("clusters");
  if (found == spec.parameters.end()) return spec;
  auto& counts = std::get<std::vector<double>>(found->second);
  const auto limit = [&](std::size_t side, const char* centres, MatrixView<const T> rows) {
    if (spec.parameters.contains(centres)) return;
    counts[side] = static_cast<double>(different_rows<T>(rows, static_cast<std::size_t>(counts[side])));
  };
  limit(0, "query_centres", queries);
  limit(1, "key_centres", keys);
  return spec;
}

/// Parameters fitted to all rows would depend on the future.
[[noreturn]] void refuse_unfitted(const Spec& spec) {
  std::string list;
  for (const std::string_view name : missing_parameters(find_map(spec.map).entry, spec.parameters))
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name);
  throw std::invalid_argument(fmt::format(
      "map '{}' of causal attention lacks {}; expected every parameter to be given, so that nothing depends on the "
      "future: bochner.features(...).fit finds them from data",
      spec.map, list));
}

}  // namespace

AttentionFeatures::AttentionFeatures(std::size_t dim, const AttentionOptions& options) {
  if (dim == 0) refuse("q", "an array of dim 0", "dim at least 1");
  const double scale = attention_scale(options, dim);
  Spec spec{.d = dim,
            .kernel = std::string(defaults::kSoftmaxKernel),
            .map = map_of(options),
            .coupling = options.coupling,
            .m = options.m,
            .seed = options.seed,
            .lengthscale = {1 / std::sqrt(scale)},
            .parameters = options.parameters};
  features_ = make_features(spec);
  signed_ = is_hybrid(features_->spec());
  if (!features_->fitted() && is_optimal(features_->spec())) {
    per_head_ = !options.causal;
    spec = features_->spec();
    spec.parameters["A"] = fitted_A(spec, std::min(2 * scale * static_cast<double>(dim), kLargestSquaredSum));
    features_ = make_features(spec);
  }
  if (!features_->fitted()) {
    if (options.causal) refuse_unfitted(features_->spec());
    return;
  }
  A_ = is_optimal(features_->spec()) ? A_of(features_->spec()) : std::nullopt;
  find_bound();
}

bool AttentionFeatures::fits_shift() const {
  const Spec& spec = features_->spec();
  return fits_rows() && find_parameter(find_map(spec.map).entry, "shift") != nullptr &&
         !spec.parameters.contains("shift");
}

AttentionFeatures::AttentionFeatures(std::unique_ptr<Features> features)
    : features_(std::move(features)), signed_(is_hybrid(features_->spec())), A_(A_of(features_->spec())) {}

/// For maps without a shift, exponents are sqrt(1-4A) w.x + A |w|^2 - |x|^2/2 and a constant.
void AttentionFeatures::find_bound() {
  if (signed_ || features_->spec().parameters.contains("shift")) return;
  const Matrix<double> origin(1, features_->d(), 0.0);
  Matrix<double> Z(1, features_->outputs());
  features_->transform_log(origin.view(), Z.view(), {&bound_.log_factor_at_origin, 1});
  bound_.at_origin = 0;
  for (const double z : Z.view().row(0)) bound_.at_origin = std::max(bound_.at_origin, std::abs(z));
  const Matrix<double> W = features_->directions();
  squared_norms_.assign(features_->outputs(), 0.0);
  for (std::size_t j = 0; j < squared_norms_.size(); ++j)
    for (const double w : W.view().row(j % W.rows())) squared_norms_[j] += w * w;
  const double longest = std::ranges::max(squared_norms_);
  bound_.by_length = std::sqrt((1 - 4 * A_.value_or(0)) * longest);
}

HeadFeatures AttentionFeatures::common() const {
  HeadFeatures head{features_.get(), 1, std::vector<double>(features_->outputs(), 0.0), A_, signed_};
  head.bound = bound_;
  head.blank = shift_of(features_->spec());
  return head;
}

template <class T>
HeadFeatures AttentionFeatures::fitted_to(MatrixView<const T> queries, MatrixView<const T> keys) const {
  std::shared_ptr<Features> own = make_features(with_clusters_for<T>(features_->spec(), queries, keys));
  own->fit(queries, keys);
  const Features* features = own.get();
  HeadFeatures head{features, 1, std::vector<double>(own->outputs(), 0.0), {}, signed_};
  head.blank = shift_of(own->spec());
  head.raises_padding = fits_shift();
  head.owner = std::move(own);
  return head;
}
template HeadFeatures AttentionFeatures::fitted_to(MatrixView<const float>, MatrixView<const float>) const;
template HeadFeatures AttentionFeatures::fitted_to(MatrixView<const double>, MatrixView<const double>) const;

HeadFeatures AttentionFeatures::for_mean_squared_sum(double v2) const {
  const double A = fitted_A(features_->spec(), std::min(v2, kLargestSquaredSum)),
               slope = std::sqrt((1 - 4 * A) / (1 - 4 * *A_));
  HeadFeatures head{features_.get(), slope, squared_norms_, A};
  for (double& offset : head.offset) offset *= A - slope * *A_;
  const auto [least, most] = std::minmax_element(head.offset.begin(), head.offset.end());
  const double middle = (*least + *most) / 2, radius = (*most - *least) / 2;
  for (double& offset : head.offset) offset -= middle;
  head.exact = radius > kLargestExponent;
  head.bound = bound_;
  return head;
}

}  // namespace bochner
