// SPDX-License-Identifier: Apache-2.0
#include "tasks/classifier_objective.h"

#include <algorithm>

#include "core/blas.h"
#include "core/parallel.h"
#include "features/scratch.h"
#include "tasks/classifier_loss.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = kClassifierBlock;
/// Sums kept apart: enough for as many threads, as long as they stay below 32 MB.
constexpr std::size_t kMostSegments = 64, kMostNumbers = std::size_t{1} << 22;

template <class T>
void widen(MatrixView<const T> from, MatrixView<double> to) {
  for (std::size_t i = 0; i < to.rows(); ++i) std::copy_n(from.row(i).data(), to.cols(), to.row(i).data());
}

/// Whole blocks of rows, as many as fit.
template <class T>
Matrix<T> first_features(const Features& features, MatrixView<const T> X, std::size_t bytes) {
  const std::size_t fit = bytes / (features.outputs() * sizeof(T));
  const std::size_t count = fit >= X.rows() ? X.rows() : fit / kRows * kRows;
  Matrix<T> Z(count, features.outputs());
  if (count > 0) features.transform(X.row_range(0, count), Z);
  return Z;
}

MatrixView<double> tile(Scratch<double>& memory, std::size_t rows, std::size_t cols) {
  return {memory.data(), rows, cols};
}

}  // namespace

ClassifierObjective::ClassifierObjective(const LabelledRows& rows, std::size_t functions,
                                         const LinearClassifierOptions& options)
    : rows_(rows),
      functions_(functions),
      width_(rows.features.outputs() + (options.intercept ? 1 : 0)),
      options_(options) {
  const std::size_t blocks = (rows.count() + kRows - 1) / kRows;
  segments_ = std::clamp<std::size_t>(kMostNumbers / size(), 1, std::min(kMostSegments, blocks));
  if (const auto* single = std::get_if<MatrixView<const float>>(&rows.X))
    cache_ = first_features(rows.features, *single, options.cache_bytes);
  if (const auto* X = std::get_if<MatrixView<const double>>(&rows.X))
    cache_ = first_features(rows.features, *X, options.cache_bytes);
}

template <class T>
void ClassifierObjective::features_of(std::size_t first, MatrixView<const T> X, MatrixView<double> Z) const {
  const std::size_t last = first + Z.rows();
  const auto* kept = std::get_if<Matrix<T>>(&cache_);
  if (kept != nullptr && last <= kept->rows()) return widen<T>(kept->view().row_range(first, last), Z);
  Scratch<T> memory(Z.rows() * Z.cols());
  const MatrixView<T> own(memory.data(), Z.rows(), Z.cols());
  rows_.features.transform(X, own);
  widen<T>(own, Z);
}

void ClassifierObjective::for_each_block(const Visit& visit) const {
  const auto use = [&](std::size_t first, const RowPart& X) { for_each_block_of(first, X, visit); };
  if (const RowPass* pass = std::get_if<RowPass>(&rows_.X)) return (*pass)(use);
  if (const auto* X = std::get_if<MatrixView<const float>>(&rows_.X)) return use(0, *X);
  use(0, std::get<MatrixView<const double>>(rows_.X));
}

/// Block number b of all rows belongs to segment b modulo their number.
void ClassifierObjective::for_each_block_of(std::size_t start, const RowPart& X, const Visit& visit) const {
  const std::size_t outputs = rows_.features.outputs();
  const std::size_t count = std::visit([](const auto& rows) { return rows.rows(); }, X);
  parallel_for(segments_, 1, [&](std::size_t segment, std::size_t) {
    Scratch<double> memory(kRows * width_);
    const std::size_t skipped = (segment + segments_ - start / kRows % segments_) % segments_;
    for (std::size_t first = skipped * kRows; first < count; first += segments_ * kRows) {
      const std::size_t last = std::min(first + kRows, count);
      const MatrixView<double> Z = tile(memory, last - first, width_);
      std::visit(
          [&](const auto& rows) { features_of(start + first, rows.row_range(first, last), Z.col_range(0, outputs)); },
          X);
      for (std::size_t i = 0; i < Z.rows() && width_ > outputs; ++i) Z(i, outputs) = 1;
      visit(segment, start + first, Z);
    }
  });
}

std::vector<double> ClassifierObjective::total(MatrixView<const double> parts, std::span<const double> factor) const {
  std::vector<double> sum(size(), 0.0);
  for (std::size_t part = 0; part < parts.rows(); ++part)
    for (std::size_t i = 0; i < size(); ++i) sum[i] += parts(part, i);
  for (std::size_t i = 0; i < size(); ++i)
    if (i % width_ < rows_.features.outputs()) sum[i] += factor[i];
  return sum;
}

std::size_t ClassifierObjective::parts() const { return is_joint(options_.loss, functions_) ? 1 : functions_; }

double ClassifierObjective::penalty(std::size_t part, std::span<const double> x) const {
  const std::size_t count = size() / parts();
  double sum = 0;
  for (std::size_t i = part * count; i < (part + 1) * count; ++i)
    if (i % width_ < rows_.features.outputs()) sum += 0.5 * x[i] * x[i];
  return sum;
}

