// SPDX-License-Identifier: Apache-2.0
#include "models/learner_options.h"

#include <fmt/format.h>

#include <optional>

#include "core/errors.h"

namespace bochner {
namespace {

void check_strength(const Learner& learner, const char* name, const std::optional<double>& value) {
  if (value && learner.strength != name)
    refuse(name, fmt::format("{}", *value),
           fmt::format("none: the learner '{}' takes {}", learner.name,
                       learner.strength.empty() ? "neither alpha nor C" : learner.strength));
}

void check_search(const Learner& learner, std::string_view rule) {
  const bool columns = rule == "ard";
  if (!searches_lengthscale(rule) || (learner.search != nullptr && (!columns || learner.searches_columns))) return;
  refuse("lengthscale", fmt::format("'{}'", rule),
         fmt::format("another rule for '{}': 'search' is for ridge and gp, 'ard' for gp", learner.name));
}

}  // namespace

bool searches_lengthscale(std::string_view rule) { return rule == "search" || rule == "ard"; }

void check_learner_options(const Learner& learner, const ModelRequest& request) {
  check_strength(learner, "alpha", request.alpha);
  check_strength(learner, "C", request.C);
  if (request.balanced && learner.strength != "C")
    refuse("class_weight", "balanced", fmt::format("none: that is for logistic and svc, not '{}'", learner.name));
  if (request.components && !learner.components)
    refuse("components", fmt::format("{}", *request.components),
           fmt::format("none: that is for pca, not '{}'", learner.name));
  check_search(learner, request.lengthscale_rule);
}

}  // namespace bochner
