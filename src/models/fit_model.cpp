// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bochner/error_report.h"
#include "bochner/lengthscale.h"
#include "bochner/model.h"
#include "bochner/plan.h"
#include "bochner/registry.h"
#include "core/available_memory.h"
#include "core/errors.h"
#include "data/file_error.h"
#include "data/tensor_file.h"
#include "learners/statistics/training_data.h"
#include "models/fit_details.h"
#include "models/learner_options.h"
#include "models/learners.h"
#include "models/model_json.h"
#include "models/row_sample.h"

namespace bochner {
namespace {

/// Memory of the program, its threads and buffers.
constexpr double kBaseBytes = 48 << 20;
/// Memory of a category in the lists of the reader and of the model, with its mean and scale.
constexpr double kCategoryBytes = 512;
/// The fewest rows on which a lengthscale is searched.
constexpr std::size_t kFewestSearched = 64;

class Fitter {
 public:
  Fitter(RowSource& rows, const ModelRequest& request, const Progress& progress)
      : rows_(rows), request_(request), progress_(progress) {}

  ModelFit fit() {
    require_memory(kBaseBytes + sample_bytes(rows_.columns()));
    data::check_names(rows_.path(), rows_.names(), request_.preprocessing.drop);
    PreprocessingRequest wanted = request_.preprocessing;
    if (!wanted.task && finds_components(request_.learner)) wanted.task = Task::components;
    if (wanted.task == Task::components && wanted.holdout > 0)
      refuse("holdout", fmt::format("{}", wanted.holdout), "0: components predict nothing that could be tested");
    wanted.check = [this](const GatheredPreprocessing& known) { check_columns(known); };
    GatheredPreprocessing gathered = gather_preprocessing(rows_, wanted, progress_);
    Model& model = result_.model;
    model.preprocessing = std::move(gathered.preprocessing);
    note(fmt::format("{}: {}", task_names()[static_cast<std::size_t>(model.preprocessing.task)], gathered.reason));
    note_categories();
    if (weight_)
      note(fmt::format("rows weigh what column {} says{}", *weight_ + 1,
                       gathered.held_out > 0 ? "; those held out weigh the same" : ""));
    choose_features(gathered);
    model.facts = {{"rows", static_cast<double>(gathered.rows)}, {"held_out", static_cast<double>(gathered.held_out)}};
    Learned learned = learn(*features_, request_.C);
    note(learned.note);
    for (std::string& doubt : learned.doubts) note(std::move(doubt));
    if (request_.details) result_.details = {.alphas = learned.path, .alpha_errors = learned.errors};
    keep(std::move(learned), model);
    if (gathered.held_out > 0) judge();
    if (request_.details) look_closer(gathered.sample, gathered.held_out);
    return std::move(result_);
  }

 private:
  void note(std::string sentence) { result_.notes.push_back(std::move(sentence)); }

  /// A column of words takes more inputs than a column of numbers, and may have been meant as numbers.
  void note_categories() {
    std::string columns;
    for (const InputColumn& input : result_.model.preprocessing.inputs)
      if (!input.categories.empty())
        columns += fmt::format("{}column {}{} has {}", columns.empty() ? "" : ", ", input.position + 1,
                               input.name.empty() ? "" : fmt::format(" ({})", data::shown(input.name)),
                               input.categories.size());
    if (!columns.empty()) note("categories: " + columns);
  }

  /// Requests that do not fit the columns are refused before anything takes time or memory.
  void check_columns(const GatheredPreprocessing& known) {
    Model& model = result_.model;
    model.preprocessing = known.preprocessing;
    model.single = request_.single.value_or(rows_.single());
    learner_ = &find_learner(request_.learner, model.preprocessing.task);
    model.learner = learner_->name;
    check_learner_options(*learner_, request_);
    if (request_.details && known.held_out == 0 && !learner_->components)
      refuse("holdout", fmt::format("{}, which holds none of {} rows", request_.preprocessing.holdout, known.rows),
             "a larger part: the report shows errors on rows held out");
    training_rows_ = known.rows;
    weight_ = known.weight;
    Spec least = model.spec = request_.spec;
    data::check_header(rows_.path(), {.metadata = {{"model", model_to_json(model)}}});
    least.d = model.preprocessing.d();
    require_memory(bytes_of(least, 1));
  }

  std::size_t components() const { return learner_->components ? request_.components.value_or(2) : 0; }

  /// Whether lengthscale_rule uses the targets too.
  bool searches() const { return searches_lengthscale(request_.lengthscale_rule); }

