// SPDX-License-Identifier: Apache-2.0
#include "couplings/radical_inverse.h"

namespace bochner {

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

}  // namespace bochner
