// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/lengthscale.h"
#include "bochner/model.h"
#include "bochner/refuse.h"
#include "bochner/threads.h"
#include "commands.h"
#include "feature_options.h"
#include "header_option.h"
#include "lengthscale_option.h"
#include "model_option.h"
#include "parse_number.h"
#include "progress_bar.h"
#include "report/fit_page.h"

namespace bochner::cli {
namespace {

/// The arguments of the command line; numbers as they were typed.
struct Options {
  std::string input, model, target, report, weight;
  FeatureOptions features;
  HeaderOption header;
  Word task, learner, alpha, C, class_weight, components, error, max_outputs, holdout, memory, threads;
  std::vector<std::string> drop, categorical;
  bool no_standardise = false, impute = false, float32 = false, float64 = false, json = false;
};

/// A model of 1024 features is small, and can be fitted to a million rows in a minute.
Spec default_spec() {
  Spec spec;
  spec.m = 512;
  return spec;
}

std::optional<Task> task_of(const Options& options) {
  if (!options.task || options.task == "auto") return std::nullopt;
  const auto names = task_names();
  if (const auto found = std::ranges::find(names, *options.task); found != names.end())
    return static_cast<Task>(found - names.begin());
  refuse_name("task", *options.task, std::array<std::string_view, 4>{"auto", names[0], names[1], names[2]});
}

bool finds_components(const Options& options) {
  const auto names = learner_names(Task::components);
  return task_of(options) == Task::components ||
         (options.learner && std::ranges::find(names, *options.learner) != names.end());
}

/// Components are not tested, so they may have all rows.
double holdout_of(const Options& options) {
  if (options.holdout)
    return parse_one("--holdout", *options.holdout, "a number >= 0 and < 1",
                     [](double part) { return part >= 0 && part < 1; });
  return finds_components(options) ? 0 : 0.1;
}

bool is_positive(double value) { return value > 0; }

ModelRequest request_of(const Options& options) {
  ModelRequest request;
  const bool searches = options.features.lengthscale == "search" || options.features.lengthscale == "ard";
  FeatureOptions features = options.features;
  if (searches) features.lengthscale.reset();
  request.spec = spec_of(features, default_spec());
  if ((options.features.m == "auto") != options.error.has_value())
    throw std::invalid_argument("--error ERROR and --m auto need each other: the error decides m");
  if (options.error) request.target_error = parse_one("--error", *options.error, "an error > 0", is_positive);
  if (options.max_outputs) {
    if (!options.error)
      throw std::invalid_argument("--max-outputs bounds --m auto; give --error ERROR and --m auto with it");
    request.max_outputs = parse_whole<std::size_t>("--max-outputs", *options.max_outputs);
  }
  if (options.features.lengthscale)
    request.lengthscale_rule = searches || asks_data(options.features.lengthscale) ? *options.features.lengthscale : "";
  if (options.learner) request.learner = *options.learner;
  if (options.alpha)
    request.alpha = parse_one("--alpha", *options.alpha, "a finite number >= 0", [](double a) { return a >= 0; });
  if (options.C) request.C = parse_one("--C", *options.C, "a finite number > 0", is_positive);
  if (options.class_weight) {
    if (*options.class_weight != "balanced")
      refuse("--class-weight", fmt::format("'{}'", *options.class_weight), "'balanced'");
    request.balanced = true;
  }
  if (options.components) request.components = parse_whole<std::size_t>("--components", *options.components);
  if (options.memory) request.memory = parse_memory("--memory", *options.memory);
  if (options.float32 && options.float64) throw std::invalid_argument("--float32 and --float64 exclude each other");
  if (options.float32 || options.float64) request.single = options.float32;
  PreprocessingRequest& rows = request.preprocessing;
  rows.target = options.target;
  rows.weight = options.weight;
  rows.task = task_of(options);
  rows.drop = options.drop;
  rows.categorical = options.categorical;
  rows.standardise = !options.no_standardise;
  rows.impute = options.impute;
  rows.holdout = holdout_of(options);
  rows.seed = request.spec.seed;
  request.details = !options.report.empty();
  return request;
}

void print_json(const Options& options, const ModelFit& result, double seconds) {
  using nlohmann::ordered_json;
  const Model& model = result.model;
  ordered_json out = {{"model", options.model},
                      {"task", task_names()[static_cast<std::size_t>(model.preprocessing.task)]},
                      {"learner", model.learner},
                      {"dtype", model.single ? "float32" : "float64"},
                      {"spec", ordered_json::parse(to_json(model.spec))},
                      {"inputs", model.preprocessing.inputs.size()},
                      {"d", model.preprocessing.d()},
                      {"outputs", model.linear.weights.cols()},
                      {"facts", model.facts},
                      {"notes", result.notes},
                      {"holdout", nullptr},
                      {"seconds", seconds}};
  if (model.components) out["explained_variance"] = model.components->explained_variance;
  if (result.details) out["report"] = options.report;
  if (result.holdout.rows > 0) out["holdout"] = metrics_json(result.holdout, model.preprocessing);
  std::cout << out.dump(2, ' ', false, ordered_json::error_handler_t::replace) << "\n";
}

/// "0.31, 0.12, ...": no more numbers than fit into a line.
std::string first_numbers(const std::vector<double>& values) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t k = 0; k < std::min(values.size(), kShown); ++k)
    text += fmt::format("{}{:.4g}", k == 0 ? "" : ", ", values[k]);
  return values.size() > kShown ? text + ", ..." : text;
}

