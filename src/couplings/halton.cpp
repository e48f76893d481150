// SPDX-License-Identifier: Apache-2.0
// halton (Halton, 1960; for random features Yang et al., 2014): coordinate j of point i of the cube is the radical
// inverse of i + 1 in the j-th prime, plus a random shift mod 1 per coordinate (Cranley & Patterson, 1976), which makes
// every point uniform: each row of W has its law exactly. Any m and d, product laws. Draw O(m d log m), memory O(m d).
// For d above about 10 the first prime(d) points of the last coordinates lie on few lines, and the error is far larger
// than that of independent rows.
#include "core/stream.h"
#include "couplings/coupling.h"
#include "couplings/quasi_random.h"

namespace bochner {
namespace {

std::unique_ptr<Projection> draw(const DrawRequest& request) {
  const std::vector<std::uint64_t> primes = first_primes(request.d);
  const Stream stream(request.seed, Purpose::point_shifts);
  std::vector<std::uint64_t> shifts(request.d);
  for (std::size_t j = 0; j < request.d; ++j) shifts[j] = stream.bits(0, j) >> (64 - kNetDigits);
  constexpr std::uint64_t kOne = std::uint64_t{1} << kNetDigits;
  return project_on_cube_points(
      request, [&](std::size_t i, std::size_t j) { return (radical_inverse(i + 1, primes[j]) + shifts[j]) % kOne; });
}

}  // namespace

extern const Coupling halton_coupling;
const Coupling halton_coupling = {
    .entry = {.name = "halton",
              .aliases = "",
              .formula = "w_ij = F^-1({radical inverse of i in prime j + shift_j})",
              .summary = "quasi-Monte Carlo points, randomly shifted; for d up to about 8",
              .reference = "Yang et al. 2014"},
    .needs = LawNeed::product,
    .independent_blocks = false,
    .draw = draw,
};

}  // namespace bochner
