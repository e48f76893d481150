// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/equal_rows.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/row_hash.h"

namespace bochner {
namespace {

/// Gives different hashes the numbers 0, 1, ... in the order in which they first come: open addressing, at most half
/// full.
class Numbering {
 public:
  std::size_t of(std::uint64_t hash) {
    if (2 * (keys_.size() + 1) > slots_.size()) grow();
    std::size_t& slot = slot_of(hash);
    if (slot == kFree) {
      slot = keys_.size();
      keys_.push_back(hash);
    }
    return slot;
  }
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  static constexpr std::size_t kFree = ~std::size_t{0};

  std::size_t& slot_of(std::uint64_t hash) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != kFree && keys_[slots_[at]] != hash) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kFree);
    for (std::size_t i = 0; i < keys_.size(); ++i) slot_of(keys_[i]) = i;
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> slots_;
};

struct Hashes {
  std::vector<std::uint64_t> x, row;
};

template <class T>
Hashes hashes_of(MatrixView<const T> X, MatrixView<const double> Y) {
  Hashes hashes{std::vector<std::uint64_t>(X.rows()), std::vector<std::uint64_t>(X.rows())};
  parallel_for(X.rows(), 4096, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      hashes.x[i] = numbers_hash<T>(X.row(i), 0);
      hashes.row[i] = numbers_hash<double>(Y.row(i), hashes.x[i]);
    }
  });
  return hashes;
}

/// The different answers at one x.
struct Answers {
  std::size_t count = 0;
  double weight = 0;
};

}  // namespace

double EqualRows::observations() const {
  double sum = 0;
  for (std::size_t g = 0; g < count(); ++g) sum += weight[g] / left_out[g];
  return sum;
}

std::vector<double> EqualRows::left_out_of_rows() const {
  std::vector<double> result(of.size(), 0.0);
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i] != kNone) result[i] = left_out[of[i]];
  return result;
}

template <class T>
EqualRows equal_rows(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weights) {
  const Hashes hashes = hashes_of<T>(X, Y);
  EqualRows rows;
  rows.of.assign(X.rows(), EqualRows::kNone);
  Numbering distinct, inputs;
  std::vector<std::size_t> input;  // of each distinct row
  std::vector<Answers> answers;    // of each input
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (!(weight > 0)) continue;
    const std::size_t g = rows.of[i] = distinct.of(hashes.row[i]);
    if (g == rows.first.size()) {
      rows.first.push_back(i);
      rows.weight.push_back(0);
      input.push_back(inputs.of(hashes.x[i]));
      answers.resize(inputs.keys().size());
      ++answers[input[g]].count;
    }
    rows.weight[g] += weight;
    answers[input[g]].weight += weight;
  }
  rows.hash = distinct.keys();
  for (std::size_t g = 0; g < rows.count(); ++g) {
    const auto& [count, weight] = answers[input[g]];
    const double share = weight / static_cast<double>(count);
    // Answers of equal weight are whole observations, however W / k is rounded.
    const bool whole = count == 1 || rows.weight[g] <= share * (1 + 0x1p-40);
    rows.left_out.push_back(whole ? rows.weight[g] : share);
    rows.parts.push_back(whole ? 1 : static_cast<std::size_t>(std::ceil(rows.weight[g] / share * (1 - 0x1p-40))));
  }
  return rows;
}

template EqualRows equal_rows(MatrixView<const float>, MatrixView<const double>, std::span<const double>);
template EqualRows equal_rows(MatrixView<const double>, MatrixView<const double>, std::span<const double>);

}  // namespace bochner
