// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bochner {

/// What a draw is for. Streams of different purposes never share a random word. These numbers are part of
/// stream_version.
enum class Purpose : std::uint64_t {
  iid_entries = 1,
  haar_reflectors = 2,
  norms = 3,
  phases = 4,
  scales = 5,
  hadamard_signs = 10,
  fastfood_permutation = 11,
  fastfood_diagonal = 12,
  row_sample = 20,
  net_scrambles = 21,
  point_shifts = 22,
  rotations = 23,
  rotation_places = 24,
  rotation_signs = 25,
  circulant_signs = 26,
  hybrid_parts = 50,
  cluster_seeds = 51,
  posterior_weights = 70,
  class_draws = 71,
};

/// Random numbers as a pure function of (seed, purpose, row, column): any element alone, in any order, with the same
/// bits on every CPU, compiler and operating system for one stream_version.
///
/// Philox4x64-10 (Salmon et al., 2011), key = (seed, stream_version), counter = (row, column / 4, purpose, attempt),
/// output word column % 4. Only + - * / sqrt touch the words after that: no libm, no contraction.
class Stream {
 public:
  Stream(std::uint64_t seed, Purpose purpose) : seed_(seed), purpose_(purpose) {}

  std::uint64_t bits(std::uint64_t row, std::uint64_t column) const;
  /// (0, 1), never an end point, 52 bits, symmetric about 1/2.
  double uniform(std::uint64_t row, std::uint64_t column) const;
  /// N(0, 1) by the inverse distribution function (AS 241), relative error < 2e-15 of the exact quantile; |x| < 8.21.
  double normal(std::uint64_t row, std::uint64_t column) const;
  /// Exponential of mean 1: -log(uniform), in (1.1e-16, 36.8).
  double exponential(std::uint64_t row, std::uint64_t column) const;
  /// +1 or -1.
  double rademacher(std::uint64_t row, std::uint64_t column) const;
  /// chi with `degrees` >= 1 degrees of freedom; O(min(degrees, 32)) expected. Up to 32 degrees it is the norm of
  /// normal(row, 0 .. degrees - 1), above that sqrt(2 Gamma(degrees / 2)) from the blocks with column 0 of attempts 0,
  /// 1, ... (Marsaglia & Tsang, 2000). It uses up the row for its purpose: draw one chi per row and nothing else.
  double chi(std::uint64_t row, std::uint64_t degrees) const;
  /// Logarithm of a Gamma(shape) variate, any shape > 0 (so 2 e^it is chi-square with 2 shape degrees); O(1) expected.
  /// Marsaglia & Tsang (2000) from the blocks with column 0 of attempts 0, 1, ...; below shape 1 it is that of shape +
  /// 1 plus log(U) / shape, which cannot underflow. It uses up the row for its purpose, as chi does.
  double log_gamma(std::uint64_t row, double shape) const;

  /// out[j] = uniform(row, first + j): the same bits, a quarter of the Philox calls.
  void fill_uniform(std::uint64_t row, std::uint64_t first, std::span<double> out) const;
  /// out[j] = normal(row, first + j): the same bits, a quarter of the Philox calls, about 10 ns each on one core.
  void fill_normal(std::uint64_t row, std::uint64_t first, std::span<double> out) const;

 private:
  /// Calls consume(words, values) for parts of `out`; the words are bits(row, first), bits(row, first + 1), ...
  template <class Consume>
  void fill_chunks(std::uint64_t row, std::uint64_t first, std::span<double> out, Consume consume) const;

  std::uint64_t seed_;
  Purpose purpose_;
};

}  // namespace bochner
