// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "bochner/model.h"
#include "models/row_blocks.h"

namespace bochner {
namespace {

/// Sums over rows in their order.
class Judge {
 public:
  explicit Judge(const Preprocessing& preprocessing) : task_(preprocessing.task) {
    const std::size_t classes = preprocessing.classes.size();
    metrics_.confusion = Matrix<double>(classes, classes, 0.0);
  }

  /// Adds -log p of the class of a row. This is separate because few models have probabilities.
  void add_probability(double p) { metrics_.log_loss = metrics_.log_loss.value_or(0) - std::log(std::max(p, 0x1p-52)); }

  void add(double truth, double found) {
    ++metrics_.rows;
    if (task_ == Task::classification) {
      metrics_.confusion(static_cast<std::size_t>(truth), static_cast<std::size_t>(found)) += 1;
      metrics_.accuracy += truth == found ? 1 : 0;
      return;
    }
    const double error = found - truth, delta = truth - mean_;
    metrics_.rmse += error * error;
    metrics_.mae += std::fabs(error);
    mean_ += delta / static_cast<double>(metrics_.rows);
    squares_ += delta * (truth - mean_);
  }

  Metrics take() {
    const double n = std::max(static_cast<double>(metrics_.rows), 1.0);
    // A constant target leaves nothing to explain.
    metrics_.r2 = squares_ > 0 ? 1 - metrics_.rmse / squares_ : 0;
    metrics_.rmse = std::sqrt(metrics_.rmse / n);
    metrics_.mae /= n;
    metrics_.accuracy /= n;
    if (metrics_.log_loss) *metrics_.log_loss /= n;
    return std::move(metrics_);
  }

 private:
  Task task_;
  Metrics metrics_;
  double mean_ = 0, squares_ = 0;
};

}  // namespace

Metrics evaluate(const ModelPredictor& predictor, RowSource& rows, std::optional<double> holdout,
                 const Progress& progress) {
  const Preprocessing& preprocessing = predictor.model().preprocessing;
  predictor.require_predictions();
  Judge judge(preprocessing);
  const bool likely = predictor.without_probabilities().empty();
  for_each_row_block(
      preprocessing, predictor.model().single, rows,
      [&](std::uint64_t number) { return !holdout || is_held_out(number, *holdout); }, progress, "evaluating",
      [&](const PreparedBlock& block) {
        const std::vector<double> found = predictor.predict(block.X);
        const Matrix<double> p = likely ? predictor.probabilities(block.X) : Matrix<double>();
        for (std::size_t i = 0; i < block.y.size(); ++i) {
          judge.add(block.y[i], found[i]);
          if (likely) judge.add_probability(p(i, static_cast<std::size_t>(block.y[i])));
        }
      });
  return judge.take();
}

}  // namespace bochner
