// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "bochner/gram.h"
#include "core/errors.h"
#include "tasks/training_data.h"

namespace bochner {
namespace {

/// Rows that are sorted into folds at once; copies of them are all the memory this takes.
constexpr std::size_t kRows = 8192;
constexpr std::size_t kMostFolds = 1000;
/// "BFOLDS", version 1; followed by the folds and the rows seen, then the Gram of every fold.
constexpr std::uint64_t kMagic = 0x0053'444c'4f46'4201;

/// The finaliser of splitmix64 (Steele, Lea, Flood, 2014): neighbouring numbers fall into unrelated folds.
std::size_t fold_of(std::uint64_t row, std::size_t folds) {
  std::uint64_t z = row + 0x9e37'79b9'7f4a'7c15;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return static_cast<std::size_t>((z ^ (z >> 31)) % folds);
}

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

void FoldGram::add(const Features& features, MatrixView<const float> X, MatrixView<const double> Y,
                   std::span<const double> weights) {
  add_rows<float>(features, X, Y, weights);
}

void FoldGram::add(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                   std::span<const double> weights) {
  add_rows<double>(features, X, Y, weights);
}

template <class T>
void FoldGram::add_rows(const Features& features, MatrixView<const T> X, MatrixView<const double> Y,
                        std::span<const double> weights) {
  require_symmetric(features);
  require_rows<T>(features, X);
  require_targets(Y, X.rows(), targets());
  require_weights(weights, X.rows());
  std::vector<std::vector<std::size_t>> chosen(folds());
  for (std::size_t first = 0; first < X.rows(); first += kRows) {
    const std::size_t last = std::min(first + kRows, X.rows());
    for (std::size_t i = first; i < last; ++i) chosen[fold_of(seen_++, folds())].push_back(i);
    for (std::size_t k = 0; k < folds(); ++k) {
      std::vector<double> own;
      for (const std::size_t i : chosen[k])
        if (!weights.empty()) own.push_back(weights[i]);
      folds_[k].add(features, gather<T>(X, chosen[k]), gather<double>(Y, chosen[k]), own);
      chosen[k].clear();
    }
  }
}

void FoldGram::merge(const FoldGram& other) {
  if (other.folds() != folds()) refuse("other", fmt::format("{} folds", other.folds()), fmt::format("{}", folds()));
  for (std::size_t k = 0; k < folds(); ++k) folds_[k].merge(other.folds_[k]);
  seen_ += other.seen_;
}

Gram FoldGram::all_but(std::size_t k) const {
  Gram sum(outputs(), targets());
  for (std::size_t other = 0; other < folds(); ++other)
    if (other != k) sum.merge(folds_[other]);
  return sum;
}

std::vector<std::byte> FoldGram::to_bytes() const {
  const std::uint64_t header[] = {kMagic, folds(), seen_};
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
  if (magic != kMagic || folds < 2 || folds > kMostFolds || (bytes.size() - sizeof(header)) % folds != 0)
    throw std::invalid_argument("bytes: the folds of a Gram do not start so; expected what FoldGram::to_bytes wrote");
  const auto parts = bytes.subspan(sizeof(header));
  const std::size_t length = parts.size() / folds;
  FoldGram result(1, 0, 2);
  result.folds_.clear();
  for (std::size_t k = 0; k < folds; ++k) result.folds_.push_back(Gram::from_bytes(parts.subspan(k * length, length)));
  for (const Gram& fold : result.folds_)
    if (fold.outputs() != result.outputs() || fold.targets() != result.targets())
      throw std::invalid_argument("bytes: folds differ in shape; expected what FoldGram::to_bytes wrote");
  result.seen_ = seen;
  return result;
}

}  // namespace bochner
