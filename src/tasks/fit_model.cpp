// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bochner/lengthscale.h"
#include "bochner/model.h"
#include "bochner/plan.h"
#include "bochner/registry.h"
#include "core/available_memory.h"
#include "core/errors.h"
#include "tasks/learners.h"

namespace bochner {
namespace {

/// The program, its threads and buffers.
constexpr double kBaseBytes = 48 << 20;

class Fitter {
 public:
  Fitter(RowSource& rows, const ModelRequest& request, const Progress& progress)
      : rows_(rows), request_(request), progress_(progress) {}

  ModelFit fit() {
    GatheredPreprocessing gathered = gather_preprocessing(rows_, request_.preprocessing, progress_);
    Model& model = result_.model;
    model.preprocessing = std::move(gathered.preprocessing);
    model.single = request_.single.value_or(rows_.single());
    note(fmt::format("{}: {}", task_names()[static_cast<std::size_t>(model.preprocessing.task)], gathered.reason));
    learner_ = &find_learner(request_.learner, model.preprocessing.task);
    model.learner = learner_->name;
    choose_features(gathered.sample);
    model.facts = {{"rows", static_cast<double>(gathered.rows)}, {"held_out", static_cast<double>(gathered.held_out)}};
    learn();
    if (gathered.held_out > 0) judge();
    return std::move(result_);
  }

 private:
  void note(std::string sentence) { result_.notes.push_back(std::move(sentence)); }

  void choose_features(const Matrix<double>& sample) {
    Spec spec = request_.spec;
    spec.d = sample.cols();
    if (!request_.lengthscale_rule.empty()) {
      spec.lengthscale = {lengthscale_of(sample, spec.seed)};
      note(fmt::format("lengthscale {:.6g}: the rule '{}' on {} rows", spec.lengthscale[0], request_.lengthscale_rule,
                       sample.rows()));
    }
    if (request_.plan || request_.target_error > 0) {
      spec = planned<double>(spec, sample.view(), {}, request_.target_error);
      note(fmt::format("map {}, coupling {}, m {}: the least predicted error of the kernel on {} rows", spec.map,
                       spec.coupling, spec.m, sample.rows()));
    }
    check_memory(spec);
    features_ = make_features(spec);
    if (!features_->fitted()) {
      features_->fit(sample.view());
      note(fmt::format("missing parameters of map {} from {} rows", spec.map, sample.rows()));
    }
    result_.model.spec = features_->spec();
  }

  /// A refusal of the rows says from which file they came.
  double lengthscale_of(const Matrix<double>& sample, std::uint64_t seed) const {
    try {
      return lengthscale_from<double>(sample.view(), request_.lengthscale_rule, seed);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(fmt::format("{}: {}", rows_.path().string(), error.what()));
    }
  }

  double bytes_of(const Spec& spec, double m) const {
    const std::string map = spec.map == "auto" ? std::string(default_map(spec.kernel)) : spec.map;
    const auto d = static_cast<double>(spec.d), width = static_cast<double>(bochner::width(map, spec.parameters));
    const double outputs = m * std::max(width, 1.0);
    const double functions = std::max<double>(1, static_cast<double>(result_.model.preprocessing.classes.size()));
    const double columns = d + static_cast<double>(rows_.columns());
    const double block = 8 * columns * static_cast<double>(rows_per_block(rows_.columns()));
    return kBaseBytes + learner_->bytes(outputs, functions) + 16 * m * d + 6 * block + 16 * 1024 * outputs +
           16000 * std::min(d, 8192.0);
  }

  /// Refuses an m for which the fit would take more memory than there may be, and names the largest that does not.
  void check_memory(const Spec& spec) const {
    const double limit = static_cast<double>(request_.memory != 0 ? request_.memory : available_memory());
    const auto fits = [&](std::size_t m) { return bytes_of(spec, static_cast<double>(m)) <= limit; };
    if (fits(spec.m)) return;
    std::size_t low = 0, high = spec.m;
    while (high - low > 1) (fits(low + (high - low) / 2) ? low : high) = low + (high - low) / 2;
    const std::string most = fmt::format("the limit of memory is {:.0f} MiB", limit / (1 << 20));
    if (low == 0)
      refuse("memory", fmt::format("{:.0f} MiB", limit / (1 << 20)),
             fmt::format("at least {:.0f} MiB, for m = 1", std::ceil(bytes_of(spec, 1) / (1 << 20))));
    refuse("m", fmt::format("{}", spec.m), fmt::format("at most {}: {}", low, most));
  }

  void learn() {
    Model& model = result_.model;
    const Preprocessing& made = model.preprocessing;
    PreparedRows prepared(made, rows_, true);
    const std::size_t functions = made.task == Task::regression ? 1 : made.classes.size();
    Learned learned = learner_->fit({*features_, functions, made.task, model.single, request_.alpha,
                                     [&](const RowBlock& use) { each(prepared, use); }});
    model.linear = std::move(learned.model);
    model.facts.merge(learned.facts);
    note(learned.note);
  }

  /// Rows that are not held out, block by block.
  void each(PreparedRows& prepared, const RowBlock& use) {
    const std::size_t d = result_.model.preprocessing.d();
    Matrix<double> X(rows_per_block(std::max(d, rows_.columns())), d);
    std::vector<double> y(X.rows());
    std::uint64_t number = 0;
    prepared.rewind();
    while (const std::size_t count = prepared.next(X, y)) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if (is_held_out(number++, request_.preprocessing.holdout)) continue;
        if (kept != i) std::ranges::copy(X.view().row(i), X.view().row(kept).begin());
        y[kept++] = y[i];
      }
      use(X.view().row_range(0, kept), std::span(y).first(kept));
      if (progress_) progress_(rows_.share(), "fitting");
      if (count < X.rows()) break;
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
  ModelFit result_;
};

}  // namespace

ModelFit fit_model(RowSource& rows, const ModelRequest& request, const Progress& progress) {
  return Fitter(rows, request, progress).fit();
}

}  // namespace bochner
