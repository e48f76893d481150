// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "bochner/model.h"

namespace bochner {

/// Everything in a model except its long lists of numbers (weights, intercept, mean, scale, fill).
std::string model_to_json(const Model& model);

/// The inverse. Throws std::invalid_argument for anything that model_to_json does not write. Each input takes 72 bytes,
/// and a few bytes of text may claim a million of them: so once all else is known, `check` gets the model without
/// inputs, the number of inputs and d, and throws if the model does not have as many numbers.
Model model_from_json(std::string_view text,
                      const std::function<void(Model& model, std::size_t inputs, std::size_t d)>& check);

}  // namespace bochner
