// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "bochner/model.h"

namespace bochner {

/// Everything of a model but its numbers of which there are many (weights, intercept, mean, scale, fill).
std::string model_to_json(const Model& model);

/// The inverse. Throws std::invalid_argument for anything that model_to_json does not write.
Model model_from_json(std::string_view text);

}  // namespace bochner
