// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bochner/error_report.h"
#include "bochner/features.h"
#include "bochner/plan.h"
#include "bochner/refuse.h"
#include "bochner/registry.h"
#include "bochner/table.h"
#include "bochner/threads.h"
#include "commands.h"
#include "feature_options.h"
#include "header_option.h"
#include "lengthscale_option.h"
#include "parse_number.h"
#include "progress_bar.h"
#include "transform_model.h"

namespace bochner::cli {
namespace {

/// The arguments of the command line; numbers as they were typed.
struct Options {
  std::string input, output;
  Word model;
  FeatureOptions features;
  Word target, threads, memory;
  std::string side = "query";
  HeaderOption header;
  bool float32 = false;
  bool json = false;
};

struct Result {
  Spec spec;
  std::size_t n = 0;
  std::size_t outputs = 0;
  const char* dtype = "";
  std::string note;    ///< advice about the fit
  double seconds = 0;  ///< time to draw W and to transform, without files
};

/// The error that --m auto has to reach; 0 if m is a number.
double target_of(const Options& options) {
  if ((options.features.m == "auto") != options.target.has_value())
    throw std::invalid_argument("--target ERROR and --m auto need each other: the error decides m");
  return options.target ? parse_target(*options.target) : 0;
}

Side side_of(const Options& options) {
  if (options.side == "query") return Side::query;
  if (options.side == "key") return Side::key;
  refuse_name("side", options.side, std::array<std::string_view, 2>{"query", "key"});
}

std::size_t outputs_of(const Spec& spec) {
  const std::size_t known = width(spec.map == "auto" ? default_map(spec.kernel) : spec.map, spec.parameters);
  const std::size_t per_direction = std::max<std::size_t>(known, 1);
  const std::size_t most = std::numeric_limits<std::size_t>::max() / per_direction;
  return std::clamp<std::size_t>(spec.m, 1, most) * per_direction;
}

void check_files(const Options& options, const Spec& spec) {
  if (options.input.empty()) throw std::invalid_argument("no input file; see 'bochner transform --help'");
  if (options.output.empty()) throw std::invalid_argument("no output file (--out); see 'bochner transform --help'");
  check_output(options.output, outputs_of(spec));
  check_other_file("--out", options.output, options.input);
}

/// Finds what is missing. If `judged`, returns advice on it, even where a plan has found the parameters already.
template <class T>
std::string fitted_to(Features& features, const Matrix<T>& X, bool judged) {
  if (X.rows() == 0) return "";
  features.fit(X.view());
  return judged ? fit_advice<T>(features, X.view()) : "";
}

/// Uses blocks of rows short enough for a smooth progress bar; features do not depend on how rows are split.
template <class T>
void transform_rows(const Features& features, MatrixView<const T> X, MatrixView<T> Z, Side side) {
  constexpr std::size_t kNumbersPerBlock = std::size_t{1} << 22;
  const std::size_t block = std::max<std::size_t>(kNumbersPerBlock / features.outputs(), 192);
  ProgressBar bar;
  for (std::size_t first = 0; first < X.rows(); first += block) {
    const std::size_t last = std::min(first + block, X.rows());
    try {
      features.transform(X.row_range(first, last), Z.row_range(first, last), side);
    } catch (const std::invalid_argument&) {
      features.transform(X, Z, side);  // its message counts the row from the first row of the file
      throw;
    }
    bar.show(static_cast<double>(last) / static_cast<double>(X.rows()), "transform");
  }
}

template <class T>
Table transform_table(const Features& features, const Options& options, const Matrix<T>& X) {
  Matrix<T> Z(X.rows(), features.outputs());
  try {
    transform_rows<T>(features, X.view(), Z.view(), side_of(options));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", options.input, error.what()));
  }
  Table table{std::move(Z), {}};
  for (std::size_t j = 0; j < features.outputs(); ++j) table.columns.push_back(fmt::format("phi{}", j));
  return table;
}

Matrix<float> to_float32(const Options& options, const Matrix<double>& X) {
  Matrix<float> out(X.rows(), X.cols());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.cols(); ++j) {
      if (std::abs(X(i, j)) > std::numeric_limits<float>::max())
        throw std::invalid_argument(fmt::format(
            "{}: X has {} at row {}, column {}; expected a number that float32 holds", options.input, X(i, j), i, j));
      out(i, j) = static_cast<float>(X(i, j));
    }
  return out;
}

void write_result(const Options& options, const Table& table) {
  try {
    write_table(options.output, table);
  } catch (const FileError& error) {
    throw Failure(error.what());  // the name was checked before, so the disk is at fault
  }
}

void print(const Options& options, const Result& result) {
  if (!options.json) {
    std::string chosen =
        asks_data(options.features.lengthscale)
            ? fmt::format(", lengthscale {:.6g} ({})", result.spec.lengthscale.front(), *options.features.lengthscale)
            : "";
    if (options.features.asks_plan())
      chosen +=
          fmt::format(", planned: map {}, coupling {}, m {}", result.spec.map, result.spec.coupling, result.spec.m);
    std::cout << fmt::format("{}: {} x {} {} in {:.3f} s{}\n", options.output, result.n, result.outputs, result.dtype,
                             result.seconds, chosen);
    if (!result.note.empty()) std::cout << fmt::format("  note: {}\n", result.note);
    return;
  }
  using nlohmann::ordered_json;
  ordered_json notes = ordered_json::array();
  if (!result.note.empty()) notes.push_back(result.note);
  const ordered_json out = {{"spec", ordered_json::parse(to_json(result.spec))},
                            {"n", result.n},
                            {"d", result.spec.d},
                            {"outputs", result.outputs},
                            {"dtype", result.dtype},
                            {"side", options.side},
                            {"notes", notes},
                            {"seconds", result.seconds},
                            {"out", options.output}};
  std::cout << out.dump(2, ' ', false, ordered_json::error_handler_t::replace) << "\n";
}

void run_model(const Options& options) {
  if (options.features.any() || options.target || options.float32)
    throw std::invalid_argument("--model has its own kernel, map, coupling, m, seed, lengthscale and precision");
  if (options.side != "query") throw std::invalid_argument("--side is query for rows that a model is to predict");
  if (options.output.empty()) throw std::invalid_argument("no output file (--out); see 'bochner transform --help'");
  transform_by_model({*options.model, options.input, options.threads, options.memory, options.header, options.json},
                     options.output);
}

void run(const Options& options) {
  if (options.model) return run_model(options);
  if (options.memory) throw std::invalid_argument("--memory needs --model: without it the whole file is in memory");
  Spec spec = spec_of(options.features);
  side_of(options);
  const double target = target_of(options);
  if (options.threads) set_num_threads(parse_whole<int>("--threads", *options.threads));
  check_files(options, spec);

  Table input = read_table(options.input, options.header.asked());
  if (const auto* X = std::get_if<Matrix<double>>(&input.values); X != nullptr && options.float32)
    input.values = to_float32(options, *X);
  spec.d = std::visit([](const auto& X) { return X.cols(); }, input.values);
  if (asks_data(options.features.lengthscale))
    spec.lengthscale = {lengthscale_of(*options.features.lengthscale, input, options.input, spec.seed)};

  const bool judged = lacks_parameters(spec);
  if (options.features.asks_plan())
    spec = std::visit([&](const auto& X) { return planned(spec, X.view(), {}, target); }, input.values);
  const auto start = std::chrono::steady_clock::now();
  const auto features = make_features(spec);
  const std::string note = std::visit([&](const auto& X) { return fitted_to(*features, X, judged); }, input.values);
  const Table table = std::visit([&](const auto& X) { return transform_table(*features, options, X); }, input.values);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  write_result(options, table);
  const std::size_t n = std::visit([](const auto& X) { return X.rows(); }, input.values);
  const bool is_float = std::holds_alternative<Matrix<float>>(input.values);
  print(options, {features->spec(), n, features->outputs(), is_float ? "float32" : "float64", note, elapsed.count()});
}

}  // namespace

