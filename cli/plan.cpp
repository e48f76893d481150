// SPDX-License-Identifier: Apache-2.0
#include "bochner/plan.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "bochner/refuse.h"
#include "bochner/table.h"
#include "bochner/threads.h"
#include "commands.h"
#include "header_option.h"
#include "lengthscale_option.h"
#include "parameter_options.h"
#include "parse_number.h"

namespace bochner::cli {
namespace {

using Word = std::optional<std::string>;

/// The arguments of the command line; numbers as they were typed.
struct Options {
  std::string input, keys;
  Word kernel, map, coupling, m, target, measure, lengthscale, memory, seed, threads;
  std::vector<std::string> require;
  std::map<std::string, std::string> parameters;
  HeaderOption header;
  bool equal_cost = false;
  bool all = false;
  bool json = false;
};

PlanRequest request_of(const Options& options) {
  PlanRequest request;
  if (options.kernel) request.kernel = *options.kernel;
  if (options.map) request.map = *options.map;
  if (options.coupling) request.coupling = *options.coupling;
  if (options.m && options.target) throw std::invalid_argument("--m and --target exclude each other; give one of them");
  if (!options.target) request.outputs = 2 * (options.m ? parse_whole<std::size_t>("--m", *options.m) : Spec{}.m);
  if (!options.target && request.outputs == 0) refuse("--m", "0", "a number of random directions >= 1");
  if (options.target) request.target = parse_target(*options.target);
  if (options.measure) request.measure = *options.measure;
  if (options.memory) request.memory = parse_memory("--memory", *options.memory);
  if (options.seed) request.seed = parse_whole<std::uint64_t>("--seed", *options.seed);
  request.require = options.require;
  request.equal_cost = options.equal_cost;
  request.lengthscale = typed_lengthscale(options.lengthscale);
  for (const auto& [name, typed] : options.parameters) request.parameters.emplace(name, parse_value(typed));
  return request;
}

void print_json(const Plan& made) {
  using nlohmann::ordered_json;
  ordered_json table = ordered_json::array();
  for (const Candidate& candidate : made.table)
    table.push_back({{"spec", ordered_json::parse(to_json(candidate.spec))},
                     {"outputs", candidate.outputs},
                     {"error", candidate.error},
                     {"standard_error", candidate.standard_error},
                     {"closed_form", theory::name_of(candidate.exactness)},
                     {"nanoseconds", candidate.nanoseconds},
                     {"reason", candidate.reason}});
  const ordered_json out = {{"rows", made.rows}, {"pairs", made.pairs}, {"table", table}};
  std::cout << out.dump(2) << "\n";
}

/// "--A -0.04 --block 128": the parameters of a candidate as arguments of `transform`.
std::string flags(const Spec& spec) {
  const auto parameters = nlohmann::json::parse(to_json({.d = spec.d, .parameters = spec.parameters}));
  std::string text;
  for (const auto& [name, value] : spec.parameters) {
    const auto& shown = parameters.at(name);
    if (shown.is_array() || shown.is_object()) continue;
    text += fmt::format(" --{} {}", name, shown.is_string() ? shown.get<std::string>() : shown.dump());
  }
  return text;
}

void print_table(const Options& options, const Plan& made) {
  const std::size_t most = options.all ? made.table.size() : std::min<std::size_t>(made.table.size(), 12);
  std::cout << fmt::format("{:<24} {:<17} {:>7} {:>8} {:>11} {:>9}  {}\n", "map", "coupling", "m", "outputs",
                           "rms error", "ns/row", "closed form");
  for (std::size_t i = 0; i < most; ++i) {
    const Candidate& line = made.table[i];
    std::cout << fmt::format("{:<24} {:<17} {:>7} {:>8} {:>11.4g} {:>9.0f}  {}\n", line.spec.map, line.spec.coupling,
                             line.spec.m, line.outputs, line.error, line.nanoseconds, theory::name_of(line.exactness));
  }
  if (most < made.table.size()) std::cout << fmt::format("and {} more (--all)\n", made.table.size() - most);
  const Candidate& best = made.best();
  const auto& sigma = best.spec.lengthscale;
  std::cout << fmt::format(
      "\n{} pairs of {} rows were looked at; {}. To use it:\n  bochner transform {} --kernel {} --map {} --coupling {} "
      "--m {} --lengthscale {}{}{} --out features.npy\n",
      made.pairs, made.rows, best.reason, options.input, best.spec.kernel, best.spec.map, best.spec.coupling,
      best.spec.m, CLI::detail::join(sigma, ","), flags(best.spec), options.header.flag());
}

/// Plans for both files as tables with the same kind of number.
Plan plan_of(const Options& options, const PlanRequest& request, const Table& input, const std::optional<Table>& keys) {
  try {
    return std::visit(
        [&](const auto& X) {
          using T = std::remove_cvref_t<decltype(X(0, 0))>;
          if (!keys) return plan<T>(X.view(), {}, request);
          const auto* Y = std::get_if<Matrix<T>>(&keys->values);
          if (Y == nullptr) refuse("--keys", options.keys, "a file of the same kind of numbers as the input");
          return plan<T>(X.view(), Y->view(), request);
        },
        input.values);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", options.input, error.what()));
  }
}

void run(const Options& options) {
  if (options.input.empty()) throw std::invalid_argument("no input file; see 'bochner plan --help'");
  PlanRequest request = request_of(options);
  if (options.threads) set_num_threads(parse_whole<int>("--threads", *options.threads));
  const Header header = options.header.asked();
  const Table input = read_table(options.input, header);
  const auto keys = options.keys.empty() ? std::nullopt : std::optional<Table>(read_table(options.keys, header));
  if (asks_data(options.lengthscale))
    request.lengthscale = {lengthscale_of(*options.lengthscale, input, options.input, request.seed)};
  const Plan made = plan_of(options, request, input, keys);
  if (options.json)
    print_json(made);
  else
    print_table(options, made);
}

}  // namespace

void add_plan(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plan", "Rank all mechanisms by their predicted error on a file");
  const auto add = [&](const char* name, auto& value, const char* type, const std::string& text) {
    command->add_option(name, value, text)->type_name(type);
  };
  const PlanRequest defaults;
  add("input", options->input, "FILE", "CSV or NPY file, one row per point");
  add("--keys", options->keys, "FILE", "rows of the other side [the input]");
  add("--kernel", options->kernel, "NAME", fmt::format("kernel, see 'bochner list' [{}]", defaults.kernel));
  add("--map", options->map, "NAME", "only rank mechanisms with this map [auto: all]");
  add("--coupling", options->coupling, "NAME", "only rank mechanisms with this coupling [auto: all]");
  add("--lengthscale", options->lengthscale, "NUMBERS", lengthscale_help());
  add("--m", options->m, "NUMBER", fmt::format("every candidate has 2 m outputs [{}]", Spec{}.m));
  add("--target", options->target, "ERROR", "instead of --m: the fewest outputs that reach this rms error");
  add("--measure", options->measure, "NAME",
      fmt::format("{} [{}]", CLI::detail::join(plan_measures(), ", "), defaults.measure));
  add("--require", options->require, "NAMES", CLI::detail::join(plan_constraints(), ", "));
  command->get_option("--require")->delimiter(',');
  add("--memory", options->memory, "BYTES", "memory limit for W, such as 512M or 2G [what the machine has]");
  add("--seed", options->seed, "NUMBER", "seed of the sample and of the features [0]");
  add("--threads", options->threads, "NUMBER", "threads [all cores]; results do not depend on it");
  add_parameter_options(*command, options->parameters, true);
  add_header_option(*command, options->header);
  command->add_flag("--equal-cost", options->equal_cost, "compare candidates at equal time instead of equal outputs");
  command->add_flag("--all", options->all, "print all candidates");
  command->add_flag("--json", options->json, "print the plan as JSON");
  command->footer("Example:\n  printf '0.1,0.2\\n0.3,0.4\\n0.9,0.1\\n' > points.csv && bochner plan points.csv --m 64");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
