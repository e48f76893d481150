// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "bochner/compose.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "features/check.h"
#include "features/row_origin.h"
#include "features/scratch.h"
#include "simd/arrays.h"
#include "simd/project.h"

namespace bochner {
namespace {

constexpr std::size_t kRowsPerBlock = 96;

Matrix<double> copy_of(MatrixView<const double> A) {
  Matrix<double> copy(A.rows(), A.cols());
  for (std::size_t i = 0; i < A.rows(); ++i) std::ranges::copy(A.row(i), copy.view().row(i).begin());
  return copy;
}

bool is_diagonal(MatrixView<const double> A) {
  if (A.rows() != A.cols()) return false;
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j)
      if (i != j && A(i, j) != 0) return false;
  return true;
}

/// x -> A x, by d products if A is diagonal.
template <class T>
class LinearMap {
 public:
  explicit LinearMap(MatrixView<const double> A) {
    if (!is_diagonal(A)) {
      rows_ = simd::PackedRows<T>(A);
      return;
    }
    for (std::size_t i = 0; i < A.rows(); ++i) diagonal_.push_back(static_cast<T>(A(i, i)));
  }
  void apply(MatrixView<const T> X, MatrixView<T> Y) const {
    if (diagonal_.empty()) return simd::project<T>(rows_, X, {}, Y);
    for (std::size_t i = 0; i < X.rows(); ++i) simd::scale_row<T>(X.row(i), diagonal_, Y.row(i));
  }

 private:
  simd::PackedRows<T> rows_;
  std::vector<T> diagonal_;
};

class MappedInputs final : public Features {
 public:
  MappedInputs(FeaturesPart inner, MatrixView<const double> P, MatrixView<const double> Q)
      : inner_(std::move(inner)),
        P_(copy_of(P)),
        query_float_(P),
        key_float_(Q),
        query_double_(P),
        key_double_(Q),
        symmetric_(inner_->symmetric()) {
    for (std::size_t i = 0; i < P.rows(); ++i) symmetric_ = symmetric_ && std::ranges::equal(P.row(i), Q.row(i));
    spec_ = {.d = P.cols(),
             .kernel = "composed",
             .map = "on_inputs",
             .coupling = inner_->spec().coupling,
             .m = inner_->m(),
             .seed = inner_->spec().seed};
  }

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override {
    transform_as<float>(X, side == Side::query ? query_float_ : key_float_, Z, side);
  }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override {
    transform_as<double>(X, side == Side::query ? query_double_ : key_double_, Z, side);
  }
  Matrix<double> directions() const override {
    const Matrix<double> W = inner_->directions();
    const std::vector<double> inverse = inverse_lengthscale(inner_->spec().lengthscale, inner_->d());
    Matrix<double> product(W.rows(), spec_.d, 0.0);
    for (std::size_t i = 0; i < W.rows(); ++i)
      for (std::size_t k = 0; k < W.cols(); ++k)
        for (std::size_t l = 0; l < spec_.d; ++l)
          product(i, l) += W(i, k) * inverse[inverse.size() == 1 ? 0 : k] * P_(k, l);
    return product;
  }
  std::size_t outputs() const override { return inner_->outputs(); }
  bool symmetric() const override { return symmetric_; }
  const Spec& spec() const override { return spec_; }

 private:
  template <class T>
  void transform_as(MatrixView<const T> X, const LinearMap<T>& map, MatrixView<T> Z, Side side) const {
    static constexpr T kOne[] = {T(1)};
    check_shapes<T>(X, Z, *this);
    parallel_for(X.rows(), kRowsPerBlock, [&](std::size_t begin, std::size_t end) {
      in_row_order(begin, end, [&](std::size_t first, std::size_t last) {
        const RowOrigin origin(first);
        const std::size_t n = last - first, r = inner_->d();
        Scratch<T> memory(n * (d() + r + 1));
        const MatrixView<T> rows(memory.data(), n, d()), mapped(memory.data() + n * d(), n, r);
        scale_rows<T>(X.row_range(first, last), kOne, RowOrigin::current(), rows, {memory.data() + n * (d() + r), n});
        map.apply(rows, mapped);
        transform_mapped<T>(mapped, Z.row_range(first, last), side);
      });
    });
  }

  /// The numbers that the features refuse are not the caller's; the message says so.
  template <class T>
  void transform_mapped(MatrixView<const T> mapped, MatrixView<T> Z, Side side) const {
    try {
      inner_->transform(mapped, Z, side);
    } catch (const std::invalid_argument& refusal) {
      const std::string_view why = refusal.what();
      if (!why.starts_with("X has ")) throw;
      throw std::invalid_argument(fmt::format("X has a row whose image under a linear map is refused, it has {}",
                                              why.substr(std::string_view("X has ").size())));
    }
  }

  FeaturesPart inner_;
  Matrix<double> P_;
  LinearMap<float> query_float_, key_float_;
  LinearMap<double> query_double_, key_double_;
  bool symmetric_;
  Spec spec_;
};

void check_matrix(const char* name, MatrixView<const double> A, std::size_t rows, std::size_t cols) {
  if (A.rows() != rows || A.cols() != cols || cols == 0)
    refuse(name, fmt::format("{} x {}", A.rows(), A.cols()),
           fmt::format("{} x d, {} being the d of the features, and P and Q alike", rows, rows));
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      if (!std::isfinite(A(i, j)))
        refuse(fmt::format("{}[{}, {}]", name, i, j), fmt::format("{}", A(i, j)), "a finite number");
}

}  // namespace

FeaturesPart on_inputs(FeaturesPart features, MatrixView<const double> P, MatrixView<const double> Q) {
  check_part(features.get());
  check_matrix("P", P, features->d(), P.cols());
  check_matrix("Q", Q, features->d(), P.cols());
  return std::make_shared<MappedInputs>(std::move(features), P, Q);
}

}  // namespace bochner
