// SPDX-License-Identifier: Apache-2.0
#include "learners/classifier/classifier_objective.h"

#include <algorithm>
#include <bit>

#include "features/scratch.h"
#include "learners/classifier/classifier_loss.h"

namespace bochner {
namespace {

constexpr auto kAllRows = [](std::size_t) { return ~std::uint64_t{0}; };

std::size_t rows_in(const RowPart& Z) {
  return std::visit([](const auto& rows) { return rows.rows(); }, Z);
}

/// Calls visit(i, row) for row i of Z, which is row number `row` of all.
template <class Visit>
void for_each_row(const FeatureBlocks::Block& block, const Visit& visit) {
  std::size_t i = 0;
  for (std::uint64_t left = block.rows; left != 0; left &= left - 1)
    visit(i++, block.block * kClassifierBlock + static_cast<std::size_t>(std::countr_zero(left)));
}

}  // namespace

ClassifierObjective::ClassifierObjective(const LabelledRows& rows, std::size_t functions,
                                         const LinearClassifierOptions& options)
    : rows_(rows),
      functions_(functions),
      width_(rows.features.outputs() + (options.intercept ? 1 : 0)),
      options_(options),
      blocks_(rows, size(), options.cache_bytes) {}

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

bool ClassifierObjective::keeps_numbers() const {
  const std::size_t bytes = rows_.count() * functions_ * sizeof(double);
  return options_.loss != ClassifierLoss::squared_hinge && 2 * bytes <= options_.cache_bytes / 4;
}

SmoothFunction::Point ClassifierObjective::empty_point() const {
  Point point;
  if (options_.loss == ClassifierLoss::squared_hinge)
    point.marks.assign(functions_, std::vector<std::uint64_t>(blocks_.blocks(), 0));
  if (keeps_numbers()) point.numbers.assign(parts(), std::vector<double>(rows_.count() * (functions_ / parts())));
  return point;
}

void ClassifierObjective::remember(std::size_t row, std::span<const double> scores, std::span<const double> bends,
                                   Point& point) const {
  for (std::size_t k = 0; k < point.marks.size(); ++k)
    if (bends[k] > 0) point.marks[k][row / kClassifierBlock] |= std::uint64_t{1} << row % kClassifierBlock;
  if (point.numbers.empty()) return;
  if (is_joint(options_.loss, functions_))
    std::ranges::copy(scores, point.numbers[0].data() + row * functions_);
  else
    for (std::size_t k = 0; k < functions_; ++k) point.numbers[k][row] = bends[k];
}

SmoothFunction::Point ClassifierObjective::at(std::span<const double> x) const {
  const std::size_t segments = blocks_.segments();
  Matrix<double> gradients(segments, size(), 0.0), diagonals(segments, size(), 0.0), values(segments, functions_, 0.0);
  Point point = empty_point();
  blocks_.for_each(
      [&](const Block& block) {
        const std::size_t rows = rows_in(block.Z), count = rows * functions_;
        Scratch<double> memory(3 * count + functions_);
        const MatrixView<double> scores(memory.data(), rows, functions_);
        const MatrixView<double> slopes(memory.data() + count, rows, functions_);
        const MatrixView<double> bends(memory.data() + 2 * count, rows, functions_);
        const std::span<double> losses(memory.data() + 3 * count, functions_);
        scores_of(block.Z, functions_of(x), scores);
        for_each_row(block, [&](std::size_t i, std::size_t row) {
          loss_at(options_.loss, label(row), weight(row), scores.row(i), losses, slopes.row(i), bends.row(i));
          for (std::size_t k = 0; k < functions_; ++k) values(block.segment, k) += losses[k];
          remember(row, scores.row(i), bends.row(i), point);
        });
        const Products products = faster_products(bends);
        add_rows(products, block.Z, slopes, sums_of(gradients, block.segment));
        add_squared_rows(products, block.Z, bends, sums_of(diagonals, block.segment));
      },
      kAllRows);
  point.values.assign(parts(), 0.0);
  for (std::size_t k = 0; k < functions_; ++k) {
    double& value = point.values[parts() == 1 ? 0 : k];
    for (std::size_t segment = 0; segment < blocks_.segments(); ++segment) value += values(segment, k);
  }
  for (std::size_t part = 0; part < parts(); ++part) point.values[part] += penalty(part, x);
  point.gradient = total(gradients, x);
  // 1 for the penalty, and for an intercept for which no row has curvature.
  point.scale = total(diagonals, std::vector<double>(size(), 0.0));
  for (double& value : point.scale) value += 1;
  return point;
}

Matrix<double> ClassifierObjective::along(std::span<const double> x, std::span<const double> s,
                                          std::span<const double> lengths) const {
  const std::size_t steps = lengths.size();
  Matrix<double> values(blocks_.segments(), parts() * steps, 0.0), sums(parts(), steps, 0.0);
  blocks_.for_each(
      [&](const Block& block) {
        const std::size_t count = rows_in(block.Z) * functions_;
        Scratch<double> memory(2 * count + 4 * functions_);
        const MatrixView<double> scores(memory.data(), rows_in(block.Z), functions_);
        const MatrixView<double> turned(memory.data() + count, rows_in(block.Z), functions_);
        const MatrixView<double> line(memory.data() + 2 * count, 4, functions_);
        scores_of(block.Z, functions_of(x), scores);
        scores_of(block.Z, functions_of(s), turned);
        for_each_row(block, [&](std::size_t i, std::size_t row) {
          for (std::size_t step = 0; step < steps; ++step) {
            for (std::size_t k = 0; k < functions_; ++k) line(0, k) = scores(i, k) + lengths[step] * turned(i, k);
            loss_at(options_.loss, label(row), weight(row), line.row(0), line.row(1), line.row(2), line.row(3));
            for (std::size_t part = 0; part < parts(); ++part)
              values(block.segment, part * steps + step) += line(1, part);
          }
        });
      },
      kAllRows);
  std::vector<double> point(size());
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < size(); ++i) point[i] = x[i] + lengths[step] * s[i];
    for (std::size_t part = 0; part < parts(); ++part) {
      for (std::size_t segment = 0; segment < blocks_.segments(); ++segment)
        sums(part, step) += values(segment, part * steps + step);
      sums(part, step) += penalty(part, point);
    }
  }
  return sums;
}

