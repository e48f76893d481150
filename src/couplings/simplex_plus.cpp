// SPDX-License-Identifier: Apache-2.0
// simplex_plus (SimRF+, Reid et al., 2023): blocks W_b = V_b R_b, where the rows of V_b have norms from the law and are
// turned so that they add up to zero (simplex_directions.h), and R_b is Haar: `simplex` with angles that depend on the
// norms. A block has D = `block` rows, drawn in R^D for padded inputs, and its own norms; a partial block is relaxed by
// itself. Each row keeps its law. The error has no closed form; it is a few per cent below that of `simplex` for single
// positive maps, O(|x+y|^4) for small sums. Any m >= 1, d >= 2. Draw O(m D (D + d)), memory O(m d + D^2).
#include <algorithm>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "couplings/coupling.h"
#include "couplings/dense.h"
#include "couplings/haar.h"
#include "couplings/parameters.h"
#include "couplings/simplex_directions.h"
#include "simd/project.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kBlock};
constexpr std::size_t kRowsPerBlock = 48;

/// rows <- V rows, with every operation rounded separately: the same bits on every machine.
void multiply(const Matrix<double>& V, MatrixView<double> rows) {
  Matrix<double> transposed(rows.cols(), rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t l = 0; l < rows.cols(); ++l) transposed(l, i) = rows(i, l);
  const simd::PackedRows<double> packed(transposed.view());
  parallel_for(rows.rows(), kRowsPerBlock, [&](std::size_t first, std::size_t last) {
    simd::project<double>(packed, V.view().row_range(first, last), simd::Finish<double>{}, rows.row_range(first, last),
                          simd::Rounding::separate);
  });
}

std::unique_ptr<Projection> draw(const DrawRequest& request) {
  const std::size_t block = count(request.parameters, "block");
  Matrix<double> W(request.m, request.d);
  std::vector<double> squared_norms;
  for (std::size_t first = 0; first < request.m; first += block) {
    const MatrixView<double> rows = W.view().row_range(first, std::min(first + block, request.m));
    draw_haar_corner(request.seed, first / block, block, rows);
    std::vector<double> norms(rows.rows());
    for (std::size_t i = 0; i < norms.size(); ++i) norms[i] = request.law.radius(request.seed, first + i, block);
    for (const double norm : norms) squared_norms.push_back(norm * norm);
    multiply(relaxed_simplex(norms), rows);
  }
  if (block == request.d) squared_norms.clear();  // computed from the stored W
  return dense_projection(std::move(W), std::move(squared_norms));
}

/// W, and the matrix V of one block, as drawn and packed.
double bytes(std::size_t d, std::size_t m, std::size_t D) {
  const double rows = static_cast<double>(std::min(m, D));
  return dense_bytes(d, m, D) + 16 * rows * rows;
}

}  // namespace

extern const Coupling simplex_plus_coupling;
const Coupling simplex_plus_coupling = {
    .entry = {.name = "simplex_plus",
              .aliases = "simrf+",
              .formula = "W_b = V_b R_b, rows of V_b of random norms that add up to zero, R_b Haar",
              .summary = "simplex whose angles follow the norms; slightly smaller error for single positive maps",
              .reference = "Reid et al. 2023",
              .parameters = kParameters},
    .needs = LawNeed::isotropic,
    .bytes = bytes,
    .angles = Angles::simplex,
    .approximate = true,
    .smallest_d = 2,
    .draw = draw,
};

}  // namespace bochner
