// SPDX-License-Identifier: Apache-2.0
// complex_exponential (CE, Choromanski et al., 2022, App. H): f(x) = m^{-1/2} exp((a - 1/2) |x|^2 - (Mx)^2/2 + w_i.Mx),
// (u)^2 = sum u_k^2, M = A for queries and (A')^{-1} for keys. Re sum f(x) f(y) is unbiased for every invertible A; its
// variance is zero where A x + (A')^{-1} y = 0. Real A: one number per direction; otherwise first all Re f, then all
// Im f, with the opposite sign for keys. With u = Re Mx, v = Im Mx: log|f| = w.u - (|u|^2 - |v|^2)/2 and
// arg f = w.v - u.v. The product Mx costs 2 d^2 (diagonal: d) flops per row, twice that for complex A; the projection
// costs twice as much, too. Rows with an exponent above 88 (float) or 709 (double) are refused.
#include "theory/complex_exponential.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "bochner/matrix.h"
#include "core/complex_inverse.h"
#include "core/errors.h"
#include "core/parameter.h"
#include "maps/elementwise.h"
#include "maps/feature_map.h"
#include "maps/lift.h"
#include "simd/arrays.h"
#include "simd/polar.h"

namespace bochner {
namespace {

using ComplexNumbers = std::vector<std::complex<double>>;

// Beyond this, the inverse has lost all digits of a float and most digits of a double.
constexpr double kWorstCondition = 1e10;

constexpr Parameter kParameters[] = {
    {.name = "A",
     .standard = "from data, by fit",
     .allowed = "d numbers (a diagonal) or d x d (a matrix, row by row), real or complex, all finite",
     .meaning = "invertible matrix: features of A x meet those of inverse(A') y; fit makes A x + inverse(A') y vanish "
                "at the means of queries and keys",
     .accepts =
         [](const Value& value, std::size_t d) {
           const auto fits = [&](std::size_t size) { return size == d || (size / d == d && size % d == 0); };
           if (is_list(value)) return fits(std::get<std::vector<double>>(value).size());
           const auto* list = std::get_if<ComplexNumbers>(&value);
           return list != nullptr && fits(list->size()) && std::ranges::all_of(*list, [](const auto& entry) {
                    return std::isfinite(entry.real()) && std::isfinite(entry.imag());
                  });
         },
     .fallback = nullptr}};

/// (A')^{-1} in the form of A: d or d * d numbers.
ComplexNumbers inverse_transposed(const ComplexNumbers& A, std::size_t d) {
  ComplexNumbers result(A.size());
  double condition = 0;
  if (A.size() == d) {
    double least = HUGE_VAL, most = 0;
    for (std::size_t k = 0; k < d; ++k) {
      least = std::min(least, std::abs(A[k]));
      most = std::max(most, std::abs(A[k]));
      result[k] = 1.0 / A[k];
    }
    condition = most / least;
  } else {
    const ComplexInverse inverse = complex_inverse(A, d);
    condition = inverse.condition;
    for (std::size_t i = 0; i < d && !inverse.matrix.empty(); ++i)
      for (std::size_t j = 0; j < d; ++j) result[i * d + j] = inverse.matrix[j * d + i];
  }
  // A diagonal is inverted entry by entry, whatever the others are.
  const double worst = A.size() == d ? HUGE_VAL : kWorstCondition;
  if (!(condition < worst))
    refuse("A", fmt::format("of condition {:.2g}", condition),
           A.size() == d ? "an invertible diagonal: no entry 0"
                         : fmt::format("an invertible matrix: condition below {:.0e}", kWorstCondition));
  return result;
}

std::vector<double> part(const ComplexNumbers& M, bool imaginary) {
  std::vector<double> numbers;
  for (const auto& entry : M) numbers.push_back(imaginary ? entry.imag() : entry.real());
  return numbers;
}

/// Rows of a block multiplied by M, and their terms; kept per thread until the next block.
template <class T>
struct Lifted {
  Matrix<T> memory;
  std::vector<T> exponents, phases, largest;

