// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bochner/kernel_ridge.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "features/scratch.h"
#include "learners/statistics/training_data.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

/// Rows whose features one thread holds at once: 64 x 4096 floats are 1 MB.
constexpr std::size_t kRows = 64;

void require_model(const Features& features, const LinearModel& model) {
  if (model.weights.cols() != features.outputs())
    refuse("model", fmt::format("{} weights per function", model.weights.cols()),
           fmt::format("{}, the outputs of the features", features.outputs()));
  if (model.intercept.size() != model.weights.rows())
    refuse("model", fmt::format("{} intercepts", model.intercept.size()),
           fmt::format("{}, one for each function", model.weights.rows()));
}

template <class T>
Matrix<double> predict_rows(const Features& features, const LinearModel& model, MatrixView<const T> X) {
  require_model(features, model);
  require_rows<T>(features, X);
  const std::size_t outputs = features.outputs(), functions = model.weights.rows();
  Matrix<double> result(X.rows(), functions);
  parallel_for(X.rows(), kRows, [&](std::size_t first, std::size_t last) {
    Scratch<T> memory((last - first) * outputs);
    Scratch<double> row_memory(outputs);
    const MatrixView<T> Z(memory.data(), last - first, outputs);
    const std::span<double> row(row_memory.data(), outputs);
    features.transform(X.row_range(first, last), Z);
    for (std::size_t i = first; i < last; ++i) {
      std::copy_n(Z.row(i - first).data(), outputs, row.data());
      for (std::size_t t = 0; t < functions; ++t)
        result(i, t) = model.intercept[t] + simd::dot<double>(row, model.weights.view().row(t));
    }
  });
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t t = 0; t < functions; ++t)
      if (!std::isfinite(result(i, t)))
        throw std::invalid_argument(
            fmt::format("X has a prediction beyond the range of double at row {}; expected a shorter row beside the "
                        "lengthscale, or a model on a bounded map",
                        i));
  return result;
}

}  // namespace

Matrix<double> predict(const Features& features, const LinearModel& model, MatrixView<const float> X) {
  return predict_rows<float>(features, model, X);
}

Matrix<double> predict(const Features& features, const LinearModel& model, MatrixView<const double> X) {
  return predict_rows<double>(features, model, X);
}

}  // namespace bochner
