// SPDX-License-Identifier: Apache-2.0
#include "features/hybrids/hybrid_indicator.h"

#include <algorithm>
#include <vector>

#include "core/kmeans.h"
#include "core/parallel.h"
#include "features/check.h"
#include "features/row_origin.h"

namespace bochner {
namespace {

constexpr std::size_t kRowsPerBlock = 256;

Matrix<double> copy_of(MatrixView<const double> A) {
  Matrix<double> copy(A.rows(), A.cols());
  for (std::size_t i = 0; i < A.rows(); ++i) std::ranges::copy(A.row(i), copy.view().row(i).begin());
  return copy;
}

class NearestIndicator final : public Features {
 public:
  NearestIndicator(const Spec& like, MatrixView<const double> query_centres, MatrixView<const double> key_centres,
                   std::size_t query, std::size_t key)
      : spec_(like),
        inverse_(inverse_lengthscale(like.lengthscale, like.d)),
        query_centres_(copy_of(query_centres)),
        key_centres_(copy_of(key_centres)),
        query_(query),
        key_(key) {
    spec_.kernel = "composed";
    spec_.map = "nearest_indicator";
    spec_.parameters.clear();
  }

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override {
    transform_as<float>(X, Z, side);
  }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override {
    transform_as<double>(X, Z, side);
  }
  Matrix<double> directions() const override { return {0, spec_.d}; }
  std::size_t outputs() const override { return 1; }
  bool symmetric() const override { return false; }
  const Spec& spec() const override { return spec_; }

 private:
  template <class T>
  void transform_as(MatrixView<const T> X, MatrixView<T> Z, Side side) const {
    check_shapes<T>(X, Z, *this);
    const Matrix<double>& centres = side == Side::query ? query_centres_ : key_centres_;
    const std::size_t wanted = side == Side::query ? query_ : key_;
    parallel_for(X.rows(), kRowsPerBlock, [&](std::size_t first, std::size_t last) {
      const std::vector<T> one = {T(1)};
      Matrix<T> checked(1, X.cols());
      std::vector<T> norm(1);
      std::vector<double> row(X.cols());
      for (std::size_t i = first; i < last; ++i) {
        scale_rows<T>(X.row_range(i, i + 1), one, RowOrigin::current() + i, checked, norm);
        for (std::size_t l = 0; l < row.size(); ++l)
          row[l] = static_cast<double>(X(i, l)) * inverse_[inverse_.size() == 1 ? 0 : l];
        Z(i, 0) = nearest_centre(centres, row) == wanted ? T(1) : T(0);
      }
    });
  }

  Spec spec_;
  std::vector<double> inverse_;
  Matrix<double> query_centres_;
  Matrix<double> key_centres_;
  std::size_t query_;
  std::size_t key_;
};

}  // namespace

FeaturesPart nearest_indicator(const Spec& like, MatrixView<const double> query_centres,
                               MatrixView<const double> key_centres, std::size_t query, std::size_t key) {
  return std::make_shared<NearestIndicator>(like, query_centres, key_centres, query, key);
}

}  // namespace bochner
