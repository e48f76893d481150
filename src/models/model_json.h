// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "bochner/model.h"

namespace bochner {

/// Everything of a model but its numbers of which there are many (weights, intercept, mean, scale, fill).
std::string model_to_json(const Model& model);

/// The inverse. Throws std::invalid_argument for anything that model_to_json does not write. Inputs take 72 bytes each
/// and the text may claim a million of them in a few: once all else is known, `check` gets the model without inputs,
/// how many there will be, and d. It throws where the numbers of the model are not as many.
Model model_from_json(std::string_view text,
                      const std::function<void(Model& model, std::size_t inputs, std::size_t d)>& check);

}  // namespace bochner
