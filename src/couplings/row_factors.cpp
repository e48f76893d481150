// SPDX-License-Identifier: Apache-2.0
#include "couplings/row_factors.h"

#include <cmath>

#include "core/parallel.h"
#include "core/parameter.h"

namespace bochner {
namespace {

constexpr std::size_t kRowsPerTask = 4096;

}  // namespace

std::vector<double> random_norms(const DrawRequest& request, const BlockShape& shape, double unit) {
  std::vector<double> norms(shape.blocks() * shape.D, 0.0);
  parallel_for(shape.m, kRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) norms[i] = unit * request.law.radius(request.seed, i, shape.D);
  });
  return norms;
}

std::vector<double> row_norms(const DrawRequest& request, const BlockShape& shape, double unit) {
  if (word(request.parameters, "norms") == "fixed") return {unit * std::sqrt(static_cast<double>(shape.D))};
  return random_norms(request, shape, unit);
}

}  // namespace bochner