void print_text(const Options& options, const ModelFit& result, double seconds) {
  const Model& model = result.model;
  std::cout << fmt::format("{}: {} of {} outputs on {} rows of {} inputs (d = {}), {} in {:.2f} s\n", options.model,
                           model.learner, model.linear.weights.cols(), model.facts.at("rows"),
                           model.preprocessing.inputs.size(), model.preprocessing.d(),
                           model.single ? "float32" : "float64", seconds);
  for (const std::string& note : result.notes) std::cout << "  " << note << "\n";
  std::cout << fmt::format("  features: kernel {}, map {}, coupling {}, m {}\n", model.spec.kernel, model.spec.map,
                           model.spec.coupling, model.spec.m);
  if (model.components)
    std::cout << "  variance along each: " << first_numbers(model.components->explained_variance) << "\n";
  if (result.holdout.rows > 0)
    std::cout << fmt::format("held out {} rows: {}\n", result.holdout.rows,
                             metrics_text(result.holdout, model.preprocessing));
  if (result.details) std::cout << fmt::format("pictures: {}\n", options.report);
}

/// Checks the report before the fit, as far as that is possible.
void check_report(const Options& options, const ModelRequest& request) {
  if (request.preprocessing.holdout == 0 && !finds_components(options))
    throw std::invalid_argument("--report shows errors on rows held out, and --holdout is 0; expected a part > 0");
  check_other_file("--report", options.report, options.input);
  check_model_target(options.report);
  const auto place = [](const std::string& file) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file));
  };
  if (place(options.report) == place(options.model))
    refuse("--report", fmt::format("'{}'", options.report), "another file than the model");
}