void add_transform(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("transform", "Map the rows of a file to random features");
  const auto add = [&](const char* name, auto& value, const char* type, const std::string& text) {
    command->add_option(name, value, text)->type_name(type);
  };
  add("input", options->input, "FILE", "CSV or NPY file, one row per point");
  add("--out", options->output, "FILE", "CSV or NPY file to write");
  add("--model", options->model, "FILE",
      "features of a model that 'bochner fit' wrote, or scores of its pca, instead of those below");
  add("--target", options->target, "ERROR", "with --m auto: wanted root mean square error of the kernel");
  add_feature_options(*command, options->features, Spec{}, "--target", lengthscale_help(), true);
  add("--threads", options->threads, "NUMBER", "threads [all cores]; results do not depend on it");
  add("--side", options->side, "NAME", "query or key [query]");
  add("--memory", options->memory, "BYTES", "with --model: memory limit, such as 512M [what the machine has]");
  command->add_flag("--float32", options->float32, "compute and write float32 (always so for an NPY file of float32)");
  add_header_option(*command, options->header);
  command->add_flag("--json", options->json, "print what was done as JSON");
  command->footer(
      "Example:\n  printf '0.1,0.2\\n0.3,0.4\\n' > points.csv && bochner transform points.csv --out features.npy --m "
      "64");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
