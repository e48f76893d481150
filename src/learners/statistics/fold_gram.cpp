// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "bochner/gram.h"
#include "core/errors.h"
#include "learners/statistics/equal_rows.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

/// Rows that are sorted into folds at once; only they are copied.
constexpr std::size_t kRows = 8192;
constexpr std::size_t kMostFolds = 1000;
/// "BFOLDS" and the version, then the number of folds and the observations, then the Gram of every fold. Version 1 had
/// the number of rows in place of the observations.
constexpr std::uint64_t kMagic = 0x0053'444c'4f46'4200, kVersion = 2;

template <class T>
Matrix<T> gather(MatrixView<const T> X, std::span<const std::size_t> chosen) {
  Matrix<T> rows(chosen.size(), X.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    std::copy_n(X.row(chosen[i]).data(), X.cols(), rows.view().row(i).data());
  return rows;
}

}  // namespace

FoldGram::FoldGram(std::size_t outputs, std::size_t targets, std::size_t folds) {
  if (folds < 2 || folds > kMostFolds)
    refuse("folds", fmt::format("{}", folds), fmt::format("from 2 to {}", kMostFolds));
  require_memory(outputs, static_cast<double>(folds));
  for (std::size_t k = 0; k < folds; ++k) folds_.emplace_back(outputs, targets);
}

/// A row, or a part of one, and its fold.
struct FoldGram::Part {
  std::size_t row;
  double weight;
  std::size_t fold;
};

void FoldGram::add(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
                   std::span<const double> weights) {
  add_rows<float>(features, X, Y, weights, false);
}

void FoldGram::add(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                   std::span<const double> weights) {
  add_rows<double>(features, X, Y, weights, false);
}

void FoldGram::add_all(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
                       std::span<const double> weights) {
  add_rows<float>(features, X, Y, weights, true);
}

void FoldGram::add_all(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                       std::span<const double> weights) {
  add_rows<double>(features, X, Y, weights, true);
}

template <class T>
void FoldGram::add_rows(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                        std::span<const double> weights, bool cut) {
  require_symmetric(features);
  require_rows<T>(features, X);
  require_targets(Y, X.rows(), targets());
  require_weights(weights, X.rows());
  const EqualRows rows = equal_rows<T>(X, Y, weights);
  observations_ += rows.observations();
  std::vector<Part> parts;
  parts.reserve(X.rows());
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const std::size_t g = rows.of[i];
    if (g == EqualRows::kNone) continue;
    const std::size_t count = cut ? std::min(rows.parts[g], folds()) : 1;
    const auto fold = [&](std::size_t part) { return static_cast<std::size_t>((rows.hash[g] + part) % folds()); };
    if (count == 1) parts.push_back({i, weights.empty() ? 1.0 : weights[i], fold(0)});
    if (count == 1 || rows.first[g] != i) continue;
    for (std::size_t part = 0; part < count; ++part)
      parts.push_back({i, rows.weight[g] / static_cast<double>(count), fold(part)});
  }
  add_parts<T>(features, X, Y, parts);
}

template <class T>
void FoldGram::add_parts(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                         std::span<const Part> parts) {
  const bool weighted = std::ranges::any_of(parts, [](const Part& part) { return part.weight != 1; });
  std::vector<std::vector<std::size_t>> chosen(folds());
  std::vector<std::vector<double>> weights(folds());
  for (std::size_t first = 0; first < parts.size(); first += kRows) {
    for (const Part& part : parts.subspan(first, std::min(kRows, parts.size() - first))) {
      chosen[part.fold].push_back(part.row);
      if (weighted) weights[part.fold].push_back(part.weight);
    }
    for (std::size_t k = 0; k < folds(); ++k) {
      folds_[k].add(features, gather<T>(X, chosen[k]), gather<double>(Y, chosen[k]), weights[k]);
      chosen[k].clear();
      weights[k].clear();
    }
  }
}

void FoldGram::merge(const FoldGram& other) {
  if (other.folds() != folds()) refuse("other", fmt::format("{} folds", other.folds()), fmt::format("{}", folds()));
  for (std::size_t k = 0; k < folds(); ++k) folds_[k].merge(other.folds_[k]);
  observations_ += other.observations_;
}

Gram FoldGram::all_but(std::size_t k) const {
  Gram sum(outputs(), targets());
  for (std::size_t other = 0; other < folds(); ++other)
    if (other != k) sum.merge(folds_[other]);
  return sum;
}

std::vector<std::byte> FoldGram::to_bytes() const {
  const std::uint64_t header[] = {kMagic + kVersion, folds(), std::bit_cast<std::uint64_t>(observations_)};
  std::vector<std::byte> bytes(sizeof(header));
  std::memcpy(bytes.data(), header, sizeof(header));
  for (const Gram& fold : folds_) {
    const auto part = fold.to_bytes();
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

FoldGram FoldGram::from_bytes(std::span<const std::byte> bytes) {
  std::uint64_t header[3] = {};
  if (bytes.size() >= sizeof(header)) std::memcpy(header, bytes.data(), sizeof(header));
  const auto [magic, folds, seen] = header;
  const std::uint64_t version = magic - kMagic;
  if (version < 1 || version > kVersion || folds < 2 || folds > kMostFolds ||
      (bytes.size() - sizeof(header)) % folds != 0)
    throw std::invalid_argument("bytes: the folds of a Gram do not start so; expected what FoldGram::to_bytes wrote");
  const auto parts = bytes.subspan(sizeof(header));
  const std::size_t length = parts.size() / folds;
  FoldGram result(1, 0, 2);
  result.folds_.clear();
  for (std::size_t k = 0; k < folds; ++k) result.folds_.push_back(Gram::from_bytes(parts.subspan(k * length, length)));
  for (const Gram& fold : result.folds_)
    if (fold.outputs() != result.outputs() || fold.targets() != result.targets())
      throw std::invalid_argument("bytes: folds differ in shape; expected what FoldGram::to_bytes wrote");
  result.observations_ = version == 1 ? static_cast<double>(seen) : std::bit_cast<double>(seen);
  if (!(result.observations_ >= 0) || !std::isfinite(result.observations_))
    throw std::invalid_argument(
        fmt::format("bytes: there are {} observations; expected what FoldGram::to_bytes wrote", result.observations_));
  return result;
}

}  // namespace bochner
