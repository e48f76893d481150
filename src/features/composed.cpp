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
#include "simd/arrays.h"
#include "simd/project.h"

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
  ComposedFeatures(Spec spec, const Map& line, std::unique_ptr<const FeatureMap> map,
                   std::unique_ptr<const Projection> projection)
      : spec_(std::move(spec)),
        outputs_(line.width * spec_.m),
        symmetric_(line.symmetric),
        family_(line.family),
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
  void transform_scaled(MatrixView<const float> X, MatrixView<float> Z, std::span<float> log_scale,
                        Side side) const override {
    if (family_ != Family::exponential) return Features::transform_scaled(X, Z, log_scale, side);
    transform_scaled_as<float>(X, inverse_float_, Z, log_scale);
  }
  void transform_scaled(MatrixView<const double> X, MatrixView<double> Z, std::span<double> log_scale,
                        Side side) const override {
    if (family_ != Family::exponential) return Features::transform_scaled(X, Z, log_scale, side);
    transform_scaled_as<double>(X, inverse_, Z, log_scale);
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

  /// `use(first, last, rows in units of the lengthscale, finish)` for blocks of rows on all threads.
  template <class T, class Use>
  void for_each_block(MatrixView<const T> X, std::span<const T> inverse, const Use& use) const {
    parallel_for(X.rows(), projection_->rows_per_block(sizeof(T)), [&](std::size_t first, std::size_t last) {
      static thread_local Workspace<T> workspace;
      const std::size_t n = last - first;
      workspace.reserve(n, row_stride<T>(d()));
      const MatrixView<T> rows(workspace.rows.data(), n, d(), row_stride<T>(d()));
      const std::span<T> norms(workspace.norms.data(), n);
      scale_rows<T>(X.row_range(first, last), inverse, first, rows, norms);
      const simd::Finish<T> finish = map_->finish(std::span<const T>(norms), {workspace.terms.data(), n});
      check_factors<T>(finish, norms, first);
      use(first, last, rows, finish);
    });
  }

  template <class T>
  void transform_as(MatrixView<const T> X, std::span<const T> inverse, MatrixView<T> Z) const {
    check_shapes<T>(X, Z);
    const bool streaming = X.rows() * outputs_ * sizeof(T) > kStreamingBytes;
    for_each_block<T>(X, inverse,
                      [&](std::size_t first, std::size_t last, MatrixView<const T> rows, const auto& finish) {
                        projection_->apply(rows, finish, Z.row_range(first, last), streaming);
                      });
  }

  /// Exponents first, then exp(exponent - their maximum), while the block is in cache; log of the scale goes with the
  /// maximum.
  template <class T>
  void transform_scaled_as(MatrixView<const T> X, std::span<const T> inverse, MatrixView<T> Z,
                           std::span<T> log_scale) const {
    check_shapes<T>(X, Z);
    if (log_scale.size() != X.rows())
      refuse("log_scale", fmt::format("{} numbers", log_scale.size()), fmt::format("{}, one per row of X", X.rows()));
    for_each_block<T>(X, inverse, [&](std::size_t first, std::size_t last, MatrixView<const T> rows, auto finish) {
      const T log_of_scale = static_cast<T>(std::log(static_cast<double>(finish.scale)));
      finish.shape = finish.shape == simd::Shape::exp ? simd::Shape::exponent : simd::Shape::exponent_pair;
      projection_->apply(rows, finish, Z.row_range(first, last), false);
      for (std::size_t i = first; i < last; ++i) {
        const std::span<T> z = Z.row(i);
        const T largest = simd::largest<T>(z);
        // The difference is exact where it is 0, so the largest feature is exactly 1.
        simd::affine<T>(T(1), z, -largest, z);
        const MatrixView<T> row(z.data(), 1, z.size());
        simd::finish_rows<T>(row, {.shape = simd::Shape::exp}, row);
        log_scale[i] = largest + log_of_scale;
      }
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
  Family family_;
  std::vector<double> inverse_;
  std::vector<float> inverse_float_;
  std::unique_ptr<const FeatureMap> map_;
  std::unique_ptr<const Projection> projection_;
};

}  // namespace

std::unique_ptr<Features> compose(Spec spec, const Map& line, std::unique_ptr<const FeatureMap> map,
                                  std::unique_ptr<const Projection> projection) {
  return std::make_unique<ComposedFeatures>(std::move(spec), line, std::move(map), std::move(projection));
}

}  // namespace bochner
