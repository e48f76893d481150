// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bochner/features.h"
#include "bochner/registry.h"
#include "reference/bug.h"
#include "reference/couplings.h"
#include "reference/maps.h"

namespace bochner::reference {

/// Features by the plain formulas in scalar double, one row after the other, with one bug planted if wanted.
class ReferenceFeatures final : public Features {
 public:
  ReferenceFeatures(const Spec& spec, Bug bug) : spec_(spec), used_(spec), bug_(bug), W_(0, 0), key_W_(0, 0) {
    if (bug == Bug::count_rounded_up) used_.m = (spec.m + 3) / 4 * 4;
    if (bug == Bug::seed_truncated) used_.seed = static_cast<std::uint32_t>(spec.seed);
    W_ = reference::directions(used_, bug);
    b_ = reference::turns(used_, bug);
    norms_ = reference::squared_norms(used_, W_, bug);
    if (bug != Bug::sides_differ) return;
    Spec other = used_;
    other.seed ^= 0x5bd1e995u;
    key_W_ = reference::directions(other, bug);
  }

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override { fill(X, Z, side); }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override { fill(X, Z, side); }
  Matrix<double> directions() const override {
    Matrix<double> copy(W_.rows(), W_.cols());
    std::copy_n(W_.data(), W_.rows() * W_.cols(), copy.data());
    return copy;
  }
  std::size_t outputs() const override { return width(used_.map, used_.parameters) * used_.m; }
  bool symmetric() const override { return !is_complex_map(used_.map); }
  const Spec& spec() const override { return spec_; }

 private:
  template <class T>
  void fill(MatrixView<const T> X, MatrixView<T> Z, Side side) const {
    const bool other = bug_ == Bug::sides_differ && side == Side::key;
    for (std::size_t i = 0; i < X.rows(); ++i) {
      std::vector<double> x(X.row(i).begin(), X.row(i).end());
      if (bug_ == Bug::rows_feel_their_batch) x[0] += 1e-6 * static_cast<double>(X(0, 0));
      const std::vector<double> phi = features(used_, other ? key_W_.view() : W_.view(), b_, x, bug_, norms_, side);
      for (std::size_t j = 0; j < phi.size(); ++j) Z(i, j) = static_cast<T>(phi[j]);
    }
  }

  Spec spec_;
  Spec used_;
  Bug bug_;
  Matrix<double> W_;
  Matrix<double> key_W_;
  std::vector<double> b_;
  std::vector<double> norms_;
};

inline std::unique_ptr<Features> make_features(const Spec& spec, Bug bug = Bug::none) {
  return std::make_unique<ReferenceFeatures>(spec, bug);
}

}  // namespace bochner::reference
