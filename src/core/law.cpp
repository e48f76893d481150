// SPDX-License-Identifier: Apache-2.0
#include "core/law.h"

#include "core/normal_quantile.h"

namespace bochner {
namespace {

double normal_radius(std::uint64_t seed, std::uint64_t row, std::size_t d) {
  return Stream(seed, Purpose::norms).chi(row, d);
}

void fill_normal_row(std::uint64_t seed, std::uint64_t row, std::span<double> out) {
  Stream(seed, Purpose::iid_entries).fill_normal(row, 0, out);
}

}  // namespace

Law normal_law() { return {"normal", true, true, normal_radius, fill_normal_row, normal_quantile}; }

}  // namespace bochner
