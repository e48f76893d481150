// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "bochner/registry.h"
#include "bochner/table.h"
#include "bochner/threads.h"
#include "commands.h"
#include "defaults.h"
#include "demo/pictures.h"
#include "demo/report.h"
#include "make_folder.h"
#include "parse_number.h"
#include "progress_bar.h"

namespace bochner::cli {
namespace {

struct Options {
  std::string out = "bochner-demo";
  std::string pictures;
  std::string seed = "0";
  double effort = 1;
  bool json = false;
};

/// Shares of the studies in the running time, for the progress bar.
constexpr double kGramShare = 0.1, kErrorShare = 0.5, kDistanceShare = 0.2, kRidgeShare = 0.18, kModelShare = 0.02;

DemoReport run_studies(const std::filesystem::path& folder, std::uint64_t seed, double effort) {
  ProgressBar bar;
  double before = 0;
  const auto stage = [&](double share, const char* what) -> Progress {
    bar.show(before, what);
    const double start = before;
    before += share;
    return [&bar, start, share, what](double done) { bar.show(start + share * done, what); };
  };
  DemoReport report;
  report.seed = seed;
  report.threads = num_threads();
  report.gram = study_gram(seed, stage(kGramShare, "Gram matrices"));
  report.errors = study_errors(kPageKernels, kPageMaps, seed, effort, stage(kErrorShare, "error against m"));
  report.distance = study_distance(kDistanceMaps, DistanceStudy::Scope::exact, seed, effort,
                                   stage(kDistanceShare, "error against distance"));
  report.ridge = study_ridge(seed, stage(kRidgeShare, "ridge regression"));
  report.model = study_model(folder, seed, stage(kModelShare, "a model of a file"));
  return report;
}

void print_tables(const DemoReport& report) {
  for (const ReportTable& table :
       {gram_table(report), error_table(report), equal_outputs_table(report), distance_table(report),
        ridge_table(report), sizes_table(report), model_table(report)})
    std::cout << to_text(table) << "\n";
}

std::vector<std::string> names_of(std::span<const Entry> entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.emplace_back(entry.name);
  return names;
}

bool measures(const ErrorStudy& study, const std::string& kernel, const std::string& coupling) {
  return std::ranges::any_of(study.mechanisms, [&](const ErrorStudy::Mechanism& mechanism) {
    return mechanism.kernel == kernel && mechanism.coupling == coupling;
  });
}

/// Writes single pictures for the documentation.
void write_pictures(const std::filesystem::path& folder, std::uint64_t seed, double effort) {
  make_folder(folder);
  const auto write = [&](const std::string& name, const svg::Picture& picture) {
    write_bytes(folder / (name + ".svg"), svg::standalone(svg::draw(picture)));
  };
  ProgressBar bar;
  const ErrorStudy errors = study_errors(names_of(kernels()), names_of(maps()), seed, effort,
                                         [&](double done) { bar.show(done / 2, "error against m"); });
  for (const std::string& kernel : kernels_of(errors))
    for (const std::string& map : maps_of(errors, kernel))
      write(fmt::format("error-{}-{}", kernel, map), errors_of_map(errors, kernel, map));
  // The error of a hybrid is not a function of one distance.
  std::vector<std::string> plain = names_of(maps());
  std::erase_if(plain, [](const std::string& name) { return name.starts_with("hybrid"); });
  const DistanceStudy distance = study_distance(plain, DistanceStudy::Scope::all, seed, effort, [&](double done) {
    bar.show(0.5 + done / 2, "error against distance");
  });
  for (const Entry& coupling : couplings()) {
    const std::string name(coupling.name);
    for (const std::string& kernel : kernels_of(errors))
      if (measures(errors, kernel, name))
        write(fmt::format("error-{}-{}", kernel, name), errors_of_coupling(errors, kernel, name));
    write(fmt::format("distance-{}", name), distance_of_coupling(distance, name));
  }
  write("distance", errors_by_distance(distance));
  write("outputs", errors_by_outputs(errors, kPageKernels));
}

void run(const Options& options) {
  const auto seed = parse_whole<std::uint64_t>("--seed", options.seed);
  if (!options.pictures.empty()) return write_pictures(options.pictures, seed, options.effort);
  make_folder(options.out);
  const DemoReport report = run_studies(options.out, seed, options.effort);
  const auto page = std::filesystem::path(options.out) / "report.html";
  write_bytes(page, demo_page(report));
  if (options.json) {
    std::cout << demo_json(report);
    return;
  }
  print_tables(report);
  std::cout << "The same with pictures: " << page.string() << "\n";
}

}  // namespace

void add_demo(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("demo", "Show random features at work on embedded data, in an HTML page with pictures");
  command->add_option("--out", options->out, "folder for the page and the files it mentions, made if missing")
      ->type_name("FOLDER")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of data and draws")->type_name("NUMBER")->capture_default_str();
  command->add_flag("--json", options->json, "print all numbers as JSON");
  // For maintainers of documentation and tests, so it is not in the help.
  command->add_option("--pictures", options->pictures, "write single pictures instead of the page")->group("");
  command->add_option("--effort", options->effort, "share of the draws, for tests")
      ->check(CLI::Range(0.0, 1.0))
      ->group("");
  command->footer("Example:\n  bochner demo --out bochner-demo");
  command->callback([options] { run(*options); });
}

}  // namespace bochner::cli