  /// `count` blocks of n rows, with rows padded by a cache line so that those of a tile do not meet in the same L1
  /// sets.
  MatrixView<T> rows(std::size_t which, std::size_t count, std::size_t n, std::size_t d) {
    constexpr std::size_t kLine = 64 / sizeof(T);
    const std::size_t stride = (d + kLine - 1) / kLine * kLine + kLine;
    if (memory.rows() * memory.cols() < count * n * stride) memory = Matrix<T>(count * n, stride);
    return {memory.data() + which * n * stride, n, d, stride};
  }
};

class ComplexExponentialMap final : public FeatureMap {
 public:
  ComplexExponentialMap(const MapRequest& request, const ComplexNumbers& A)
      : m_(request.m),
        norm_term_(request.norm_exponent - 0.5),
        complex_(std::ranges::any_of(A, [](const auto& entry) { return entry.imag() != 0; })),
        query_(A, request.d),
        key_(inverse_transposed(A, request.d), request.d) {}

  void transform(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z) const override {
    transform_as(rows, projection, Z);
  }
  void transform(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z) const override {
    transform_as(rows, projection, Z);
  }

 private:
  struct Sides {
    Sides(const ComplexNumbers& M, std::size_t d) : real(part(M, false), d), imaginary(part(M, true), d) {}
    Lift real;
    Lift imaginary;
  };

  template <class T>
  void transform_as(const Rows<T>& rows, const Projection& projection, MatrixView<T> Z) const {
    static thread_local Lifted<T> lifted;
    const std::size_t n = rows.X.rows(), d = rows.X.cols();
    const Sides& side = rows.side == Side::query ? query_ : key_;
    const MatrixView<T> U = lifted.rows(0, complex_ ? 2 : 1, n, d);
    side.real.apply(rows.X, U);
    lifted.exponents.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      lifted.exponents[i] = static_cast<T>(norm_term_) * rows.norms[i] - simd::dot<T>(U.row(i), U.row(i)) / 2;
    check_sizes<T>(lifted.exponents, rows);
    const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(m_)));
    lifted.largest.assign(n, T(0));
    if (!complex_) {
      projection.apply(U,
                       {.shape = simd::Shape::exp,
                        .scale = scale,
                        .row_offset = lifted.exponents.data(),
                        .row_top = lifted.largest.data()},
                       Z, rows.streaming);
      return check_sizes<T>(lifted.largest, rows);
    }
    add_imaginary_part(lifted, side, rows, projection, Z);
    projection.apply(U, {.shape = simd::Shape::exponent, .row_offset = lifted.exponents.data()}, Z.col_range(0, m_),
                     false);
    constexpr T kMost = std::is_same_v<T, float> ? T(88) : T(709);
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<T> exponents = Z.row(i).subspan(0, m_);
      if (!(simd::largest<T>(exponents) <= kMost)) lifted.largest[i] = std::numeric_limits<T>::infinity();
      simd::polar<T>(scale, exponents, Z.row(i).subspan(m_, m_));
    }
    check_sizes<T>(lifted.largest, rows);
  }

  /// Phases w.v - u.v go to the second half of Z, with the sign of the side; |v|^2/2 is added to the exponents.
  template <class T>
  void add_imaginary_part(Lifted<T>& lifted, const Sides& side, const Rows<T>& rows, const Projection& projection,
                          MatrixView<T> Z) const {
    const std::size_t n = rows.X.rows(), d = rows.X.cols();
    const MatrixView<T> U = lifted.rows(0, 2, n, d), V = lifted.rows(1, 2, n, d);
    const T sign = rows.side == Side::query ? T(1) : T(-1);
    side.imaginary.apply(rows.X, V);
    lifted.phases.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      lifted.exponents[i] += simd::dot<T>(V.row(i), V.row(i)) / 2;
      lifted.phases[i] = -sign * simd::dot<T>(U.row(i), V.row(i));
    }
    check_sizes<T>(lifted.exponents, rows);
    check_sizes<T>(lifted.phases, rows);
    projection.apply(V, {.shape = simd::Shape::exponent, .slope = sign, .row_offset = lifted.phases.data()},
                     Z.col_range(m_, 2 * m_), false);
  }

  std::size_t m_;
  double norm_term_;
  bool complex_;
  Sides query_;
  Sides key_;
};

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  return std::make_unique<ComplexExponentialMap>(request, complex_numbers(request.parameters, "A"));
}

