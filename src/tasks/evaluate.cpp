// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "bochner/model.h"

namespace bochner {
namespace {

/// Sums over rows in their order.
class Judge {
 public:
  explicit Judge(const Preprocessing& preprocessing) : task_(preprocessing.task) {
    const std::size_t classes = preprocessing.classes.size();
    metrics_.confusion = Matrix<double>(classes, classes, 0.0);
  }

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
    // A target that is constant leaves nothing to explain.
    metrics_.r2 = squares_ > 0 ? 1 - metrics_.rmse / squares_ : 0;
    metrics_.rmse = std::sqrt(metrics_.rmse / n);
    metrics_.mae /= n;
    metrics_.accuracy /= n;
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
  Judge judge(preprocessing);
  PreparedRows prepared(preprocessing, rows, true);
  prepared.rewind();
  Matrix<double> X(rows_per_block(std::max(preprocessing.d(), rows.columns())), preprocessing.d());
  std::vector<double> y(X.rows());
  std::uint64_t number = 0;
  while (const std::size_t count = prepared.next(X, y)) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i, ++number) {
      if (holdout && !is_held_out(number, *holdout)) continue;
      if (kept != i) std::ranges::copy(X.view().row(i), X.view().row(kept).begin());
      y[kept++] = y[i];
    }
    const std::vector<double> found = predictor.predict(X.view().row_range(0, kept));
    for (std::size_t i = 0; i < kept; ++i) judge.add(y[i], found[i]);
    if (progress) progress(rows.share(), "evaluating");
    if (count < X.rows()) break;
  }
  return judge.take();
}

}  // namespace bochner
