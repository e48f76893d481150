// SPDX-License-Identifier: Apache-2.0
#include "models/classifier_learner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "bochner/row_source.h"
#include "bochner/threads.h"
#include "learners/classifier/classifier_objective.h"

namespace bochner {
namespace {

/// Reports progress while the method runs: the share of the way from the first gradient to the wanted one, in
/// logarithms, and the number of the pass.
class Way {
 public:
  explicit Way(const Progress& progress) : progress_(progress) {}

  void step(std::size_t steps, std::size_t passes, double excess) {
    if (passes == 1) first_ = excess;
    const double done = first_ > 1 && excess > 1 ? 1 - std::log(excess) / std::log(first_) : 1;
    share_ = std::max(share_, done);
    text_ = fmt::format("step {}, pass {}: gradient {:.2g} times the tolerance", steps, passes, excess);
    if (progress_) progress_(share_, text_);
  }
  void pass(double share) const {
    if (progress_) progress_(share_, fmt::format("{}; next pass {:.0f} %", text_, 100 * share));
  }

 private:
  const Progress& progress_;
  double first_ = 0, share_ = 0;
  std::string text_ = "step 0";
};

/// The training rows in the form that the classifier needs.
template <class T>
class Rows {
 public:
  Rows(const LearnerRequest& request, const Way& way)
      : request_(request),
        way_(way),
        kept_(bytes_of(request) <= request.row_memory),
        rows_(kept_ ? request.rows : part_rows(request.features.d()), request.features.d()) {
    labels_.reserve(request.rows);
    std::size_t filled = 0;
    const auto gather = [&](const PreparedBlock& block) {
      labels_.insert(labels_.end(), block.y.begin(), block.y.end());
      weights_.insert(weights_.end(), block.weights.begin(), block.weights.end());
      require_same(labels_.size() <= request.rows);
      for (std::size_t i = 0; kept_ && i < block.X.rows(); ++i) copy(block.X.row(i), filled++);
    };
    request.each(gather, request.progress);
    require_same(labels_.size() == request.rows);
    if (request.balanced) weights_ = balanced_weights(labels_, request.classes, weights_);
  }

  bool kept() const { return kept_; }
  double mebibytes() const { return bytes_of(request_) / 0x1p20; }
  LabelledRows rows() {
    if (kept_) return {request_.features, MatrixView<const T>(rows_), labels_, weights_};
    return {request_.features, RowPass([this](const auto& use) { read_again(use); }), labels_, weights_};
  }

 private:
  static double bytes_of(const LearnerRequest& request) {
    return static_cast<double>(request.rows) * static_cast<double>(request.features.d()) * sizeof(T);
  }
  static std::size_t part_rows(std::size_t d) {
    return std::max(kClassifierBlock, rows_per_block(d) / kClassifierBlock * kClassifierBlock);
  }

  static void require_same(bool same) {
    if (!same) throw std::runtime_error("the number of rows changed while they were read again and again");
  }

  void copy(std::span<const double> from, std::size_t to) {
    std::ranges::transform(from, rows_.view().row(to).begin(), [](double value) { return static_cast<T>(value); });
  }

  void read_again(const auto& use) {
    std::size_t first = 0, filled = 0;
    const auto flush = [&] {
      if (filled > 0) use(first, MatrixView<const T>(rows_).row_range(0, filled));
      first += std::exchange(filled, 0);
    };
    const auto take = [&](const PreparedBlock& block) {
      for (std::size_t i = 0; i < block.X.rows(); ++i) {
        require_same(first + filled < labels_.size());
        copy(block.X.row(i), filled++);
        if (filled == rows_.rows()) flush();
      }
    };
    request_.each(take, [&](double share, std::string_view) { way_.pass(share); });
    flush();
    require_same(first == labels_.size());
  }

  const LearnerRequest& request_;
  const Way& way_;
  bool kept_;
  Matrix<T> rows_;
  std::vector<std::int64_t> labels_;
  std::vector<double> weights_;  ///< empty for ones
};

template <class T>
Learned fit_rows(const LearnerRequest& request, ClassifierLoss loss) {
  Way way(request.progress);
  Rows<T> rows(request, way);
  LinearClassifierOptions options;
  options.progress = [&](std::size_t steps, std::size_t passes, double excess) { way.step(steps, passes, excess); };
  options.loss = loss;
  if (request.C) options.C = *request.C;
  // a quarter more is for what points remember
  options.cache_bytes =
      std::min(options.cache_bytes, static_cast<std::size_t>(std::max(0.8 * request.row_memory, 0.0)));
  LinearClassifierFit fit = fit_labelled_rows(rows.rows(), request.classes, options);
  Learned learned{.model = std::move(fit.model),
                  .facts = {{"C", options.C},
                            {"objective", fit.objective},
                            {"gradient", fit.gradient},
                            {"steps", static_cast<double>(fit.iterations)},
                            {"passes", static_cast<double>(fit.passes)},
                            {"converged", fit.reached ? 1.0 : 0.0}}};
  learned.note =
      fmt::format("C {:.4g}{}{}: {} after {} steps of Newton's method in {} passes over rows {}", options.C,
                  request.C ? ", as asked" : ", not tuned", request.balanced ? ", all classes weighing the same" : "",
                  fit.reached ? "converged" : "not converged", fit.iterations, fit.passes,
                  rows.kept() ? "kept in memory"
                              : fmt::format("read again each time; to keep them takes {:.0f} MiB", rows.mebibytes()));
  return learned;
}

}  // namespace

Learned fit_classifier(const LearnerRequest& request, ClassifierLoss loss) {
  return request.single ? fit_rows<float>(request, loss) : fit_rows<double>(request, loss);
}

double classifier_bytes(double outputs, double functions) {
  const double size = (outputs + 1) * functions, sums = std::max(std::min(64 * size, 0x1p22), size);
  return 8 * (2 * sums + 16 * size + kClassifierBlock * (outputs + kTileColumns) * num_threads());
}

}  // namespace bochner
