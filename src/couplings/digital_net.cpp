// SPDX-License-Identifier: Apache-2.0
#include "couplings/digital_net.h"

#include <bit>
#include <boost/random/sobol.hpp>

#include "core/stream.h"

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
    const std::uint64_t before = (std::uint64_t{1} << kNetDigits) - 2 * diagonal;  // the digits above this one
    const std::uint64_t row = (stream.bits(j, digit) & before) | diagonal;
    for (std::size_t k = 0; k < scrambled.size(); ++k)
      scrambled[k] |= static_cast<std::uint64_t>(std::popcount(row & coordinate.columns[k]) % 2) << bit;
  }
  coordinate.columns = std::move(scrambled);
  coordinate.shift ^= stream.bits(j, kNetDigits) >> (64 - kNetDigits);
}

}  // namespace bochner
