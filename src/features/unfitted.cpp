// SPDX-License-Identifier: Apache-2.0
#include "features/unfitted.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/data_statistics.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "features/check.h"

namespace bochner {
namespace {

constexpr std::size_t kRowsPerBlock = 1024;

/// Rows in units of the lengthscale; X has already been checked to be finite.
template <class T>
RowReader reader(MatrixView<const T> X, const Spec& spec) {
  const std::vector<double> inverse = inverse_lengthscale(spec.lengthscale, spec.d);
  return {X.rows(), [X, inverse](std::size_t first, MatrixView<double> out) {
            for (std::size_t i = 0; i < out.rows(); ++i)
              for (std::size_t l = 0; l < X.cols(); ++l)
                out(i, l) = static_cast<double>(X(first + i, l)) * inverse[inverse.size() == 1 ? 0 : l];
          }};
}

/// Statistics of the rows in units of the lengthscale: blocks on all threads, merged in order.
template <class T>
DataStatistics statistics(MatrixView<const T> X, const Spec& spec, std::string_view name) {
  if (X.cols() != spec.d) refuse(name, fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("n x {} (d)", spec.d));
  if (X.rows() == 0) refuse(name, "empty", "at least one row to fit to");
  const std::vector<double> inverse = inverse_lengthscale(spec.lengthscale, spec.d);
  std::vector<DataStatistics> parts((X.rows() + kRowsPerBlock - 1) / kRowsPerBlock, DataStatistics(spec.d));
  parallel_for(X.rows(), kRowsPerBlock, [&](std::size_t first, std::size_t last) {
    Matrix<double> rows(last - first, spec.d), scaled(last - first, spec.d);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t l = 0; l < spec.d; ++l) rows(i - first, l) = static_cast<double>(X(i, l));
    std::vector<double> norms(last - first);
    scale_rows<double>(rows.view(), inverse, first, scaled.view(), norms, name);
    parts[first / kRowsPerBlock].add(scaled.view());
  });
  for (std::size_t i = 1; i < parts.size(); ++i) parts[0].merge(parts[i]);
  return parts[0];
}

class UnfittedFeatures final : public Features {
 public:
  explicit UnfittedFeatures(Resolved chosen)
      : map_(chosen.map), spec_(std::move(chosen.spec)), outputs_(map_.width(spec_.parameters) * spec_.m) {}

  void transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const override {
    inner().transform(X, Z, side);
  }
  void transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const override {
    inner().transform(X, Z, side);
  }
  void transform_scaled(MatrixView<const float> X, MatrixView<float> Z, std::span<float> log_scale,
                        Side side) const override {
    inner().transform_scaled(X, Z, log_scale, side);
  }
  void transform_scaled(MatrixView<const double> X, MatrixView<double> Z, std::span<double> log_scale,
                        Side side) const override {
    inner().transform_scaled(X, Z, log_scale, side);
  }
  void transform_log(MatrixView<const float> X, MatrixView<float> Z, std::span<double> log_factor,
                     Side side) const override {
    inner().transform_log(X, Z, log_factor, side);
  }
  void transform_log(MatrixView<const double> X, MatrixView<double> Z, std::span<double> log_factor,
                     Side side) const override {
    inner().transform_log(X, Z, log_factor, side);
  }
  void fit(MatrixView<const float> X, MatrixView<const float> Y) override { fit_to<float>(X, Y); }
  void fit(MatrixView<const double> X, MatrixView<const double> Y) override { fit_to<double>(X, Y); }
  bool fitted() const override { return fitted_ != nullptr; }
  Matrix<double> directions() const override { return inner().directions(); }
  std::size_t outputs() const override { return outputs_ != 0 ? outputs_ : inner().outputs(); }
  bool symmetric() const override { return is_symmetric(map_, spec().parameters); }
  const Spec& spec() const override { return fitted_ ? fitted_->spec() : spec_; }

 private:
  const Features& inner() const {
    if (fitted_) return *fitted_;
    throw std::invalid_argument(fmt::format("map '{}' lacks parameter '{}': give it, or call fit(X) first",
                                            map_.entry.name, missing_parameters(map_.entry, spec_.parameters).front()));
  }

  template <class T>
  void fit_to(MatrixView<const T> X, MatrixView<const T> Y) {
    if (fitted_) return;
    const DataStatistics queries = statistics<T>(X, spec_, "X");
    const bool alike = Y.data() == nullptr;
    const DataStatistics keys = alike ? queries : statistics<T>(Y, spec_, "Y");
    const RowReader query_rows = reader<T>(X, spec_), key_rows = alike ? query_rows : reader<T>(Y, spec_);
    Spec complete = spec_;
    complete.parameters.merge(fitted_parameters(map_, {.spec = spec_,
                                                       .D = space_of(spec_),
                                                       .queries = queries,
                                                       .keys = keys,
                                                       .query_rows = query_rows,
                                                       .key_rows = key_rows,
                                                       .key_name = alike ? "X" : "Y"}));
    fitted_ = make_features(complete);
  }

  const Map& map_;
  Spec spec_;
  std::size_t outputs_;
  std::unique_ptr<Features> fitted_;
};

}  // namespace

std::unique_ptr<Features> unfitted(Resolved chosen) { return std::make_unique<UnfittedFeatures>(std::move(chosen)); }

}  // namespace bochner