void run(const Options& options) {
  const ModelRequest request = request_of(options);
  if (options.input.empty()) throw std::invalid_argument("no input file; see 'bochner fit --help'");
  if (options.model.empty()) throw std::invalid_argument("no model to write (--model); see 'bochner fit --help'");
  if (options.threads) set_num_threads(parse_whole<int>("--threads", *options.threads));
  check_other_file("--model", options.model, options.input);
  check_model_target(options.model);
  if (!options.report.empty()) check_report(options, request);
  const auto start = std::chrono::steady_clock::now();
  const auto rows =
      open_rows(options.input, {.header = options.header.asked(), .words = true, .missing = options.impute});
  ModelFit result;
  try {
    ProgressBar bar;
    result =
        fit_model(*rows, request, [&](double share, std::string_view what) { bar.show(share, std::string(what)); });
  } catch (const std::invalid_argument& error) {
    std::string why = error.what();
    if (!why.starts_with("target_error is ")) throw;
    why.replace(0, std::string_view("target_error").size(), "--error");  // the names of the options on the command line
    constexpr std::string_view kMost = "max_outputs = ";
    if (const auto at = why.find(kMost); at != std::string::npos) why.replace(at, kMost.size(), "--max-outputs ");
    throw std::invalid_argument(why);
  }
  try {
    save_model(options.model, result.model);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (result.details) write_bytes(options.report, fit_page(options.input, result, passed.count()));
  } catch (const FileError& error) {
    throw Failure(error.what());  // the name was checked before, so the disk is at fault
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (options.json)
    print_json(options, result, elapsed.count());
  else
    print_text(options, result, elapsed.count());
}

void add_options(CLI::App& command, Options& options) {
  const auto add = [&](const char* name, auto& value, const char* type, const std::string& text) {
    return command.add_option(name, value, text)->type_name(type);
  };
  add("input", options.input, "FILE", "rows: CSV, NPY, LIBSVM or idx, also with .gz");
  add("--target", options.target, "COLUMN",
      "what to predict: a name, or a number from 1 where columns have no names [the label of LIBSVM and idx]");
  add("--model", options.model, "FILE", "file to write");
  add("--report", options.report, "FILE",
      "HTML page to write: errors, choices and reasons; takes as long as the fit, four times with logistic and svc");
  add("--task", options.task, "NAME", "auto, regression, classification or components [auto: by the target]");
  add("--learner", options.learner, "NAME",
      fmt::format("for numbers: {}; for classes: {} [the first]; without a target: {}",
                  CLI::detail::join(learner_names(Task::regression), ", "),
                  CLI::detail::join(learner_names(Task::classification), ", "),
                  CLI::detail::join(learner_names(Task::components), ", ")));
  add("--alpha", options.alpha, "NUMBER", "penalty of ridge [chosen by 5 folds]");
  add("--C", options.C, "NUMBER", "weight of the losses relative to the penalty, for logistic and svc [1]");
  add("--class-weight", options.class_weight, "NAME",
      "balanced: all classes have the same total weight (logistic and svc)");
  add("--components", options.components, "NUMBER", "number of principal components of pca [2]");
  add("--weight", options.weight, "COLUMN", "column with weights >= 0 of the rows, which is not an input [all 1]");
  add("--holdout", options.holdout, "PART", "part of the rows used only to test the model [0.1]");
  add("--drop", options.drop, "COLUMNS", "columns to leave out of the inputs")->delimiter(',');
  add("--categorical", options.categorical, "COLUMNS", "columns to treat as categories, even if they hold numbers")
      ->delimiter(',');
  add("--memory", options.memory, "BYTES", "memory limit, such as 512M or 2G [what the machine has]");
  add("--threads", options.threads, "NUMBER", "threads [all cores]; results do not depend on it");
  add("--error", options.error, "ERROR", "with --m auto: wanted root mean square error of the kernel");
  add("--max-outputs", options.max_outputs, "NUMBER",
      fmt::format("with --m auto: largest number of features for --error [{}]", ModelRequest{}.max_outputs));
  add_feature_options(command, options.features, default_spec(), "--error",
                      fmt::format("one, or one per input separated by commas, or from the rows: {} [scale], search "
                                  "(ridge, gp) or ard (gp), which also look at the target",
                                  CLI::detail::join(lengthscale_rules(), ", ")),
                      false);
  command.add_flag("--no-standardise", options.no_standardise, "do not scale columns to mean 0 and deviation 1");
  command.add_flag("--impute", options.impute,
                   "replace missing numbers by the mean of the column, missing words by the most frequent one");
  add_header_option(command, options.header);
  command.add_flag("--float32", options.float32, "compute features in float32 [if the file stores float32]");
  command.add_flag("--float64", options.float64, "compute features in float64 [otherwise]");
  command.add_flag("--json", options.json, "print what was done as JSON");
}

}  // namespace

void add_fit(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("fit", "Fit a model to the rows of a file, in bounded memory");
  add_options(*command, *options);
  command->footer(
      "Example:\n  for i in 0 1 2 3 4 5 6 7 8 9; do echo $i.5,$((i * i)); done > rows.csv && bochner fit rows.csv "
      "--target 2 --model square.safetensors --m 64");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
