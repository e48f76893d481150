// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "bochner/matrix.h"
#include "bochner/model.h"
#include "models/learner.h"

namespace bochner {

std::span<const Learner> learners();

/// Targets of rows: the numbers themselves, or 1 for the class of the row and 0 for all others.
Matrix<double> target_columns(std::span<const double> y, std::size_t classes);

/// Throws std::invalid_argument for a learner that does not exist or does not serve the task; an empty name gives the
/// first learner that does.
const Learner& find_learner(std::string_view name, Task task);

/// Whether `name` is a learner of components, which implies the task `components`.
bool finds_components(std::string_view name);

}  // namespace bochner
