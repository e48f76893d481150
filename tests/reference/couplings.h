// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/spec.h"
#include "core/stream.h"
#include "reference/bug.h"
#include "reference/kernels.h"
#include "reference/maps.h"

namespace bochner::reference {

/// Householder's QR of A' (rows of A are the columns that are factorised): rows of the result are the columns of Q.
/// With the sign fix, column j times sign(R_jj), Gaussian rows give a Haar matrix; without it they do not.
inline Matrix<double> qr_rows(const Matrix<double>& A, bool sign_fix) {
  const std::size_t r = A.rows();
  const std::size_t d = A.cols();
  std::vector<std::vector<double>> reflectors;
  std::vector<double> sign_of_r;
  const auto reflect = [](const std::vector<double>& v, std::vector<double>& x) {  // x -= 2 v (v.x) / (v.v)
    double vx = 0, vv = 0;
    for (std::size_t l = 0; l < x.size(); ++l) vx += v[l] * x[l], vv += v[l] * v[l];
    for (std::size_t l = 0; l < x.size(); ++l) x[l] -= 2 * v[l] * vx / vv;
  };
  for (std::size_t j = 0; j < r; ++j) {
    std::vector<double> column(A.view().row(j).begin(), A.view().row(j).end());
    for (const auto& v : reflectors) reflect(v, column);
    double norm = 0;
    for (std::size_t l = j; l < d; ++l) norm += column[l] * column[l];
    norm = std::sqrt(norm);
    const double sign = column[j] < 0 ? -1.0 : 1.0;
    std::fill_n(column.begin(), j, 0.0);
    column[j] += sign * norm;
    reflectors.push_back(column);
    sign_of_r.push_back(-sign);
  }
  Matrix<double> Q(r, d);
  for (std::size_t j = 0; j < r; ++j) {
    std::vector<double> column(d, 0.0);
    column[j] = sign_fix ? sign_of_r[j] : 1.0;
    for (std::size_t k = j + 1; k-- > 0;) reflect(reflectors[k], column);
    std::copy(column.begin(), column.end(), Q.view().row(j).begin());
  }
  return Q;
}

/// The r unit vectors to the vertices of a regular simplex, in R^r: s_i = sqrt(r/(r-1)) e_i - (sqrt(r)+1)/(r-1)^{3/2}
/// (1,..,1,0) for i < r and s_r = (1,..,1,0)/sqrt(r-1). `pull` is sqrt(r)+1, or what a bug puts there.
inline Matrix<double> simplex_vertices(std::size_t r, double pull) {
  Matrix<double> S(r, r, 0.0);
  if (r == 1) {
    S(0, 0) = 1;
    return S;
  }
  const double n = static_cast<double>(r);
  for (std::size_t i = 0; i + 1 < r; ++i) {
    for (std::size_t l = 0; l + 1 < r; ++l) S(i, l) = -pull / std::pow(n - 1, 1.5);
    S(i, i) += std::sqrt(n / (n - 1));
    S(r - 1, i) = 1 / std::sqrt(n - 1);
  }
  return S;
}

/// The first `rows` rows of S Q.
inline Matrix<double> product(const Matrix<double>& S, const Matrix<double>& Q, std::size_t rows) {
  Matrix<double> P(rows, Q.cols(), 0.0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < Q.rows(); ++k)
      for (std::size_t l = 0; l < Q.cols(); ++l) P(i, l) += S(i, k) * Q(k, l);
  return P;
}

/// `rows` rows of independent normal numbers, of block `block`.
inline Matrix<double> gaussian_rows(std::uint64_t seed, std::size_t block, std::size_t rows, std::size_t d) {
  Matrix<double> A(rows, d);
  const Stream stream(seed, Purpose::haar_reflectors);
  for (std::size_t i = 0; i < rows; ++i) stream.fill_normal(block * d + i, 0, A.view().row(i));
  return A;
}

inline bool knows_coupling(std::string_view coupling) {
  return coupling == "iid" || coupling == "orthogonal" || coupling == "orthogonal_fixed" || coupling == "simplex";
}

/// Unit directions of block `block` with r <= D rows, in R^D.
inline Matrix<double> block_directions(const Spec& spec, std::size_t block, std::size_t r, Bug bug) {
  const std::size_t D = block_size(spec);
  const bool sign_fix = bug != Bug::qr_without_sign_fix;
  if (bug == Bug::blocks_identical) block = 0;
  if (spec.coupling.starts_with("orthogonal")) return qr_rows(gaussian_rows(spec.seed, block, r, D), sign_fix);
  if (spec.coupling != "simplex") throw std::invalid_argument("no reference for coupling " + spec.coupling);
  const std::size_t vertices = bug == Bug::simplex_rows_of_full ? D : r;
  const double n = static_cast<double>(vertices);
  const double pull = bug == Bug::simplex_printed ? std::sqrt(n + 1) : std::sqrt(n) + 1;
  return product(simplex_vertices(vertices, pull), qr_rows(gaussian_rows(spec.seed, block, vertices, D), sign_fix), r);
}

/// What N(0, I) is multiplied by in the law of a kernel: 1, or 1 / sqrt(chi2 / (2 nu)) with a chi2 of 2 nu degrees for
/// each row of matern, chi2 / 2 being a Gamma(nu) by its inverse distribution function.
inline double row_factor(const Spec& spec, std::size_t row, Bug bug) {
  if (spec.kernel != "matern") return 1;
  const double nu = smoothness(spec.parameters);
  if (bug == Bug::scale_shared) row = 0;
  const double u = Stream(spec.seed, Purpose::scales).uniform(row, 0);
  const double gamma = boost::math::gamma_p_inv(nu, u);
  return std::sqrt((bug == Bug::smoothness_halved ? 0.5 : 1.0) * nu / gamma);
}

/// One coordinate of a row of independent ones.
inline double independent_entry(const Spec& spec, double u, Bug bug) {
  const bool cauchy = spec.kernel == (bug == Bug::laws_swapped ? "cauchy" : "laplace");
  if (cauchy) return std::tan(std::numbers::pi * (u - 0.5));
  return u < 0.5 ? std::log(2 * u) : -std::log(2 * (1 - u));
}

/// An exponent: the least k with P(K <= k) >= u, by adding up probabilities.
inline double whole_entry(const Spec& spec, double u, Bug bug) {
  const auto rate = spec.parameters.find("rate");
  const bool poisson = rate != spec.parameters.end();
  const long double mean = poisson ? std::get<double>(rate->second) : 0;
  const bool geometric = !poisson || bug == Bug::law_of_other_monomial;
  const long double p = poisson ? 1 / (1 + mean) : static_cast<long double>(std::get<double>(spec.parameters.at("p")));
  long double probability = geometric ? p : std::exp(-mean), sum = probability;
  double k = 0;
  while (sum < u && probability > 0) {
    k += 1;
    probability *= geometric ? 1 - p : mean / k;
    sum += probability;
  }
  return k;
}

/// chi(D) as the norm of D normal numbers times the factor of the row, or sqrt(D).
inline double norm_of_row(const Spec& spec, std::size_t row, Bug bug) {
  const std::size_t D = bug == Bug::norms_unpadded ? spec.d : block_size(spec);
  if (bug == Bug::norms_fixed || spec.coupling == "orthogonal_fixed") return std::sqrt(static_cast<double>(D));
  if (bug == Bug::norms_shared) row %= D;
  std::vector<double> normals(D);
  Stream(spec.seed, Purpose::norms).fill_normal(row, 0, normals);
  double sum = 0;
  for (const double entry : normals) sum += entry * entry;
  return std::sqrt(sum) * row_factor(spec, row, bug);
}

inline Matrix<double> independent_rows(const Spec& spec, Bug bug) {
  const Stream stream(spec.seed, Purpose::iid_entries);
  Matrix<double> W(spec.m, spec.d);
  for (std::size_t i = 0; i < spec.m; ++i) {
    if (bug == Bug::none) stream.fill_normal(i, 0, W.view().row(i));
    for (std::size_t l = 0; bug != Bug::none && l < spec.d; ++l) {
      W(i, l) = bug == Bug::counters_collide ? stream.normal(0, i + l) : stream.normal(i, l);
      if (bug == Bug::entries_uniform) W(i, l) = std::sqrt(12.0) * (stream.uniform(i, l) - 0.5);
    }
    if (spec.kernel == "laplace" || spec.kernel == "cauchy")
      for (std::size_t l = 0; l < spec.d; ++l) W(i, l) = independent_entry(spec, stream.uniform(i, l), bug);
    if (spec.parameters.contains("rate") || spec.parameters.contains("p"))
      for (std::size_t l = 0; l < spec.d; ++l) W(i, l) = whole_entry(spec, stream.uniform(i, l), bug);
    for (double& entry : W.view().row(i)) entry *= row_factor(spec, i, bug);
  }
  return W;
}

/// W of the unit lengthscale, block by block as the papers write it: the first d columns of rows in R^D.
inline Matrix<double> directions(const Spec& spec, Bug bug = Bug::none) {
  if (spec.coupling == "iid" || bug == Bug::rows_independent) return independent_rows(spec, bug);
  Matrix<double> W(spec.m, spec.d);
  const std::size_t D = block_size(spec);
  for (std::size_t first = 0; first < spec.m; first += D) {
    const std::size_t r = std::min(D, spec.m - first);
    const Matrix<double> Q = block_directions(spec, first / D, r, bug);
    std::vector<double> norms(D);
    for (std::size_t i = 0; i < D; ++i) norms[i] = norm_of_row(spec, first + i, bug);
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t l = 0; l < spec.d; ++l) W(first + i, l) = Q(i, l) * norms[bug == Bug::norms_on_columns ? l : i];
  }
  return W;
}

/// |w_i|^2 in the space R^D in which the rows were drawn.
inline std::vector<double> squared_norms(const Spec& spec, const Matrix<double>& W, Bug bug = Bug::none) {
  std::vector<double> norms(spec.m, 0.0);
  for (std::size_t i = 0; i < spec.m; ++i) {
    for (std::size_t l = 0; l < spec.d; ++l) norms[i] += W(i, l) * W(i, l);
    if (block_size(spec) != spec.d) norms[i] = std::pow(norm_of_row(spec, i, bug), 2);
  }
  return norms;
}

}  // namespace bochner::reference
