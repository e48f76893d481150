// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "bochner/gram.h"

namespace bochner {
namespace {

/// A byte with the version, "BGRAM" and two zeros; outputs, targets, rows and whether any rows were float, as 64-bit
/// numbers; then, as doubles, weight, the lower triangle by rows, cross, feature_sums, target_sums, target_squares and,
/// from version 2 on, target_lows and target_highs.
constexpr std::uint64_t kMagic = 0x0000'4d41'5247'4200;
constexpr std::uint64_t kVersion = 2;
constexpr std::size_t kHeader = 5;
/// Keeps lengths far below the limit of 64 bits.
constexpr std::uint64_t kMost = std::uint64_t{1} << 24;

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

std::uint64_t numbers(std::uint64_t outputs, std::uint64_t targets, std::uint64_t version) {
  return 1 + outputs * (outputs + 1) / 2 + targets * outputs + outputs + (version == 1 ? 2 : 4) * targets;
}

[[noreturn]] void refuse_bytes(const std::string& what) {
  throw std::invalid_argument(fmt::format("bytes: {}; expected what Gram::to_bytes wrote", what));
}

}  // namespace

/// Every stored number in the order of the file.
template <class Visit>
void Gram::for_each_number(auto& self, Visit visit) {
  visit(self.weight_);
  for (std::size_t i = 0; i < self.outputs(); ++i)
    for (std::size_t j = 0; j <= i; ++j) visit(self.gram_(i, j));
  for (std::size_t t = 0; t < self.targets(); ++t)
    for (std::size_t j = 0; j < self.outputs(); ++j) visit(self.cross_(t, j));
  for (auto& value : self.feature_sums_) visit(value);
  for (auto& value : self.target_sums_) visit(value);
  for (auto& value : self.target_squares_) visit(value);
}

std::vector<std::byte> Gram::to_bytes() const {
  const std::uint64_t header[kHeader] = {kMagic + kVersion, outputs(), targets(), rows_, single_ ? 1U : 0U};
  std::vector<std::byte> bytes(sizeof(header) + sizeof(double) * numbers(outputs(), targets(), kVersion));
  std::memcpy(bytes.data(), header, sizeof(header));
  std::byte* to = bytes.data() + sizeof(header);
  for_each_number(*this, [&](double value) {
    std::memcpy(to, &value, sizeof(value));
    to += sizeof(value);
  });
  for (const auto* ends : {&target_lows_, &target_highs_}) {
    if (targets() > 0) std::memcpy(to, ends->data(), sizeof(double) * targets());
    to += sizeof(double) * targets();
  }
  return bytes;
}

void Gram::read_target_ends(const std::byte* from) {
  for (std::size_t t = 0; t < targets(); ++t) {
    target_lows_[t] = -std::numeric_limits<double>::infinity();
    target_highs_[t] = std::numeric_limits<double>::infinity();
    if (from == nullptr) continue;
    std::memcpy(&target_lows_[t], from + sizeof(double) * t, sizeof(double));
    std::memcpy(&target_highs_[t], from + sizeof(double) * (targets() + t), sizeof(double));
    if (std::isnan(target_lows_[t]) || std::isnan(target_highs_[t])) refuse_bytes("an end of the targets is nan");
  }
}

Gram Gram::from_bytes(std::span<const std::byte> bytes) {
  std::uint64_t header[kHeader];
  if (bytes.size() < sizeof(header)) refuse_bytes(fmt::format("there are only {}", bytes.size()));
  std::memcpy(header, bytes.data(), sizeof(header));
  const auto [magic, outputs, targets, rows, single] = header;
  if (magic >> 8 != kMagic >> 8) refuse_bytes("they do not start as a Gram does");
  const std::uint64_t version = magic - kMagic;
  if (version < 1 || version > kVersion) refuse_bytes(fmt::format("version {} is unknown", version));
  if (outputs == 0 || outputs > kMost || targets > kMost || single > 1)
    refuse_bytes(fmt::format("there are {} outputs and {} targets", outputs, targets));
  const std::uint64_t wanted = sizeof(header) + sizeof(double) * numbers(outputs, targets, version);
  if (bytes.size() != wanted) refuse_bytes(fmt::format("there are {} and not {}", bytes.size(), wanted));
  Gram result(outputs, targets);
  const std::byte* from = bytes.data() + sizeof(header);
  for_each_number(result, [&](double& value) {
    std::memcpy(&value, from, sizeof(value));
    if (!std::isfinite(value)) refuse_bytes(fmt::format("number {} is {}", (from - bytes.data()) / 8, value));
    from += sizeof(value);
  });
  result.read_target_ends(version == 1 ? nullptr : from);
  for (std::size_t i = 0; i < outputs; ++i)
    if (result.gram_(i, i) < 0)
      refuse_bytes(fmt::format("feature {} has the sum of squares {}", i, result.gram_(i, i)));
  for (const double square : result.target_squares_)
    if (square < 0) refuse_bytes(fmt::format("a target has the sum of squares {}", square));
  if (result.weight_ < 0) refuse_bytes(fmt::format("the weight is {}", result.weight_));
  result.rows_ = rows;
  result.single_ = single == 1;
  return result;
}

}  // namespace bochner
