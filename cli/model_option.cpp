// SPDX-License-Identifier: Apache-2.0
#include "model_option.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bochner/refuse.h"
#include "bochner/threads.h"
#include "parse_number.h"

namespace bochner::cli {
namespace {

void check_memory(const ModelOptions& options, const Model& model) {
  const double limit = static_cast<double>(parse_memory("--memory", *options.memory));
  if (const double least = prediction_bytes(model); least > limit)
    refuse("--memory", fmt::format("'{}'", *options.memory),
           fmt::format("at least {:.0f}M, which {} needs", std::ceil(least / (1 << 20)), options.model));
}

}  // namespace

void add_model_options(CLI::App& command, ModelOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* type, const std::string& text) {
    command.add_option(name, value, text)->type_name(type);
  };
  add("model", options.model, "MODEL", "model file that 'bochner fit' wrote");
  add("input", options.input, "FILE", "rows: CSV, NPY, LIBSVM or idx, also with .gz");
  add("--threads", options.threads, "NUMBER", "threads [all cores]; results do not depend on it");
  add("--memory", options.memory, "BYTES", "memory limit, such as 512M or 2G [what the machine has]");
  add_header_option(command, options.header);
}

ModelPredictor open_model(const ModelOptions& options, const char* command) {
  if (options.model.empty()) throw std::invalid_argument(fmt::format("no model; see 'bochner {} --help'", command));
  if (options.input.empty())
    throw std::invalid_argument(fmt::format("no input file; see 'bochner {} --help'", command));
  if (options.threads) set_num_threads(parse_whole<int>("--threads", *options.threads));
  Model model = load_model(options.model);
  if (model.components && std::string_view(command) != "transform")
    throw std::invalid_argument(fmt::format(
        "{}: principal components predict nothing; 'bochner transform' writes the scores of rows", options.model));
  if (options.memory) check_memory(options, model);
  try {
    return ModelPredictor(std::move(model));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", options.model, error.what()));
  }
}

void check_other_file(const std::string& option, const std::string& output, const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::equivalent(input, output, ignored))
    refuse(option, fmt::format("'{}'", output), "another file than the input");
}

nlohmann::ordered_json metrics_json(const Metrics& metrics, const Preprocessing& preprocessing) {
  if (preprocessing.task == Task::regression)
    return {{"rows", metrics.rows}, {"rmse", metrics.rmse}, {"mae", metrics.mae}, {"r2", metrics.r2}};
  nlohmann::ordered_json confusion = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < metrics.confusion.rows(); ++i) {
    const auto row = metrics.confusion.view().row(i);
    confusion.push_back(std::vector<std::uint64_t>(row.begin(), row.end()));
  }
  return {{"rows", metrics.rows},
          {"accuracy", metrics.accuracy},
          {"log_loss", metrics.log_loss ? nlohmann::ordered_json(*metrics.log_loss) : nlohmann::ordered_json()},
          {"classes", preprocessing.classes},
          {"confusion", confusion}};
}

std::string metrics_text(const Metrics& metrics, const Preprocessing& preprocessing) {
  if (preprocessing.task == Task::regression)
    return fmt::format("rmse {:.6g}, mae {:.6g}, R2 {:.4f}", metrics.rmse, metrics.mae, metrics.r2);
  return fmt::format("accuracy {:.4f}{}", metrics.accuracy,
                     metrics.log_loss ? fmt::format(", log loss {:.4f}", *metrics.log_loss) : "");
}

}  // namespace bochner::cli
