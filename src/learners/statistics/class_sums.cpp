// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "bochner/gram.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

/// Rows whose features are held at once, and columns that one thread sums at a time.
constexpr std::size_t kRows = 1024, kColumns = 256;
/// A byte with the version, "BCLASS"; then outputs and classes, then the sums by rows and the weights.
constexpr std::uint64_t kMagic = 0x0053'5341'4c43'4201;
constexpr std::uint64_t kMost = std::uint64_t{1} << 30;

[[noreturn]] void refuse_bytes(const std::string& what) {
  throw std::invalid_argument(fmt::format("bytes: {}; expected what ClassSums::to_bytes wrote", what));
}

bool all_finite(const Matrix<double>& sums) {
  return std::all_of(sums.data(), sums.data() + sums.rows() * sums.cols(),
                     [](double sum) { return std::isfinite(sum); });
}

}  // namespace

ClassSums::ClassSums(std::size_t outputs, std::size_t classes) : sums_(classes, outputs, 0.0), weights_(classes, 0.0) {
  if (outputs == 0) refuse("outputs", "0", "at least 1");
  if (classes == 0) refuse("classes", "0", "at least 1");
}

void ClassSums::add(const Features& features, MatrixView<const float> X, std::span<const std::int64_t> labels,
                    std::span<const double> weights) {
  add_rows<float>(features, X, labels, weights);
}

void ClassSums::add(const Features& features, MatrixView<const double> X, std::span<const std::int64_t> labels,
                    std::span<const double> weights) {
  add_rows<double>(features, X, labels, weights);
}

template <class T>
void ClassSums::add_rows(const Features& features, MatrixView<const T> X, std::span<const std::int64_t> labels,
                         std::span<const double> weights) {
  if (features.outputs() != outputs())
    refuse("features", fmt::format("a map with {} outputs", features.outputs()), fmt::format("{}", outputs()));
  require_rows<T>(features, X);
  require_labels(labels, X.rows(), classes());
  require_weights(weights, X.rows());
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  // Rows are added whole or not at all.
  Matrix<double> sums(classes(), outputs());
  std::copy_n(sums_.data(), classes() * outputs(), sums.data());
  Matrix<T> Z(std::min(kRows, X.rows()), outputs());
  for (std::size_t first = 0; first < X.rows(); first += kRows) {
    const std::size_t last = std::min(first + kRows, X.rows());
    features.transform(X.row_range(first, last), Z.view().row_range(0, last - first), Side::key);
    parallel_for(outputs(), kColumns, [&](std::size_t left, std::size_t right) {
      for (std::size_t i = first; i < last; ++i) {
        const double factor = weight(i);
        const T* const from = Z.view().row(i - first).data();
        double* const to = sums.view().row(static_cast<std::size_t>(labels[i])).data();
        for (std::size_t j = left; j < right; ++j) to[j] += factor * static_cast<double>(from[j]);
      }
    });
  }
  if (!all_finite(sums))
    throw std::invalid_argument(
        "X has rows whose features times their weights add up to more than a double holds; expected shorter rows "
        "beside "
        "the lengthscale, smaller weights, or a bounded map");
  sums_ = std::move(sums);
  for (std::size_t i = 0; i < X.rows(); ++i) weights_[static_cast<std::size_t>(labels[i])] += weight(i);
}

void ClassSums::merge(const ClassSums& other) {
  if (other.outputs() != outputs() || other.classes() != classes())
    refuse("other", fmt::format("sums of {} outputs and {} classes", other.outputs(), other.classes()),
           fmt::format("{} and {}", outputs(), classes()));
  Matrix<double> sums(classes(), outputs());
  for (std::size_t c = 0; c < classes(); ++c)
    for (std::size_t j = 0; j < outputs(); ++j) sums(c, j) = sums_(c, j) + other.sums_(c, j);
  if (!all_finite(sums)) refuse("other", "sums", "ones that do not leave the range of double when they are added");
  sums_ = std::move(sums);
  for (std::size_t c = 0; c < classes(); ++c) weights_[c] += other.weights_[c];
}

std::vector<std::byte> ClassSums::to_bytes() const {
  const std::uint64_t header[] = {kMagic, outputs(), classes()};
  const std::size_t count = outputs() * classes();
  std::vector<std::byte> bytes(sizeof(header) + sizeof(double) * (count + classes()));
  std::memcpy(bytes.data(), header, sizeof(header));
  std::memcpy(bytes.data() + sizeof(header), sums_.data(), sizeof(double) * count);
  std::memcpy(bytes.data() + sizeof(header) + sizeof(double) * count, weights_.data(), sizeof(double) * classes());
  return bytes;
}

ClassSums ClassSums::from_bytes(std::span<const std::byte> bytes) {
  std::uint64_t header[3] = {};
  if (bytes.size() >= sizeof(header)) std::memcpy(header, bytes.data(), sizeof(header));
  const auto [magic, outputs, classes] = header;
  if (magic != kMagic) refuse_bytes("they do not start as class sums do");
  if (outputs == 0 || outputs > kMost || classes == 0 || classes > kMost)
    refuse_bytes(fmt::format("there are {} outputs and {} classes", outputs, classes));
  const std::uint64_t count = outputs * classes, wanted = sizeof(header) + sizeof(double) * (count + classes);
  if (bytes.size() != wanted) refuse_bytes(fmt::format("there are {} and not {}", bytes.size(), wanted));
  ClassSums result(outputs, classes);
  std::memcpy(result.sums_.data(), bytes.data() + sizeof(header), sizeof(double) * count);
  std::memcpy(result.weights_.data(), bytes.data() + sizeof(header) + sizeof(double) * count, sizeof(double) * classes);
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(result.sums_.data()[i])) refuse_bytes(fmt::format("number {} is not finite", i));
  for (const double weight : result.weights_)
    if (!(weight >= 0) || !std::isfinite(weight)) refuse_bytes(fmt::format("a class has the weight {}", weight));
  return result;
}

Matrix<double> class_shares(MatrixView<const double> scores, std::span<const double> class_weights) {
  if (!class_weights.empty() && class_weights.size() != scores.cols())
    refuse("class_weights", fmt::format("a list of {} numbers", class_weights.size()),
           fmt::format("{}, one for each class", scores.cols()));
  const double equal = 1 / static_cast<double>(std::max<std::size_t>(scores.cols(), 1));
  double weight = 0;
  for (const double value : class_weights) weight += value;
  Matrix<double> result(scores.rows(), scores.cols());
  for (std::size_t i = 0; i < scores.rows(); ++i) {
    const auto sum_over = [&](double unit) {
      double sum = 0;
      for (const double score : scores.row(i)) sum += score / unit;
      return sum;
    };
    constexpr double kLarge = 0x1p64;  // the sum of finite scores may overflow
    const double unit = std::isfinite(sum_over(1)) ? 1 : kLarge, sum = sum_over(unit);
    for (std::size_t k = 0; k < scores.cols(); ++k) {
      const double share = weight > 0 ? class_weights[k] / weight : equal;
      result(i, k) = sum > 0 ? scores(i, k) / unit / sum : share;
    }
  }
  return result;
}

}  // namespace bochner