  /// Starts from the `scale` of the rows, with the map and coupling already chosen. Uses fewer rows if memory is short.
  void search_lengthscale(const GatheredPreprocessing& gathered, Spec& spec) {
    const std::size_t classes = result_.model.preprocessing.classes.size();
    const double limit = memory() - kBaseBytes - 32 * static_cast<double>(spec.m * spec.d);
    std::size_t n = gathered.sample.rows();
    const auto fits = [&] {
      return search_bytes(static_cast<double>(n), outputs_of(spec, static_cast<double>(spec.m)),
                          static_cast<double>(std::max<std::size_t>(classes, 1))) <= limit;
    };
    while (n > kFewestSearched && !fits()) n = std::max(n / 2, kFewestSearched);
    std::vector<std::size_t> chosen(n);
    for (std::size_t i = 0; i < n; ++i) chosen[i] = i * gathered.sample.rows() / n;
    const ChosenRows rows = choose_rows<double>(gathered.sample, target_columns(gathered.sample_targets, classes),
                                                gathered.sample_weights, chosen);
    const bool columns = request_.lengthscale_rule == "ard";
    SearchedLengthscale found = named([&] {
      return learner_->search({spec, rows.X, rows.Y, rows.weights, request_.alpha, columns});
    });
    spec.lengthscale = std::move(found.values);
    note(std::move(found.note));
  }

  /// Finds the fewest directions of the map and coupling that reach the wanted error.
  void plan_directions(Spec& spec, const Matrix<double>& sample) {
    const double target = request_.target_error;
    if (spec.map == "auto") spec.map = default_map(spec.kernel);
    if (spec.coupling == "auto") spec.coupling = default_coupling(spec.kernel, spec.map);
    try {
      spec = planned<double>(spec, sample.view(), {}, target);
    } catch (const std::invalid_argument& error) {
      const std::string_view why = error.what();
      throw std::invalid_argument(fmt::format("{}{}", why.starts_with("target is ") ? "target_error" : "",
                                              why.starts_with("target is ") ? why.substr(6) : why));
    }
    const std::size_t outputs = spec.m * bochner::width(spec.map, spec.parameters);
    if (outputs > request_.max_outputs)
      refuse("target_error", fmt::format("{:.4g}", target),
             fmt::format("a larger error, or max_outputs = {} instead of {}: so many features have this error", outputs,
                         request_.max_outputs));
    note(fmt::format(
        "m {}: the fewest directions of map {}, coupling {} with a predicted error of the kernel of at most "
        "{:.4g} on {} rows",
        spec.m, spec.map, spec.coupling, target, sample.rows()));
  }

  void choose_features(const GatheredPreprocessing& gathered) {
    const Matrix<double>& sample = gathered.sample;
    Spec spec = request_.spec;
    spec.d = sample.cols();
    if (!request_.lengthscale_rule.empty()) {
      const std::string rule = searches() ? "scale" : request_.lengthscale_rule;
      spec.lengthscale = {named([&] { return lengthscale_from<double>(sample.view(), rule, spec.seed); })};
      if (!searches())
        note(fmt::format("lengthscale {:.6g}: the rule '{}' on {} rows", spec.lengthscale[0], rule, sample.rows()));
    }
    if (request_.target_error > 0) plan_directions(spec, sample);
    check_memory(spec);
    if (searches()) search_lengthscale(gathered, spec);
    features_ = make_features(spec);
    if (!features_->fitted()) {
      features_->fit(sample.view());
      note(fmt::format("missing parameters of map {} from {} rows", spec.map, sample.rows()));
    }
    result_.model.spec = features_->spec();
    Spec asked = request_.spec;
    asked.d = spec.d;
    if (lacks_parameters(asked))
      if (std::string advice = fit_advice<double>(*features_, sample.view()); !advice.empty()) note(std::move(advice));
    if (learner_->components && (components() == 0 || components() > features_->outputs()))
      refuse("components", fmt::format("{}", components()),
             fmt::format("from 1 to {}, the outputs of the features", features_->outputs()));
  }

  /// Adds the name of the file to a refusal of its rows.
  auto named(const auto& find) const -> decltype(find()) {
    try {
      return find();
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", rows_.path().string(), error.what()));
    }
  }

  static double outputs_of(const Spec& spec, double m) {
    const std::string map = spec.map == "auto" ? std::string(default_map(spec.kernel)) : spec.map;
    return m * std::max<double>(1, static_cast<double>(bochner::width(map, spec.parameters)));
  }

  double bytes_of(const Spec& spec, double m) const {
    const double d = static_cast<double>(spec.d), outputs = outputs_of(spec, m);
    const double functions = std::max<double>(1, static_cast<double>(result_.model.preprocessing.classes.size()));
    const double columns = d + static_cast<double>(rows_.columns());
    const double block = 8 * columns * static_cast<double>(rows_per_block(std::max(spec.d, rows_.columns())));
    return kBaseBytes + learner_->bytes(outputs, functions) + row_bytes() * static_cast<double>(training_rows_) +
           16 * m * d + 6 * block + 16 * 1024 * outputs + kCategoryBytes * d + sample_bytes(rows_.columns()) +
           sample_bytes(spec.d);
  }

  double sample_bytes(std::size_t columns) const {
    return 8.0 * static_cast<double>(data::sample_rows(request_.preprocessing.sample, columns) * columns);
  }

  /// With weights there are two more numbers for each row: its weight and, for a moment, the balanced weight.
  double row_bytes() const { return learner_->row_bytes * (weight_ || request_.balanced ? 3 : 1); }

