// SPDX-License-Identifier: Apache-2.0
// iid: independent rows (Rahimi & Recht, 2007). Valid for every law, any m and d. Draw O(m d), memory O(m d).
#include "core/parallel.h"
#include "couplings/coupling.h"
#include "couplings/dense.h"

namespace bochner {
namespace {

constexpr std::size_t kRowsPerBlock = 16;

std::unique_ptr<Projection> draw(const DrawRequest& request) {
  Matrix<double> W(request.m, request.d);
  parallel_for(request.m, kRowsPerBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) request.law.fill_row(request.seed, i, W.view().row(i));
  });
  return dense_projection(std::move(W));
}

}  // namespace

extern const Coupling iid_coupling;
const Coupling iid_coupling = {
    .entry = {.name = "iid",
              .aliases = "",
              .formula = "w_i independent",
              .summary = "independent rows; serves every law, the yardstick for the others",
              .reference = "Rahimi & Recht 2007"},
    .angles = Angles::independent,
    .draw = draw,
};

}  // namespace bochner
