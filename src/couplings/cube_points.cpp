// SPDX-License-Identifier: Apache-2.0
#include "couplings/cube_points.h"

#include "core/exact_math.h"
#include "core/parallel.h"
#include "couplings/dense.h"

namespace bochner {
namespace {

constexpr std::size_t kRowsPerBlock = 16;

}  // namespace

std::unique_ptr<Projection> project_on_cube_points(
    const DrawRequest& request, const std::function<std::uint64_t(std::size_t i, std::size_t j)>& digits) {
  Matrix<double> W(request.m, request.d);
  parallel_for(request.m, kRowsPerBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < request.d; ++j) W(i, j) = request.law.quantile(unit_interval(digits(i, j) << 12));
  });
  return dense_projection(std::move(W));
}

}  // namespace bochner
