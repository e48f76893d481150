// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "bochner/gram.h"
#include "bochner/linear_classifier.h"
#include "bochner/model.h"
#include "learners/single_rows.h"
#include "models/learners.h"

namespace bochner {

double prediction_bytes(const Model& model) {
  constexpr double kProgramAndBlocks = 128 << 20;
  const auto outputs = static_cast<double>(model.linear.weights.cols());
  const std::size_t rows = model.linear.weights.rows() + (model.posterior ? model.posterior->directions.rows() : 0);
  const double W = 16 * static_cast<double>(model.spec.m) * static_cast<double>(model.spec.d);
  const double scratch = 16 * 1024;  // a few rows of features for every thread
  return kProgramAndBlocks + W + (16 * static_cast<double>(rows) + scratch) * outputs;
}

ModelPredictor::ModelPredictor(Model model) : model_(std::move(model)), features_(make_features(model_.spec)) {}
ModelPredictor::~ModelPredictor() = default;
ModelPredictor::ModelPredictor(ModelPredictor&&) noexcept = default;
ModelPredictor& ModelPredictor::operator=(ModelPredictor&&) noexcept = default;

Matrix<double> ModelPredictor::functions(MatrixView<const double> X) const {
  if (!model_.single) return bochner::predict(*features_, model_.linear, X);
  return bochner::predict(*features_, model_.linear, single_rows(X).view());
}

Matrix<double> ModelPredictor::scores(MatrixView<const double> X) const {
  Matrix<double> found = functions(X);
  if (model_.preprocessing.task != Task::classification || found.cols() > 1) return found;
  Matrix<double> both(X.rows(), 2);
  for (std::size_t i = 0; i < X.rows(); ++i) {
    both(i, 0) = -found(i, 0);
    both(i, 1) = found(i, 0);
  }
  return both;
}

void ModelPredictor::require_predictions() const {
  if (model_.preprocessing.task == Task::components)
    throw std::invalid_argument(
        fmt::format("the learner '{}' predicts nothing: rows have scores along its components", model_.learner));
}

std::string ModelPredictor::without_probabilities() const {
  if (model_.preprocessing.task != Task::classification)
    return fmt::format("probabilities are those of classes; the model is a {}",
                       model_.preprocessing.task == Task::regression ? "regression" : "set of components");
  if (find_learner(model_.learner, Task::classification).loss) return "";
  if (model_.learner != "nadaraya_watson")
    return fmt::format(
        "the learner '{}' has no probabilities; expected logistic, or nadaraya_watson with a positive map",
        model_.learner);
  try {
    features_->transform_scaled(MatrixView<const double>(nullptr, 0, features_->d()),
                                MatrixView<double>(nullptr, 0, features_->outputs()), {});
    return "";
  } catch (const std::invalid_argument&) {
    return fmt::format(
        "the map '{}' has negative features, whose scores are no probabilities; expected a positive map, or logistic",
        model_.spec.map);
  }
}

Matrix<double> ModelPredictor::probabilities(MatrixView<const double> X) const {
  if (const std::string reason = without_probabilities(); !reason.empty()) throw std::invalid_argument(reason);
  if (const auto& loss = find_learner(model_.learner, Task::classification).loss)
    return class_probabilities(functions(X), *loss);
  return class_shares(functions(X), model_.class_weights);
}

PredictiveVariance ModelPredictor::variances(MatrixView<const double> X, bool noise) const {
  if (!model_.posterior)
    throw std::invalid_argument(
        fmt::format("the learner '{}' has no standard deviations; expected gp", model_.learner));
  PredictiveVariance found = model_.single ? predictive_variance(*features_, *model_.posterior, single_rows(X).view())
                                           : predictive_variance(*features_, *model_.posterior, X);
  const double scale = model_.posterior->y_scale.at(0);
  for (std::size_t i = 0; noise && i < X.rows(); ++i)
    found.values(i, 0) += scale * scale * model_.posterior->noise_variance;
  return found;
}

std::vector<double> ModelPredictor::predict(MatrixView<const double> X) const {
  require_predictions();
  const Matrix<double> found = scores(X);
  std::vector<double> out(X.rows());
  for (std::size_t i = 0; i < X.rows(); ++i) {
    std::span<const double> row = found.view().row(i);
    // As in class_shares: far from every row the class weights decide.
    const bool none = std::ranges::all_of(row, [](double score) { return score == 0; });
    if (none && model_.class_weights.size() == row.size()) row = model_.class_weights;
    out[i] = model_.preprocessing.task == Task::regression
                 ? row[0]
                 : static_cast<double>(std::ranges::max_element(row) - row.begin());
  }
  return out;
}

Matrix<double> ModelPredictor::transform(MatrixView<const double> X) const {
  Matrix<double> out(X.rows(), features_->outputs());
  if (!model_.single) {
    features_->transform(X, out.view());
    return out;
  }
  Matrix<float> Z(X.rows(), features_->outputs());
  features_->transform(single_rows(X).view(), Z.view());
  std::copy_n(Z.data(), Z.rows() * Z.cols(), out.data());
  return out;
}

}  // namespace bochner
