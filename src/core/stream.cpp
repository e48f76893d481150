// SPDX-License-Identifier: Apache-2.0
#include "core/stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "bochner/version.h"
#include "core/errors.h"
#include "core/exact_math.h"
#include "core/philox.h"
#include "core/quantiles.h"

namespace bochner {
namespace {

constexpr std::uint64_t kNormsOfNormals = 32;  // up to this many degrees, chi is the norm of that many normals

using Block = std::array<std::uint64_t, 4>;

inline Block block_at(std::uint64_t seed, Purpose purpose, std::uint64_t row, std::uint64_t block,
                      std::uint64_t attempt) {
  return philox_words({row, block, static_cast<std::uint64_t>(purpose), attempt}, {seed, kStreamVersion});
}

/// One attempt at Gamma(shape) by rejection (Marsaglia & Tsang, 2000), d = shape - 1/3, c = 1 / sqrt(9 d): the value,
/// or a negative number when it is rejected (below 5 % of attempts for shape >= 1, 0.2 % for shape > 16).
double try_gamma(double d, double c, double x, double u) {
  const double base = 1.0 + c * x;
  const double v = base * base * base;
  if (v <= 0.0) return -1.0;
  const double squeeze = 1.0 - 0.0331 * (x * x) * (x * x);
  if (u < squeeze) return d * v;
  const double bound = 0.5 * (x * x) + d * (1.0 - v + exact_log(v));
  return exact_log(u) < bound ? d * v : -1.0;
}

struct GammaDraw {
  double gamma;
  std::uint64_t spare;  ///< a random word that the draw did not use
};

/// Gamma(shape), shape >= 1, from the words of attempts 0, 1, ... until one is accepted.
template <class Words>
GammaDraw draw_gamma(double shape, const Words& words_of) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (std::uint64_t attempt = 0;; ++attempt) {
    const Block words = words_of(attempt);
    const double gamma = try_gamma(d, c, normal_quantile(unit_interval(words[0])), unit_interval(words[1]));
    if (gamma >= 0.0) return {gamma, words[2]};
  }
}

}  // namespace

std::uint64_t Stream::bits(std::uint64_t row, std::uint64_t column) const {
  return block_at(seed_, purpose_, row, column / 4, 0)[column % 4];
}

double Stream::uniform(std::uint64_t row, std::uint64_t column) const { return unit_interval(bits(row, column)); }

double Stream::normal(std::uint64_t row, std::uint64_t column) const { return normal_quantile(uniform(row, column)); }

double Stream::exponential(std::uint64_t row, std::uint64_t column) const { return -exact_log(uniform(row, column)); }

double Stream::rademacher(std::uint64_t row, std::uint64_t column) const {
  return (bits(row, column) >> 63) == 0 ? 1.0 : -1.0;
}

double Stream::chi(std::uint64_t row, std::uint64_t degrees) const {
  if (degrees == 0) refuse("degrees", "0", "at least 1");
  if (degrees <= kNormsOfNormals) {
    std::array<double, kNormsOfNormals> normals;
    fill_normal(row, 0, std::span(normals).first(degrees));
    double sum = 0.0;
    for (std::uint64_t j = 0; j < degrees; ++j) sum += normals[j] * normals[j];
    return std::sqrt(sum);
  }
  const GammaDraw draw = draw_gamma(0.5 * static_cast<double>(degrees),
                                    [&](std::uint64_t attempt) { return block_at(seed_, purpose_, row, 0, attempt); });
  return std::sqrt(2.0 * draw.gamma);
}

double Stream::log_gamma(std::uint64_t row, double shape) const {
  if (!(shape > 0.0 && shape <= 1e300)) refuse("shape", std::to_string(shape), "a number above 0 and at most 1e300");
  const auto words = [&](std::uint64_t attempt) { return block_at(seed_, purpose_, row, 0, attempt); };
  if (shape >= 1.0) return exact_log(draw_gamma(shape, words).gamma);
  const GammaDraw draw = draw_gamma(shape + 1.0, words);
  return exact_log(draw.gamma) + exact_log(unit_interval(draw.spare)) / shape;
}

template <class Consume>
void Stream::fill_chunks(std::uint64_t row, std::uint64_t first, std::span<double> out, Consume consume) const {
  constexpr std::size_t kChunk = 256;
  std::array<std::uint64_t, kChunk + 4> words;
  while (!out.empty()) {
    const std::size_t skip = first % 4;
    const std::size_t count = std::min(kChunk - skip, out.size());
    for (std::size_t j = 0; j < skip + count; j += 4) {
      const Block four = block_at(seed_, purpose_, row, (first - skip + j) / 4, 0);
      std::copy(four.begin(), four.end(), words.begin() + j);
    }
    consume(std::span<const std::uint64_t>(words).subspan(skip, count), out.first(count));
    out = out.subspan(count);
    first += count;
  }
}

void Stream::fill_uniform(std::uint64_t row, std::uint64_t first, std::span<double> out) const {
  fill_chunks(row, first, out, [](std::span<const std::uint64_t> words, std::span<double> values) {
    std::transform(words.begin(), words.end(), values.begin(), unit_interval);
  });
}

void Stream::fill_normal(std::uint64_t row, std::uint64_t first, std::span<double> out) const {
  fill_chunks(row, first, out, normal_quantiles);
}

}  // namespace bochner
