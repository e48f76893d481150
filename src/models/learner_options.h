// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "bochner/model.h"
#include "models/learners.h"

namespace bochner {

/// Whether a lengthscale rule uses the targets too.
bool searches_lengthscale(std::string_view rule);

/// Refuses alpha, C, class weights, components and searches that the learner does not support.
void check_learner_options(const Learner& learner, const ModelRequest& request);

}  // namespace bochner