/// A x + (A')^{-1} y.
std::vector<double> argument(const std::vector<double>& A, const std::vector<double>& M, const ErrorRequest& at) {
  const std::size_t d = at.x.size();
  std::vector<double> zc(d);
  for (std::size_t i = 0; i < d; ++i)
    zc[i] = A.size() == d
                ? A[i] * at.x[i] + M[i] * at.y[i]
                : simd::dot<double>({A.data() + i * d, d}, at.x) + simd::dot<double>({M.data() + i * d, d}, at.y);
  return zc;
}

/// Real A: the error is that of `positive` at another pair.
ErrorFormula formula(const Spec& spec) {
  const ComplexNumbers A = complex_numbers(spec.parameters, "A"), M = inverse_transposed(A, spec.d);
  const auto real = [A = part(A, false), M = part(M, false)](const ErrorRequest& at) { return argument(A, M, at); };
  if (!is_complex(spec.parameters.find("A")->second)) {
    Spec positive = spec;
    positive.map = "positive";
    positive.parameters.erase("A");
    return {.mse = [real](const ErrorRequest& at) -> std::optional<double> {
              return at.part(0, theory::positive_counterpart(real(at), at.pair), at.log_factor);
            },
            .parts = {positive}};
  }
  const auto imaginary = [A = part(A, true), M = part(M, true)](const ErrorRequest& at) { return argument(A, M, at); };
  return {.mse = [real, imaginary](const ErrorRequest& at) -> std::optional<double> {
    if (!at.independent) return std::nullopt;
    const std::vector<double> re = real(at), im = imaginary(at);
    ComplexNumbers zc(re.size());
    for (std::size_t k = 0; k < zc.size(); ++k) zc[k] = {re[k], im[k]};
    return theory::mse_complex_exponential(zc, at.pair, at.log_factor, at.blocks.m);
  }};
}

/// The diagonal that makes A x + A^{-1} y vanish at the means. Where a mean is small compared with the spread of its
/// coordinate, |a_k|^2 is kept within a factor 16 of the ratio of root mean squares: a larger one would cost all other
/// rows an exponentially larger variance.
Parameters fit(const FitRequest& request) {
  const std::size_t d = request.queries.d();
  std::vector<double> x(d), y(d);
  for (std::size_t k = 0; k < d; ++k) {
    x[k] = request.queries.mean(k);
    y[k] = request.keys.mean(k);
  }
  ComplexNumbers diagonal = theory::vanishing_diagonal(x, y);
  for (std::size_t k = 0; k < d; ++k) {
    constexpr double kMost = 4;  // the largest factor between |a_k| and that of the root mean squares
    const double spread = std::pow(request.keys.mean_square(k) / request.queries.mean_square(k), 0.25);
    if (!std::isfinite(spread) || spread == 0) continue;
    const double size = std::abs(diagonal[k]);
    if (size < spread / kMost || size > spread * kMost)
      diagonal[k] *= std::clamp(size, spread / kMost, spread * kMost) / size;
  }
  return {{"A", canonical(diagonal)}};
}

std::size_t width(const Parameters& parameters) {
  if (!parameters.contains("A")) return 0;
  return is_complex(canonical(parameters.find("A")->second)) ? 2 : 1;
}

}  // namespace

extern const Map complex_exponential_map;
const Map complex_exponential_map = {
    .entry = {.name = "complex_exponential",
              .aliases = "ce",
              .formula = "exp(w.Mx - (Mx)^2/2 - |x|^2/2) / sqrt(m), M = A for queries, inverse(A') for keys",
              .summary = "exponentials after an invertible A, real or complex: exact where A x + inverse(A') y = 0",
              .reference = "Choromanski et al. 2022",
              .parameters = kParameters},
    .width = width,
    .symmetric = false,
    .projects_outputs = true,
    .family = Family::exponential,
    .complex = [](const Parameters& parameters) { return width(parameters) == 2; },
    .formula = formula,
    .make = make,
    .fit = fit,
};

}  // namespace bochner
