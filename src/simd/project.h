// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bochner/matrix_view.h"
#include "simd/finish.h"
#include "simd/packed_rows.h"

namespace bochner::simd {

/// Z = finish(X W'): X is n x d, Z is n x (width m). One register tile of 6 rows x 2 vectors is accumulated over the
/// coordinates in order, so the bits of a row depend neither on its neighbours nor on n. 2 n m d flops.
/// `streaming` asks for non-temporal stores, which suit an output much larger than the caches; they are used where the
/// alignment of Z allows it.
template <class T>
void project(const PackedRows<T>& W, MatrixView<const T> X, const Finish<T>& finish, MatrixView<T> Z,
             Rounding rounding = Rounding::fused, bool streaming = false);

/// Which part of all projections a block P holds.
struct Place {
  std::size_t first_row = 0;        ///< the first row of P is this row of Z and of the finish
  std::size_t first_direction = 0;  ///< the first column of P is this direction
  std::size_t directions = 0;       ///< m, the number of all directions; 0: P holds all
  bool streaming = false;           ///< as in project
};

/// Z = finish(P) for projections P that were computed in another way.
template <class T>
void finish_rows(MatrixView<const T> P, const Finish<T>& finish, MatrixView<T> Z, const Place& place = {});

}  // namespace bochner::simd
