// SPDX-License-Identifier: Apache-2.0
#include "couplings/quasi_random.h"

#include <bit>
#include <boost/random/sobol.hpp>

#include "core/exact_math.h"
#include "core/parallel.h"
#include "core/stream.h"
#include "couplings/dense.h"

namespace bochner {

std::uint64_t NetCoordinate::point(std::uint64_t n) const {
  std::uint64_t digits = shift;
  for (; n != 0; n &= n - 1) digits ^= columns[static_cast<std::size_t>(std::countr_zero(n))];
  return digits;
}

static_assert(kSobolDimensions <= boost::random::default_sobol_table::max_dimension);

std::vector<NetCoordinate> sobol_net(std::size_t d, unsigned columns) {
  // Boost's engine leaves out the point 0 and walks in Gray code, so its point 2^k - 1 is column k xor column k - 1.
  boost::random::sobol_engine<std::uint64_t, kNetDigits> engine(d);
  std::vector<NetCoordinate> net(d);
  for (unsigned k = 0; k < columns; ++k) {
    engine.seed((std::uint64_t{1} << k) - 1);
    for (NetCoordinate& coordinate : net)
      coordinate.columns.push_back(engine() ^ (k == 0 ? 0 : coordinate.columns.back()));
  }
  return net;
}

void scramble(std::uint64_t seed, std::uint64_t j, NetCoordinate& coordinate) {
  const Stream stream(seed, Purpose::net_scrambles);
  std::vector<std::uint64_t> scrambled(coordinate.columns.size(), 0);
  for (unsigned digit = 0; digit < kNetDigits; ++digit) {
    const unsigned bit = kNetDigits - 1 - digit;
    const std::uint64_t diagonal = std::uint64_t{1} << bit;
    const std::uint64_t before = (std::uint64_t{1} << kNetDigits) - 2 * diagonal;  // the digits before this one
    const std::uint64_t row = (stream.bits(j, digit) & before) | diagonal;
    for (std::size_t k = 0; k < scrambled.size(); ++k)
      scrambled[k] |= static_cast<std::uint64_t>(std::popcount(row & coordinate.columns[k]) % 2) << bit;
  }
  coordinate.columns = std::move(scrambled);
  coordinate.shift ^= stream.bits(j, kNetDigits) >> (64 - kNetDigits);
}

std::vector<std::uint64_t> first_primes(std::size_t count) {
  std::vector<std::uint64_t> primes;
  for (std::size_t limit = 16; primes.size() < count; limit *= 2) {
    primes.clear();
    std::vector<bool> composite(limit, false);
    for (std::size_t n = 2; n < limit && primes.size() < count; ++n) {
      if (composite[n]) continue;
      primes.push_back(n);
      for (std::size_t multiple = n * n; multiple < limit; multiple += n) composite[multiple] = true;
    }
  }
  return primes;
}

std::uint64_t radical_inverse(std::uint64_t n, std::uint64_t b) {
  std::uint64_t mirrored = 0, power = 1;
  for (; n != 0; n /= b) {
    mirrored = mirrored * b + n % b;
    power *= b;
  }
  return static_cast<std::uint64_t>(static_cast<double>(mirrored) / static_cast<double>(power) * 0x1p52);
}

namespace {

constexpr std::size_t kRowsOfPoints = 16;

}  // namespace

std::unique_ptr<Projection> project_on_cube_points(
    const DrawRequest& request, const std::function<std::uint64_t(std::size_t i, std::size_t j)>& digits) {
  Matrix<double> W(request.m, request.d);
  parallel_for(request.m, kRowsOfPoints, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < request.d; ++j) W(i, j) = request.law.quantile(unit_interval(digits(i, j) << 12));
  });
  return dense_projection(std::move(W));
}

}  // namespace bochner
