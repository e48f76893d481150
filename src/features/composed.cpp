// SPDX-License-Identifier: Apache-2.0
#include "features/composed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "features/check.h"

namespace bochner {
namespace {

// An output beyond this no longer fits the last-level cache share of a core: write past the caches.
constexpr std::size_t kStreamingBytes = 8 * 1024 * 1024;

/// Distance of scaled rows: whole cache lines and one more, so that the rows of a tile do not meet in the same L1 sets
/// when d is a power of two.
template <class T>
std::size_t row_stride(std::size_t d) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  return (d + kLine - 1) / kLine * kLine + kLine;
}

/// What a thread needs for a block of rows; kept between calls.
template <class T>
struct Workspace {
  Matrix<T> rows;
  std::vector<T> norms;
  std::vector<T> terms;

  void reserve(std::size_t n, std::size_t stride) {
    if (rows.rows() * rows.cols() < n * stride) rows = Matrix<T>(n, stride);
    norms.resize(n);
    terms.resize(n);
  }
};

class ComposedFeatures final : public Features {
 public:
  ComposedFeatures(Spec spec, std::size_t outputs, bool symmetric, std::unique_ptr<const FeatureMap> map,
                   std::unique_ptr<const Projection> projection)
      : spec_(std::move(spec)),
        outputs_(outputs),
        symmetric_(symmetric),
        inverse_(inverse_lengthscale(spec_.lengthscale, spec_.d)),
        inverse_float_(inverse_.begin(), inverse_.end()),
        map_(std::move(map)),
        projection_(std::move(projection)) {}

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side) const override {
    transform_as<float>(X, inverse_float_, Z);
  }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side) const override {
    transform_as<double>(X, inverse_, Z);
  }
  Matrix<double> directions() const override { return projection_->directions(); }
  std::size_t outputs() const override { return outputs_; }
  bool symmetric() const override { return symmetric_; }
  const Spec& spec() const override { return spec_; }

 private:
  template <class T>
  void check_shapes(MatrixView<const T> X, MatrixView<T> Z) const {
    if (X.cols() != d()) refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("n x {} (d)", d()));
    if (Z.rows() != X.rows() || Z.cols() != outputs_)
      refuse("Z", fmt::format("{} x {}", Z.rows(), Z.cols()), fmt::format("{} x {} (outputs)", X.rows(), outputs_));
  }

  template <class T>
  void transform_as(MatrixView<const T> X, std::span<const T> inverse, MatrixView<T> Z) const {
    check_shapes<T>(X, Z);
    const bool streaming = X.rows() * outputs_ * sizeof(T) > kStreamingBytes;
    parallel_for(X.rows(), projection_->rows_per_block(sizeof(T)), [&](std::size_t first, std::size_t last) {
      static thread_local Workspace<T> workspace;
      const std::size_t n = last - first;
      workspace.reserve(n, row_stride<T>(d()));
      const MatrixView<T> rows(workspace.rows.data(), n, d(), row_stride<T>(d()));
      const std::span<T> norms(workspace.norms.data(), n);
      scale_rows<T>(X.row_range(first, last), inverse, first, rows, norms);
      const simd::Finish<T> finish = map_->finish(std::span<const T>(norms), {workspace.terms.data(), n});
      check_factors<T>(finish, norms, first);
      projection_->apply(rows, finish, Z.row_range(first, last), streaming);
    });
  }

  /// exp(|x|^2 / 2) of the softmax kernel leaves the range of T for long rows.
  template <class T>
  static void check_factors(const simd::Finish<T>& finish, std::span<const T> norms, std::size_t first_row) {
    if (finish.row_scale == nullptr) return;
    for (std::size_t i = 0; i < norms.size(); ++i) {
      if (std::isfinite(finish.row_scale[i])) continue;
      throw std::invalid_argument(fmt::format(
          "X has a row too long for this map: |x / lengthscale|^2 is {:.4g} at row {} and its exponential overflows; "
          "use a larger lengthscale or a positive map",
          norms[i], first_row + i));
    }
  }

  Spec spec_;
  std::size_t outputs_;
  bool symmetric_;
  std::vector<double> inverse_;
  std::vector<float> inverse_float_;
  std::unique_ptr<const FeatureMap> map_;
  std::unique_ptr<const Projection> projection_;
};

}  // namespace

std::unique_ptr<Features> compose(Spec spec, std::size_t outputs, bool symmetric, std::unique_ptr<const FeatureMap> map,
                                  std::unique_ptr<const Projection> projection) {
  return std::make_unique<ComposedFeatures>(std::move(spec), outputs, symmetric, std::move(map), std::move(projection));
}

}  // namespace bochner
