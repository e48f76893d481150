// SPDX-License-Identifier: Apache-2.0
#include "bochner/attention.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bochner/array.h"
#include "bochner/features.h"
#include "bochner/refuse.h"
#include "bochner/table.h"
#include "bochner/threads.h"
#include "commands.h"
#include "defaults.h"
#include "feature_options.h"
#include "parameter_options.h"
#include "parse_number.h"

namespace bochner::cli {
namespace {

/// The arguments of the command line; numbers as they were typed.
struct Options {
  std::string q, k, v, output;
  Word mask, map, coupling, m, seed, scale, floor, threads;
  std::map<std::string, std::string> parameters;
  bool causal = false, diagnostics = false, json = false;
};

struct Result {
  AttentionReport report;
  std::string coupling;  ///< the coupling that was used, never "auto"
  std::vector<std::size_t> shape;
  const char* dtype = "";
  double seconds = 0;
};

double number_of(std::string_view option, const std::string& text) {
  const std::vector<double> numbers = parse_numbers(option, text, "a number");
  if (numbers.size() != 1) refuse(option, fmt::format("'{}'", text), "a number");
  return numbers.front();
}

AttentionOptions options_of(const Options& options) {
  AttentionOptions chosen;
  if (options.map && *options.map != "auto") chosen.map = *options.map;
  if (options.coupling) chosen.coupling = *options.coupling;
  if (options.m) chosen.m = parse_whole<std::size_t>("--m", *options.m);
  if (options.seed) chosen.seed = parse_whole<std::uint64_t>("--seed", *options.seed);
  if (options.scale) chosen.scale = number_of("--scale", *options.scale);
  if (options.floor) chosen.floor = number_of("--floor", *options.floor);
  for (const auto& [name, typed] : options.parameters) chosen.parameters.emplace(name, parse_value(typed));
  chosen.causal = options.causal;
  chosen.diagnostics = options.diagnostics;
  return chosen;
}

/// The coupling of the features.
std::string coupling_of(const AttentionOptions& options, std::size_t dim) {
  return make_features({.d = dim,
                        .kernel = kAttentionKernel,
                        .map = options.map,
                        .coupling = options.coupling,
                        .m = options.m,
                        .parameters = options.parameters})
      ->spec()
      .coupling;
}

std::string shown(const std::vector<std::size_t>& shape) { return fmt::format("({})", CLI::detail::join(shape, ", ")); }

/// Reads an array of real numbers with two to four axes, as many as q has.
Array read_heads(const std::string& file, std::size_t axes) {
  Array array = read_array(file);
  if (std::holds_alternative<Matrix<bool>>(array.values))
    throw std::invalid_argument(fmt::format("{}: has dtype bool; expected real numbers", file));
  if (array.shape.size() < 2 || array.shape.size() > 4)
    throw std::invalid_argument(
        fmt::format("{}: has shape {}; expected (length, dim), (heads, length, dim) or (batch, heads, length, dim)",
                    file, shown(array.shape)));
  if (axes != 0 && array.shape.size() != axes)
    throw std::invalid_argument(
        fmt::format("{}: has shape {}; expected {} axes, as q has", file, shown(array.shape), axes));
  return array;
}

template <class T>
Matrix<T> numbers_of(Array& array) {
  return std::visit(
      []<class Given>(Matrix<Given>& values) -> Matrix<T> {
        if constexpr (std::is_same_v<Given, T>) {
          return std::move(values);
        } else {
          Matrix<T> out(values.rows(), values.cols());
          for (std::size_t i = 0; i < values.rows() * values.cols(); ++i) {
            if constexpr (std::is_same_v<Given, Float16>)
              out.data()[i] = static_cast<T>(static_cast<float>(values.data()[i]));
            else
              out.data()[i] = static_cast<T>(values.data()[i]);
          }
          return out;
        }
      },
      array.values);
}

template <class T>
HeadsView<T> view_of(T* data, const std::vector<std::size_t>& shape) {
  std::vector<std::size_t> four(4 - shape.size(), 1);
  four.insert(four.end(), shape.begin(), shape.end());
  return {data, four[0], four[1], four[2], four[3]};
}

/// Reads one flag for each batch and key; a single row is used for every batch.
Matrix<bool> read_mask(const std::string& file, std::size_t batch, std::size_t keys) {
  const Array array = read_array(file);
  const auto* flags = std::get_if<Matrix<bool>>(&array.values);
  if (flags == nullptr)
    throw std::invalid_argument(fmt::format("{}: has numbers; expected bool, true for keys that are seen", file));
  const bool one = array.shape == std::vector{keys};
  if (!one && array.shape != std::vector{batch, keys})
    throw std::invalid_argument(fmt::format("{}: has shape {}; expected ({}, {}) (batch, keys) or ({},)", file,
                                            shown(array.shape), batch, keys, keys));
  Matrix<bool> mask(batch, keys);
  for (std::size_t b = 0; b < batch; ++b)
    std::copy_n(flags->data() + (one ? 0 : b * keys), keys, mask.data() + b * keys);
  return mask;
}

template <class T>
Result attend(const Options& options, Array& q, Array& k, Array& v, const char* dtype) {
  const Matrix<T> queries = numbers_of<T>(q), keys = numbers_of<T>(k), values = numbers_of<T>(v);
  const HeadsView<const T> Q = view_of(queries.data(), q.shape), K = view_of(keys.data(), k.shape);
  const HeadsView<const T> V = view_of(values.data(), v.shape);
  const Matrix<bool> mask = options.mask ? read_mask(*options.mask, K.batch, K.length) : Matrix<bool>();
  Array out{q.shape, Matrix<T>(queries.rows(), V.dim)};
  out.shape.back() = V.dim;
  Matrix<T>& results = std::get<Matrix<T>>(out.values);
  const auto start = std::chrono::steady_clock::now();
  Result result{attention<T>(Q, K, V, view_of(results.data(), out.shape), options_of(options), mask.view()), "",
                out.shape, dtype, 0};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.coupling = coupling_of(options_of(options), Q.dim);
  try {
    write_array(options.output, out);
  } catch (const FileError& error) {
    throw Failure(error.what());  // the name was checked before, so the disk is at fault
  }
  return result;
}

/// The 0, 0.5 and 1 quantiles.
std::array<double, 3> spread(std::vector<double> numbers) {
  if (numbers.empty()) return {};
  std::ranges::sort(numbers);
  return {numbers.front(), numbers[numbers.size() / 2], numbers.back()};
}

void print(const Options& options, const Result& result) {
  const AttentionReport& report = result.report;
  std::cout << fmt::format("{}: {} {} in {:.3f} s\n", options.output, CLI::detail::join(result.shape, " x "),
                           result.dtype, result.seconds);
  if (report.undefined_rows > 0)
    std::cout << fmt::format("{} rows have no denominator and are zeros\n", report.undefined_rows);
  if (report.floored_rows > 0)
    std::cout << fmt::format("{} rows have a denominator below its floor, {} a negative one\n", report.floored_rows,
                             report.negative_rows);
  if (!options.diagnostics) return;
  const auto [least, middle, most] = spread(report.effective_features);
  std::cout << fmt::format("effective features: {:.3g} to {:.3g}, median {:.3g}\n", least, most, middle);
  const auto [small, median, large] = spread(report.relative_error);
  std::cout << fmt::format("relative error of denominators: {:.2g} to {:.2g}, median {:.2g}\n", small, large, median);
  if (report.sampled_weights > 0)
    std::cout << fmt::format("negative weights: {} of {}\n", report.negative_weights, report.sampled_weights);
}

void print_json(const Options& options, const Result& result) {
  using nlohmann::ordered_json;
  const AttentionReport& report = result.report;
  const AttentionOptions chosen = options_of(options);
  ordered_json out = {{"map", chosen.map},
                      {"coupling", result.coupling},
                      {"m", chosen.m},
                      {"seed", chosen.seed},
                      {"causal", chosen.causal},
                      {"shape", result.shape},
                      {"dtype", result.dtype},
                      {"seconds", result.seconds},
                      {"undefined_rows", report.undefined_rows},
                      {"negative_rows", report.negative_rows},
                      {"floored_rows", report.floored_rows},
                      {"A", report.A},
                      {"out", options.output}};
  if (options.diagnostics) {
    out["effective_features"] = report.effective_features;
    out["relative_error"] = report.relative_error;
    out["negative_weights"] = report.negative_weights;
    out["sampled_weights"] = report.sampled_weights;
  }
  std::cout << out.dump(2, ' ', false, ordered_json::error_handler_t::replace) << "\n";
}

void check_files(const Options& options) {
  for (const auto& [name, file] : {std::pair{"q", &options.q}, {"k", &options.k}, {"v", &options.v}})
    if (file->empty()) throw std::invalid_argument(fmt::format("no file for {}; see 'bochner attention --help'", name));
  if (options.output.empty()) throw std::invalid_argument("no output file (--out); see 'bochner attention --help'");
  if (std::filesystem::path(options.output).extension() != ".npy")
    refuse("--out", fmt::format("'{}'", options.output), "a name that ends in .npy");
  check_output(options.output);
  std::error_code ignored;
  for (const std::string& input : {options.q, options.k, options.v, options.mask.value_or("")})
    if (std::filesystem::equivalent(input, options.output, ignored))
      refuse("--out", fmt::format("'{}'", options.output), "another file than the inputs");
}

void run(const Options& options) {
  options_of(options);
  if (options.threads) set_num_threads(parse_whole<int>("--threads", *options.threads));
  check_files(options);
  Array q = read_heads(options.q, 0), k = read_heads(options.k, q.shape.size());
  Array v = read_heads(options.v, q.shape.size());
  const auto all = [&]<class T>() {
    return std::holds_alternative<Matrix<T>>(q.values) && std::holds_alternative<Matrix<T>>(k.values) &&
           std::holds_alternative<Matrix<T>>(v.values);
  };
  const Result result = all.operator()<float>()     ? attend<float>(options, q, k, v, "float32")
                        : all.operator()<Float16>() ? attend<Float16>(options, q, k, v, "float16")
                                                    : attend<double>(options, q, k, v, "float64");
  options.json ? print_json(options, result) : print(options, result);
}

}  // namespace

void add_attention(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("attention", "Compute softmax attention by random features, in linear time");
  const auto add = [&](const char* name, auto& value, const char* type, const std::string& text) {
    command->add_option(name, value, text)->type_name(type);
  };
  add("q", options->q, "FILE", "queries: NPY file of shape (batch, heads, length, dim); leading axes may be left out");
  add("k", options->k, "FILE", "keys");
  add("v", options->v, "FILE", "values");
  add("--out", options->output, "FILE", "NPY file to write: float32 or float16 if all inputs are, else float64");
  command->add_flag("--causal", options->causal, "row t sees keys 0 to t");
  add("--mask", options->mask, "FILE", "NPY file of bool, (batch, keys) or (keys,): true for keys that are seen");
  add("--map", options->map, "NAME", "a positive map, or a hybrid, see 'bochner list' [optimal_positive]");
  add("--coupling", options->coupling, "NAME", "see 'bochner list' [auto: orthogonal, or iid where the map needs it]");
  add("--m", options->m, "NUMBER", "number of random directions [256]");
  add("--seed", options->seed, "NUMBER", "seed of every draw, 64 bits [0]");
  add("--scale", options->scale, "NUMBER", "factor of q.k [1 / sqrt(dim)]");
  add("--floor", options->floor, "NUMBER",
      "for hybrids: lower limit of the denominator, as a share of its least exact value, 0 to 1 [1]");
  add_parameter_options(*command, options->parameters);
  add("--threads", options->threads, "NUMBER", "threads [all cores]; results do not depend on it");
  command->add_flag("--diagnostics", options->diagnostics, "print how reliable the result is");
  command->add_flag("--json", options->json, "print what was done as JSON");
  command->footer(
      "Example:\n  printf '1,2\\n3,4\\n' > x.csv && bochner transform x.csv --out q.npy --m 8 && bochner attention "
      "q.npy "
      "q.npy q.npy --out o.npy --causal");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
