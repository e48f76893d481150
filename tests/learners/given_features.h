// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "bochner/features.h"

namespace bochner::test {

/// Features given by a formula phi_j(x), so that a task can be tested apart from any random draw.
class GivenFeatures final : public Features {
 public:
  using Formula = std::function<double(std::span<const double> x, std::size_t j)>;

  GivenFeatures(std::size_t d, std::size_t outputs, Formula formula, bool symmetric = true)
      : outputs_(outputs), symmetric_(symmetric), formula_(std::move(formula)) {
    spec_.d = d;
    spec_.m = outputs;
    spec_.map = "given";
  }

  void transform(MatrixView<const float>, MatrixView<float>, Side) const override {}
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side) const override {
    for (std::size_t i = 0; i < X.rows(); ++i)
      for (std::size_t j = 0; j < outputs_; ++j) Z(i, j) = formula_(X.row(i), j);
  }
  Matrix<double> directions() const override { return {}; }
  std::size_t outputs() const override { return outputs_; }
  bool symmetric() const override { return symmetric_; }
  const Spec& spec() const override { return spec_; }

 private:
  Spec spec_;
  std::size_t outputs_;
  bool symmetric_;
  Formula formula_;
};

}  // namespace bochner::test
