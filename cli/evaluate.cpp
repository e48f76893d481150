// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bochner/model.h"
#include "commands.h"
#include "model_option.h"
#include "progress_bar.h"

namespace bochner::cli {
namespace {

void run(const ModelOptions& options) {
  const ModelPredictor predictor = open_model(options, "evaluate");
  const Preprocessing& preprocessing = predictor.model().preprocessing;
  const auto rows = open_rows(options.input, read_options(preprocessing, options.header.asked()));
  ProgressBar bar;
  const Metrics metrics =
      evaluate(predictor, *rows, {}, [&](double share, std::string_view what) { bar.show(share, std::string(what)); });
  if (metrics.rows == 0) throw FileError(fmt::format("{}: has no rows; expected at least one", options.input));
  if (options.json)
    std::cout
        << metrics_json(metrics, preprocessing).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
        << "\n";
  else
    std::cout << fmt::format("{} rows: {}\n", metrics.rows, metrics_text(metrics, preprocessing));
}

}  // namespace

void add_evaluate(CLI::App& app) {
  const auto options = std::make_shared<ModelOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Compare a model's predictions with the target in a file");
  add_model_options(*command, *options);
  command->add_flag("--json", options->json, "print the errors as JSON");
  command->footer(
      "Example:\n  for i in 0 1 2 3 4 5 6 7 8 9; do echo $i.5,$((i * i)); done > rows.csv && bochner fit rows.csv "
      "--target 2 --model square.safetensors --m 64 && bochner evaluate square.safetensors rows.csv");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
