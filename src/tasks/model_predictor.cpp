// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>

#include "bochner/model.h"
#include "tasks/single_rows.h"

namespace bochner {

ModelPredictor::ModelPredictor(Model model) : model_(std::move(model)), features_(make_features(model_.spec)) {}
ModelPredictor::~ModelPredictor() = default;
ModelPredictor::ModelPredictor(ModelPredictor&&) noexcept = default;
ModelPredictor& ModelPredictor::operator=(ModelPredictor&&) noexcept = default;

Matrix<double> ModelPredictor::scores(MatrixView<const double> X) const {
  if (!model_.single) return bochner::predict(*features_, model_.linear, X);
  return bochner::predict(*features_, model_.linear, single_rows(X).view());
}

std::vector<double> ModelPredictor::predict(MatrixView<const double> X) const {
  const Matrix<double> found = scores(X);
  std::vector<double> out(X.rows());
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const auto row = found.view().row(i);
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