Products ClassifierObjective::products_at(std::size_t block, const Turn& turn) const {
  if (turn.here.marks.empty()) return faster_products(turn.functions.size(), 1, functions_);
  std::size_t count = 0;
  for (const std::size_t k : turn.functions)
    count += static_cast<std::size_t>(std::popcount(turn.here.marks[k][block]));
  return faster_products(count, std::min(kClassifierBlock, rows_.count() - block * kClassifierBlock), functions_);
}

std::uint64_t ClassifierObjective::rows_bent(std::size_t block, const Turn& turn) const {
  if (turn.here.marks.empty() || products_at(block, turn) == Products::all) return kAllRows(block);
  std::uint64_t rows = 0;
  for (const std::size_t k : turn.functions) rows |= turn.here.marks[k][block];
  return rows;
}

void ClassifierObjective::bends_at(const Block& block, const Turn& turn, MatrixView<double> bends) const {
  const bool marked = !turn.here.marks.empty(), kept = !turn.here.numbers.empty();
  Scratch<double> memory(bends.rows() * functions_);
  const MatrixView<double> scores(memory.data(), bends.rows(), functions_);
  if (!marked && !kept) scores_of(block.Z, turn.W, scores);
  for_each_row(block, [&](std::size_t i, std::size_t row) {
    std::ranges::fill(bends.row(i), 0.0);
    for (const std::size_t k : turn.functions)
      if (kept)
        bends(i, k) = turn.here.numbers[k][row];
      else if (!marked)
        bends(i, k) = logistic_curvature(weight(row), scores(i, k));
      else if (turn.here.marks[k][block.block] >> row % kClassifierBlock & 1)
        bends(i, k) = hinge_curvature(weight(row));
  });
}

void ClassifierObjective::add_joint_curvature(const Block& block, const Turn& turn, MatrixView<double> sums) const {
  const std::size_t rows = rows_in(block.Z);
  Scratch<double> memory(2 * rows * functions_);
  const MatrixView<double> scores(memory.data(), rows, functions_);
  const MatrixView<double> products(memory.data() + rows * functions_, rows, functions_);
  const std::vector<std::vector<double>>& kept = turn.here.numbers;
  if (kept.empty()) scores_of(block.Z, turn.W, scores);
  scores_of(block.Z, turn.V, products);
  for_each_row(block, [&](std::size_t i, std::size_t row) {
    const std::span<const double> own(scores.row(i));
    apply_joint_curvature(weight(row), kept.empty() ? own : std::span(kept[0]).subspan(row * functions_, functions_),
                          products.row(i));
  });
  add_rows(Products::all, block.Z, products, sums);
}

std::vector<double> ClassifierObjective::curvature(std::span<const double> x, const Point& here,
                                                   std::span<const double> v) const {
  Turn turn{functions_of(x), functions_of(v), here, {}};
  for (std::size_t k = 0; k < functions_; ++k)
    if (std::ranges::any_of(turn.V.row(k), [](double value) { return value != 0; })) turn.functions.push_back(k);
  Matrix<double> sums(blocks_.segments(), size(), 0.0);
  const auto add = [&](const Block& block) {
    if (is_joint(options_.loss, functions_)) return add_joint_curvature(block, turn, sums_of(sums, block.segment));
    Scratch<double> memory(rows_in(block.Z) * functions_);
    const MatrixView<double> bends(memory.data(), rows_in(block.Z), functions_);
    const Products products = products_at(block.block, turn);
    bends_at(block, turn, bends);
    multiply_by_scores(products, block.Z, turn.V, bends);
    add_rows(products, block.Z, bends, sums_of(sums, block.segment));
  };
  blocks_.for_each(add, [&](std::size_t block) { return rows_bent(block, turn); });
  return total(sums, v);
}

}  // namespace bochner
