// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "commands.h"
#include "model_option.h"
#include "progress_bar.h"

namespace bochner::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string output;
  bool scores = false, probabilities = false, deviations = false;
};

double number_of(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The columns that are written: the prediction and, on request, its standard deviation, or a score or a probability
/// for each class.
class Columns {
 public:
  Columns(const ModelPredictor& predictor, const Options& options) : predictor_(predictor), options_(options) {
    const Preprocessing& made = predictor.model().preprocessing;
    if (made.number_classes)
      for (const std::string& name : made.classes) numbers_.push_back(number_of(name));
    columns_.push_back({"prediction", made.number_classes ? std::vector<std::string>{} : made.classes});
    if (options.deviations) {
      if (!predictor.model().posterior)
        throw std::invalid_argument(
            fmt::format("--std is that of learner gp; the model is '{}'", predictor.model().learner));
      columns_.push_back({"std", {}});
    }
    if (options.scores) add_classes("score:");
    if (options.probabilities) {
      if (const std::string reason = predictor.without_probabilities(); !reason.empty())
        throw std::invalid_argument("--probabilities: " + reason);
      add_classes("probability:");
    }
  }

  const std::vector<RowWriter::Column>& list() const { return columns_; }

  /// How many variances so far were below 0 by rounding.
  std::size_t clamped() const { return clamped_; }

  Matrix<double> of(MatrixView<const double> X) {
    Matrix<double> out(X.rows(), columns_.size());
    const std::vector<double> found = predictor_.predict(X);
    for (std::size_t i = 0; i < X.rows(); ++i)
      out(i, 0) = numbers_.empty() ? found[i] : numbers_[static_cast<std::size_t>(found[i])];
    std::size_t next = 1;
    const auto add = [&](MatrixView<const double> values) {
      for (std::size_t i = 0; i < X.rows(); ++i)
        std::ranges::copy(values.row(i), out.view().row(i).begin() + static_cast<std::ptrdiff_t>(next));
      next += values.cols();
    };
    if (options_.deviations) {
      PredictiveVariance found_variance = predictor_.variances(X);
      clamped_ += found_variance.clamped;
      for (std::size_t i = 0; i < X.rows(); ++i) found_variance.values(i, 0) = std::sqrt(found_variance.values(i, 0));
      add(found_variance.values.view());
    }
    if (options_.scores) add(predictor_.scores(X));
    if (options_.probabilities) add(predictor_.probabilities(X));
    return out;
  }

 private:
  void add_classes(const std::string& prefix) {
    const Preprocessing& made = predictor_.model().preprocessing;
    if (made.task == Task::regression)
      throw std::invalid_argument("--scores are those of classes; the model is a regression");
    for (const std::string& name : made.classes) columns_.push_back({prefix + name, {}});
  }

  const ModelPredictor& predictor_;
  const Options& options_;
  std::vector<double> numbers_;  ///< the names of the classes, if they are numbers
  std::vector<RowWriter::Column> columns_;
  std::size_t clamped_ = 0;
};

std::uint64_t predict_rows(const ModelPredictor& predictor, Columns& columns, RowSource& rows, RowWriter& writer) {
  const Preprocessing& made = predictor.model().preprocessing;
  PreparedRows prepared(made, rows, false, predictor.model().single);
  Matrix<double> X(rows_per_block(std::max(made.d(), rows.columns())), made.d());
  ProgressBar bar;
  std::uint64_t done = 0;
  while (const std::size_t count = prepared.next(X)) {
    writer.write(columns.of(X.view().row_range(0, count)));
    done += count;
    bar.show(rows.share(), "predicting");
    if (count < X.rows()) break;
  }
  writer.commit();
  return done;
}

void run(const Options& options) {
  if (options.model.json && options.output.empty())
    throw std::invalid_argument("--json tells what was written; give --out FILE with it");
  if (!options.output.empty()) check_output(options.output);
  const ModelPredictor predictor = open_model(options.model, "predict");
  Columns columns(predictor, options);
  const auto rows =
      open_rows(options.model.input, read_options(predictor.model().preprocessing, options.model.header.asked()));
  if (options.output.empty()) {
    RowWriter writer(std::cout, "standard output", columns.list());
    predict_rows(predictor, columns, *rows, writer);
    return;
  }
  check_other_file("--out", options.output, options.model.input);
  check_other_file("--out", options.output, options.model.model);
  RowWriter writer(options.output, columns.list());
  const std::uint64_t n = predict_rows(predictor, columns, *rows, writer);
  nlohmann::ordered_json told = {{"out", options.output}, {"n", n}, {"columns", columns.list().size()}};
  if (options.deviations) told["clamped"] = columns.clamped();
  if (options.model.json)
    std::cout << told.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  else
    std::cout << fmt::format("{}: {} predictions\n", options.output, n);
}

}  // namespace

void add_predict(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("predict", "Predict the target for the rows of a file");
  add_model_options(*command, options->model);
  command->add_option("--out", options->output, "CSV or NPY file to write [CSV to standard output]")->type_name("FILE");
  command->add_flag("--scores", options->scores, "write the score of each class too");
  command->add_flag("--probabilities", options->probabilities,
                    "write the probability of each class too (logistic; nadaraya_watson with a positive map)");
  command->add_flag("--std", options->deviations, "write the standard deviation of the predicted function too (gp)");
  command->add_flag("--json", options->model.json, "with --out: print what was written as JSON");
  command->footer(
      "Example:\n  for i in 0 1 2 3 4 5 6 7 8 9; do echo $i.5,$((i * i)); done > rows.csv && bochner fit rows.csv "
      "--target 2 --model square.safetensors --m 64 && bochner predict square.safetensors rows.csv");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