SmoothFunction::Point ClassifierObjective::at(std::span<const double> x) const {
  const MatrixView<const double> W(x.data(), functions_, width_);
  Matrix<double> gradients(segments_, size(), 0.0), diagonals(segments_, size(), 0.0);
  Matrix<double> values(segments_, functions_, 0.0);
  for_each_block([&](std::size_t segment, std::size_t first, MatrixView<double> Z) {
    const std::size_t count = Z.rows() * functions_;
    Scratch<double> memory(3 * count + functions_);
    const MatrixView<double> scores(memory.data(), Z.rows(), functions_);
    const MatrixView<double> slopes(memory.data() + count, Z.rows(), functions_);
    const MatrixView<double> bends(memory.data() + 2 * count, Z.rows(), functions_);
    const std::span<double> losses(memory.data() + 3 * count, functions_);
    blas::gemm_nt<double>(1, Z, W, 0, scores);
    for (std::size_t i = 0; i < Z.rows(); ++i) {
      loss_at(options_.loss, label(first + i), weight(first + i), scores.row(i), losses, slopes.row(i), bends.row(i));
      for (std::size_t k = 0; k < functions_; ++k) values(segment, k) += losses[k];
    }
    blas::gemm_tn<double>(1, slopes, Z, 1, {gradients.view().row(segment).data(), functions_, width_});
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (double& value : Z.row(i)) value *= value;
    blas::gemm_tn<double>(1, bends, Z, 1, {diagonals.view().row(segment).data(), functions_, width_});
  });
  Point point;
  point.values.assign(parts(), 0.0);
  for (std::size_t k = 0; k < functions_; ++k) {
    double& value = point.values[parts() == 1 ? 0 : k];
    for (std::size_t segment = 0; segment < segments_; ++segment) value += values(segment, k);
  }
  for (std::size_t part = 0; part < parts(); ++part) point.values[part] += penalty(part, x);
  point.gradient = total(gradients, x);
  // 1 for the penalty, and for an intercept that no row bends.
  point.scale = total(diagonals, std::vector<double>(size(), 0.0));
  for (double& value : point.scale) value += 1;
  return point;
}

Matrix<double> ClassifierObjective::along(std::span<const double> x, std::span<const double> s,
                                          std::span<const double> lengths) const {
  const MatrixView<const double> W(x.data(), functions_, width_), S(s.data(), functions_, width_);
  const std::size_t steps = lengths.size();
  Matrix<double> values(segments_, parts() * steps, 0.0), sums(parts(), steps, 0.0);
  for_each_block([&](std::size_t segment, std::size_t first, MatrixView<double> Z) {
    const std::size_t count = Z.rows() * functions_;
    Scratch<double> memory(2 * count + 4 * functions_);
    const MatrixView<double> scores(memory.data(), Z.rows(), functions_);
    const MatrixView<double> turned(memory.data() + count, Z.rows(), functions_);
    const MatrixView<double> rows(memory.data() + 2 * count, 4, functions_);
    blas::gemm_nt<double>(1, Z, W, 0, scores);
    blas::gemm_nt<double>(1, Z, S, 0, turned);
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t k = 0; k < functions_; ++k) rows(0, k) = scores(i, k) + lengths[step] * turned(i, k);
        loss_at(options_.loss, label(first + i), weight(first + i), rows.row(0), rows.row(1), rows.row(2), rows.row(3));
        for (std::size_t part = 0; part < parts(); ++part) values(segment, part * steps + step) += rows(1, part);
      }
  });
  std::vector<double> point(size());
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < size(); ++i) point[i] = x[i] + lengths[step] * s[i];
    for (std::size_t part = 0; part < parts(); ++part) {
      for (std::size_t segment = 0; segment < segments_; ++segment)
        sums(part, step) += values(segment, part * steps + step);
      sums(part, step) += penalty(part, point);
    }
  }
  return sums;
}

std::vector<double> ClassifierObjective::curvature(std::span<const double> x, std::span<const double> v) const {
  const MatrixView<const double> W(x.data(), functions_, width_), V(v.data(), functions_, width_);
  Matrix<double> parts(segments_, size(), 0.0);
  for_each_block([&](std::size_t segment, std::size_t first, MatrixView<double> Z) {
    const std::size_t count = Z.rows() * functions_;
    Scratch<double> memory(2 * count);
    const MatrixView<double> scores(memory.data(), Z.rows(), functions_);
    const MatrixView<double> turned(memory.data() + count, Z.rows(), functions_);
    blas::gemm_nt<double>(1, Z, W, 0, scores);
    blas::gemm_nt<double>(1, Z, V, 0, turned);
    for (std::size_t i = 0; i < Z.rows(); ++i)
      apply_curvature(options_.loss, label(first + i), weight(first + i), scores.row(i), turned.row(i));
    blas::gemm_tn<double>(1, turned, Z, 1, {parts.view().row(segment).data(), functions_, width_});
  });
  return total(parts, v);
}

}  // namespace bochner