  double memory() const { return static_cast<double>(request_.memory != 0 ? request_.memory : memory_left()); }

  void require_memory(double least) const {
    if (memory() < least)
      refuse("memory", fmt::format("{:.0f} MiB", memory() / (1 << 20)),
             fmt::format("at least {:.0f} MiB, for m = 1", std::ceil(least / (1 << 20))));
  }

  /// Refuses an m whose fit would take more memory than allowed, and names the largest m that would fit.
  void check_memory(const Spec& spec) const {
    const double limit = memory();
    const auto fits = [&](std::size_t m) { return bytes_of(spec, static_cast<double>(m)) <= limit; };
    if (fits(spec.m)) return;
    std::size_t low = 0, high = spec.m;
    while (high - low > 1) (fits(low + (high - low) / 2) ? low : high) = low + (high - low) / 2;
    const std::string most = fmt::format("the limit of memory is {:.0f} MiB", limit / (1 << 20));
    if (low == 0) require_memory(bytes_of(spec, 1));
    refuse("m", fmt::format("{}", spec.m), fmt::format("at most {}: {}", low, most));
  }

  /// Fits the learner to the training rows with `features`.
  Learned learn(const Features& features, std::optional<double> C) {
    const Model& model = result_.model;
    const Preprocessing& made = model.preprocessing;
    const double left = memory() - bytes_of(features.spec(), static_cast<double>(features.m()));
    const auto each = [&](const RowBlock& use, const Progress& progress) {
      for_each_row_block(
          made, model.single, rows_,
          [&](std::uint64_t number) { return !is_held_out(number, request_.preprocessing.holdout); }, progress,
          "fitting", use, weight_);
    };
    return learner_->fit({.features = features,
                          .classes = made.classes.size(),
                          .single = model.single,
                          .alpha = request_.alpha,
                          .C = C,
                          .rows = training_rows_,
                          .row_memory = left / 2,
                          .each = each,
                          .progress = progress_,
                          .balanced = request_.balanced,
                          .components = components()});
  }

  static void keep(Learned learned, Model& model) {
    model.linear = std::move(learned.model);
    model.class_weights = std::move(learned.class_weights);
    model.posterior = std::move(learned.posterior);
    model.components = std::move(learned.components);
    model.facts.merge(learned.facts);
  }

  /// Computes what a report page shows: the same fit with fewer directions, the spectrum of the kernel, single
  /// predictions.
  void look_closer(const Matrix<double>& sample, std::uint64_t held_out) {
    FitDetails& details = *result_.details;
    add_spectra(*features_, sample, details);
    if (held_out == 0) return;
    const double share = request_.preprocessing.holdout;
    for (const std::size_t m : smaller_sizes(result_.model.spec.m)) {
      Spec spec = result_.model.spec;
      spec.m = m;
      const auto features = make_features(spec);
      details.sizes.push_back({m, features->outputs(), error_with(*features, request_.C)});
    }
    details.sizes.push_back({result_.model.spec.m, features_->outputs(), error_of(result_.holdout)});
    if (learner_->strength == "C") try_other_C(details);
    if (result_.model.preprocessing.task != Task::regression) return;
    ModelPredictor predictor(std::move(result_.model));
    add_pairs(predictor, rows_, share, held_out, progress_, details);
    result_.model = std::move(predictor).take();
  }

  double error_of(const Metrics& metrics) const {
    return result_.model.preprocessing.task == Task::regression ? metrics.rmse : 1 - metrics.accuracy;
  }

  /// The error on the held-out rows of the same learner with other features or another C.
  double error_with(const Features& features, std::optional<double> C) {
    Model other;
    other.preprocessing = result_.model.preprocessing;
    other.spec = features.spec();
    other.single = result_.model.single;
    other.learner = result_.model.learner;
    keep(learn(features, C), other);
    return error_of(evaluate(ModelPredictor(std::move(other)), rows_, request_.preprocessing.holdout, progress_));
  }

  void try_other_C(FitDetails& details) {
    const double C = result_.model.facts.at("C");
    for (const double factor : {0.01, 0.1, 1.0, 10.0}) {
      details.Cs.push_back(factor * C);
      details.C_errors.push_back(factor == 1 ? error_of(result_.holdout) : error_with(*features_, factor * C));
    }
  }

  void judge() {
    ModelPredictor predictor(std::move(result_.model));
    result_.holdout = evaluate(predictor, rows_, request_.preprocessing.holdout, progress_);
    result_.model = std::move(predictor).take();
  }

  RowSource& rows_;
  const ModelRequest& request_;
  const Progress& progress_;
  const Learner* learner_ = nullptr;
  std::unique_ptr<Features> features_;
  std::uint64_t training_rows_ = 0;
  std::optional<std::size_t> weight_;
  ModelFit result_;
};

}  // namespace

ModelFit fit_model(RowSource& rows, const ModelRequest& request, const Progress& progress) {
  return Fitter(rows, request, progress).fit();
}

}  // namespace bochner
