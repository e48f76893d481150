// SPDX-License-Identifier: Apache-2.0
#include "features/composed.h"

#include <utility>
#include <vector>

#include "core/parallel.h"
#include "features/check.h"
#include "features/row_origin.h"

namespace bochner {
namespace {

// A larger output does not fit a core's share of the last-level cache: write past the caches.
constexpr std::size_t kStreamingBytes = 8 * 1024 * 1024;

/// Distance between scaled rows: whole cache lines and one more, so that the rows of a tile do not share L1 sets when d
/// is a power of two.
template <class T>
std::size_t row_stride(std::size_t d) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  return (d + kLine - 1) / kLine * kLine + kLine;
}

/// Buffers of a thread for a block of rows, kept between calls.
template <class T>
struct Workspace {
  Matrix<T> rows;
  std::vector<T> norms;

  void reserve(std::size_t n, std::size_t stride) {
    if (rows.rows() * rows.cols() < n * stride) rows = Matrix<T>(n, stride);
    norms.resize(n);
  }
};

class ComposedFeatures final : public Features {
 public:
  ComposedFeatures(Spec spec, const Map& line, std::unique_ptr<const FeatureMap> map,
                   std::unique_ptr<const Projection> projection)
      : spec_(std::move(spec)),
        outputs_(line.width(spec_.parameters) * spec_.m),
        symmetric_(is_symmetric(line, spec_.parameters)),
        positive_(line.positive),
        inverse_(inverse_lengthscale(spec_.lengthscale, spec_.d)),
        inverse_float_(inverse_.begin(), inverse_.end()),
        map_(std::move(map)),
        projection_(std::move(projection)) {}

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override {
    transform_as<float>(X, inverse_float_, Z, side);
  }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override {
    transform_as<double>(X, inverse_, Z, side);
  }
  void transform_scaled(MatrixView<const float> X, MatrixView<float> Z, std::span<float> log_scale,
                        Side side) const override {
    if (!positive_) return Features::transform_scaled(X, Z, log_scale, side);
    transform_scaled_as<float>(X, inverse_float_, Z, log_scale, side);
  }
  void transform_scaled(MatrixView<const double> X, MatrixView<double> Z, std::span<double> log_scale,
                        Side side) const override {
    if (!positive_) return Features::transform_scaled(X, Z, log_scale, side);
    transform_scaled_as<double>(X, inverse_, Z, log_scale, side);
  }
  void transform_log(MatrixView<const float> X, MatrixView<float> Z, std::span<double> log_factor,
                     Side side) const override {
    if (!positive_) return Features::transform_log(X, Z, log_factor, side);
    transform_log_as<float>(X, inverse_float_, Z, log_factor, side);
  }
  void transform_log(MatrixView<const double> X, MatrixView<double> Z, std::span<double> log_factor,
                     Side side) const override {
    if (!positive_) return Features::transform_log(X, Z, log_factor, side);
    transform_log_as<double>(X, inverse_, Z, log_factor, side);
  }
  Matrix<double> directions() const override { return projection_->directions(); }
  std::size_t outputs() const override { return outputs_; }
  bool symmetric() const override { return symmetric_; }
  const Spec& spec() const override { return spec_; }

 private:
  /// Calls `use(first, last, rows)` for blocks of rows on all threads.
  template <class T, class Use>
  void for_each_block(MatrixView<const T> X, std::span<const T> inverse, Side side, const Use& use) const {
    const bool streaming = X.rows() * outputs_ * sizeof(T) > kStreamingBytes;
    parallel_for(X.rows(), projection_->rows_per_block(sizeof(T)), [&](std::size_t begin, std::size_t end) {
      in_row_order(begin, end, [&](std::size_t first, std::size_t last) {
        static thread_local Workspace<T> workspace;
        const std::size_t n = last - first;
        workspace.reserve(n, row_stride<T>(d()));
        const MatrixView<T> rows(workspace.rows.data(), n, d(), row_stride<T>(d()));
        const std::span<T> norms(workspace.norms.data(), n);
        const std::size_t number = RowOrigin::current() + first;
        scale_rows<T>(X.row_range(first, last), inverse, number, rows, norms);
        use(first, last, Rows<T>{rows, norms, side, number, streaming});
      });
    });
  }

  template <class T>
  void transform_as(MatrixView<const T> X, std::span<const T> inverse, MatrixView<T> Z, Side side) const {
    check_shapes<T>(X, Z, *this);
    for_each_block<T>(X, inverse, side, [&](std::size_t first, std::size_t last, const Rows<T>& rows) {
      map_->transform(rows, *projection_, Z.row_range(first, last));
    });
  }

  template <class T>
  void transform_scaled_as(MatrixView<const T> X, std::span<const T> inverse, MatrixView<T> Z, std::span<T> log_scale,
                           Side side) const {
    check_shapes<T>(X, Z, *this);
    check_log_scale(log_scale.size(), X.rows());
    for_each_block<T>(X, inverse, side, [&](std::size_t first, std::size_t last, const Rows<T>& rows) {
      map_->transform_scaled(rows, *projection_, Z.row_range(first, last), log_scale.subspan(first, last - first));
    });
  }

  template <class T>
  void transform_log_as(MatrixView<const T> X, std::span<const T> inverse, MatrixView<T> Z,
                        std::span<double> log_factor, Side side) const {
    check_shapes<T>(X, Z, *this);
    check_log_scale(log_factor.size(), X.rows());
    for_each_block<T>(X, inverse, side, [&](std::size_t first, std::size_t last, const Rows<T>& rows) {
      map_->transform_log(rows, *projection_, Z.row_range(first, last), log_factor.subspan(first, last - first));
    });
  }

  Spec spec_;
  std::size_t outputs_;
  bool symmetric_;
  bool positive_;
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
