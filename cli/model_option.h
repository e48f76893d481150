// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "bochner/model.h"
#include "header_option.h"

namespace bochner::cli {

/// The options that commands with a model have in common.
struct ModelOptions {
  std::string model, input;
  std::optional<std::string> threads, memory;
  HeaderOption header = {};
  bool json = false;
};

void add_model_options(CLI::App& command, ModelOptions& options);

/// Sets the threads and loads the model, if it fits into the memory allowed; a refusal names the file.
ModelPredictor open_model(const ModelOptions& options, const char* command);

/// Refuses an output that is the same file as the input or the model.
void check_other_file(const std::string& option, const std::string& output, const std::string& input);

nlohmann::ordered_json metrics_json(const Metrics& metrics, const Preprocessing& preprocessing);
/// "rmse 0.5, mae 0.4, R2 0.9".
std::string metrics_text(const Metrics& metrics, const Preprocessing& preprocessing);

}  // namespace bochner::cli
