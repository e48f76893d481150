// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "bochner/threads.h"
#include "conformance/law.h"
#include "conformance/pairs.h"

namespace bochner::conformance {

template <class T>
bool same_bits(const Matrix<T>& A, const Matrix<T>& B) {
  return A.rows() == B.rows() && A.cols() == B.cols() &&
         std::memcmp(A.data(), B.data(), A.rows() * A.cols() * sizeof(T)) == 0;
}

/// n rows of one length in units of the lengthscale, in all directions.
template <class T>
Matrix<T> sample_rows(std::size_t n, const Spec& spec, double length = 1.0) {
  Matrix<T> X(n, spec.d);
  for (std::size_t i = 0; i < n; ++i) {
    const Vector u = generic(spec.d, 1000 + i);
    for (std::size_t l = 0; l < spec.d; ++l)
      X(i, l) = static_cast<T>(length * reference::lengthscale_at(spec.lengthscale, l) * u[l]);
  }
  return X;
}

template <class T>
Matrix<T> transformed(const Features& features, const Matrix<T>& X, Side side = Side::query) {
  Matrix<T> Z(X.rows(), features.outputs());
  features.transform(X.view(), Z.view(), side);
  return Z;
}

/// One seed, one W for both sides and every object; another seed, other numbers everywhere.
inline Report seeds(const Subject& subject, const Combination& combination, Effort) {
  Report report;
  const Matrix<double> X = sample_rows<double>(5, combination.spec(6, 1));
  for (const std::size_t m : {1, 5, 6, 13}) {
    const auto features = subject(combination.spec(6, m, 7));
    const Matrix<double> W = features->directions();
    const Matrix<double> Z = transformed(*features, X);
    const auto again = subject(combination.spec(6, m, 7));
    report.expect(same_bits(W, again->directions()), [&] { return fmt::format("W of one seed differs (m = {})", m); });
    report.expect(same_bits(Z, transformed(*again, X)),
                  [&] { return fmt::format("features of one seed differ (m = {})", m); });
    report.expect(!features->symmetric() || same_bits(Z, transformed(*features, X, Side::key)),
                  [&] { return fmt::format("a symmetric map treats the sides differently (m = {})", m); });
    for (const std::uint64_t seed : {std::uint64_t{8}, 7 + (std::uint64_t{1} << 32), 7 + (std::uint64_t{1} << 63)}) {
      const auto other = subject(combination.spec(6, m, seed));
      const Matrix<double> V = other->directions();
      std::size_t equal = 0;
      for (std::size_t i = 0; i < W.rows() * W.cols(); ++i) equal += W.data()[i] == V.data()[i];
      report.expect(equal == 0 || made_of_signs(combination.coupling) || made_of_monomials(combination.map),
                    [&] { return fmt::format("seeds 7 and {} share {} entries of W", seed, equal); });
      report.expect(!same_bits(Z, transformed(*other, X)),
                    [&] { return fmt::format("seeds 7 and {} give the same features", seed); });
    }
  }
  return report;
}

template <class T>
void check_batches(const Features& features, std::size_t n, Report& report) {
  const Matrix<T> X = sample_rows<T>(n, features.spec());
  const Matrix<T> whole = transformed(features, X);
  for (const std::size_t batch : {1, 2, 5, 6, 7, 31, 97, 1000}) {
    Matrix<T> Z(n, features.outputs());
    for (std::size_t first = 0; first < n; first += batch) {
      const std::size_t last = std::min(first + batch, n);
      features.transform(X.view().row_range(first, last), Z.view().row_range(first, last), Side::query);
    }
    report.expect(same_bits(whole, Z), [&] {
      return fmt::format("batches of {} rows change bits (d = {}, m = {}, n = {}, {} bytes a number)", batch,
                         features.d(), features.m(), n, sizeof(T));
    });
  }
}

/// A row of Z depends on its row of X alone. The last size is large enough to be written past the caches.
inline Report batches(const Subject& subject, const Combination& combination, Effort effort) {
  struct Size {
    std::size_t d, m, n;
  };
  std::vector<Size> sizes = {{5, 3, 41}, {17, 40, 210}};
  if (effort == Effort::library)
    sizes.push_back(
        {3, std::max<std::size_t>(2048 / width(combination.map, combination.spec(3, 1).parameters), 1), 1100});
  Report report;
  for (const Size& size : sizes) {
    const auto features = subject(combination.spec(size.d, size.m, 11));
    check_batches<float>(*features, size.n, report);
    check_batches<double>(*features, size.n, report);
  }
  return report;
}

/// 1 to 8 threads draw the same W and write the same Z.
inline Report threads(const Subject& subject, const Combination& combination, Effort effort) {
  Report report;
  const std::size_t d = effort == Effort::library ? 70 : 9;
  const std::size_t m = 2 * d + 11;
  const int before = num_threads();
  const Matrix<float> X = sample_rows<float>(1001, combination.spec(d, m));
  const Matrix<double> Y = sample_rows<double>(403, combination.spec(d, m));
  set_num_threads(1);
  const auto features = subject(combination.spec(d, m, 13));
  const Matrix<double> W = features->directions();
  const Matrix<float> Zx = transformed(*features, X);
  const Matrix<double> Zy = transformed(*features, Y);
  for (int count = 2; count <= 8; ++count) {
    set_num_threads(count);
    const auto other = subject(combination.spec(d, m, 13));
    report.expect(same_bits(W, other->directions()), [&] { return fmt::format("{} threads draw another W", count); });
    report.expect(same_bits(Zx, transformed(*other, X)),
                  [&] { return fmt::format("{} threads change float features", count); });
    report.expect(same_bits(Zy, transformed(*other, Y)),
                  [&] { return fmt::format("{} threads change double features", count); });
  }
  set_num_threads(before);
  return report;
}

}  // namespace bochner::conformance
