// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model_option.h"

namespace bochner::cli {

/// Writes the features that a model computes from the rows of a file.
void transform_by_model(const ModelOptions& options, const std::string& output);

}  // namespace bochner::cli
