// SPDX-License-Identifier: Apache-2.0
#include "couplings/haar.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "core/stream.h"
#include "simd/project.h"

namespace bochner {
namespace {

using simd::PackedRows;
using simd::Rounding;

// Reflections per panel: large enough for the product to dominate, small enough for the panel to stay in L2 at d =
// 1024.
constexpr std::size_t kPanel = 48;
constexpr std::size_t kRowsPerBlock = 48;

/// Reflections j0, ..., j0 + k - 1 restricted to coordinates >= j0: H_j = I - tau_j v_j v_j', rows of V are the v_j.
struct Panel {
  std::size_t j0;
  Matrix<double> V;          // k x (d - j0)
  std::vector<double> tau;   // k
  std::vector<double> sign;  // k: makes the diagonal of R positive
};

/// v = x + sign(x_1) |x| e_1, tau = 2 / |v|^2 for x ~ N(0, I) of length d - j; R_jj = -sign(x_1) |x|.
Panel draw_panel(const Stream& stream, std::uint64_t first_row, std::size_t j0, std::size_t k, std::size_t d) {
  Panel panel{j0, Matrix<double>(k, d - j0, 0.0), std::vector<double>(k), std::vector<double>(k)};
  parallel_for(k, 1, [&](std::size_t i, std::size_t) {
    const std::span<double> v = panel.V.view().row(i).subspan(i);
    stream.fill_normal(first_row + j0 + i, 0, v);
    double norm2 = 0;
    for (const double entry : v) norm2 += entry * entry;
    const double sign = v[0] < 0 ? -1.0 : 1.0;
    const double first = std::abs(v[0]);
    const double norm = std::sqrt(norm2);
    v[0] = sign * (first + norm);
    panel.tau[i] = 1.0 / (norm * (norm + first));
    panel.sign[i] = -sign;
  });
  return panel;
}

/// Z = X W' with every operation rounded separately.
Matrix<double> product(MatrixView<const double> X, MatrixView<const double> W) {
  Matrix<double> Z(X.rows(), W.rows());
  simd::project(PackedRows<double>(W), X, simd::Finish<double>{}, Z.view(), Rounding::separate);
  return Z;
}

Matrix<double> transposed(MatrixView<const double> A) {
  Matrix<double> B(A.cols(), A.rows());
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.cols(); ++j) B(j, i) = A(i, j);
  return B;
}

/// T' of the compact WY form H_1 ... H_k = I - V' T V (rows of V are the vectors), T upper triangular:
/// T_jj = tau_j, T_{1..j-1, j} = -tau_j T_{1..j-1, 1..j-1} (V v_j).
Matrix<double> wy_factor_transposed(const Panel& panel) {
  const std::size_t k = panel.V.rows();
  const Matrix<double> gram = product(panel.V.view(), panel.V.view());
  Matrix<double> Tt(k, k, 0.0);
  for (std::size_t j = 0; j < k; ++j) {
    Tt(j, j) = panel.tau[j];
    for (std::size_t i = 0; i < j; ++i) {
      double sum = 0;
      for (std::size_t l = i; l < j; ++l) sum += Tt(l, i) * gram(l, j);
      Tt(j, i) = -panel.tau[j] * sum;
    }
  }
  return Tt;
}

/// For rows q of Q from j0 on: q <- (I - V' T V) q, that is Q <- Q - (Q V') T' V on coordinates >= j0.
void reflect(const Panel& panel, MatrixView<double> Q) {
  const Matrix<double> Tt = wy_factor_transposed(panel);
  const PackedRows<double> V(panel.V.view());
  const Matrix<double> VtT = product(transposed(panel.V.view()).view(), Tt.view());  // (d - j0) x k
  const PackedRows<double> packed_VtT(VtT.view());
  const MatrixView<double> active = Q.row_range(panel.j0, Q.rows()).col_range(panel.j0, Q.cols());
  parallel_for(active.rows(), kRowsPerBlock, [&](std::size_t first, std::size_t last) {
    const MatrixView<double> rows = active.row_range(first, last);
    Matrix<double> P(rows.rows(), V.rows());
    simd::project<double>(V, rows, simd::Finish<double>{}, P.view(), Rounding::separate);
    simd::project<double>(packed_VtT, P.view(), simd::Finish<double>{simd::Shape::add, -1.0}, rows, Rounding::separate);
  });
}

}  // namespace

void draw_haar(std::uint64_t seed, std::uint64_t block, MatrixView<double> Q) {
  const Stream stream(seed, Purpose::haar_reflectors);
  const std::size_t r = Q.rows();
  const std::size_t d = Q.cols();
  const std::uint64_t first_row = block * d;
  for (std::size_t i = 0; i < r; ++i) {
    std::fill_n(Q.row(i).data(), d, 0.0);
    Q(i, i) = 1.0;
  }
  const std::size_t panels = (r + kPanel - 1) / kPanel;
  for (std::size_t p = panels; p-- > 0;) {
    const std::size_t j0 = p * kPanel;
    const Panel panel = draw_panel(stream, first_row, j0, std::min(kPanel, r - j0), d);
    for (std::size_t i = 0; i < panel.sign.size(); ++i) Q(j0 + i, j0 + i) = panel.sign[i];
    reflect(panel, Q);
  }
}

void draw_haar_corner(std::uint64_t seed, std::uint64_t block, std::size_t D, MatrixView<double> Q) {
  if (D == Q.cols()) return draw_haar(seed, block, Q);
  Matrix<double> columns(Q.cols(), D);
  draw_haar(seed, block, columns.view());
  for (std::size_t i = 0; i < Q.rows(); ++i)
    for (std::size_t l = 0; l < Q.cols(); ++l) Q(i, l) = columns(l, i);
}

}  // namespace bochner
