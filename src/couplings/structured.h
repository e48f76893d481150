// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>

#include "core/parameter.h"
#include "couplings/coupling.h"
#include "simd/projection.h"

namespace bochner {

/// The blocks W_b of a W that is applied but never stored: D rows each, made of fast transforms of R^D.
class FastBlocks {
 public:
  virtual ~FastBlocks() = default;

  /// P = [X 0] W_b' for block `block`: X is n x d, padded with zeros to D columns, P is n x D. Of a last block that is
  /// partial, only the first m mod D columns are used. `spare` has room for D numbers.
  virtual void apply(std::size_t block, MatrixView<const float> X, MatrixView<float> P,
                     std::span<float> spare) const = 0;
  virtual void apply(std::size_t block, MatrixView<const double> X, MatrixView<double> P,
                     std::span<double> spare) const = 0;

  /// The number of rows that go through a block at the cost of one; `apply` gets no more unless D is small. `element`:
  /// bytes per number.
  virtual std::size_t rows_at_once(std::size_t element) const {
    static_cast<void>(element);
    return 1;
  }

  /// The norm of the longest row where it is known without a product, else infinity.
  virtual double longest_row() const { return std::numeric_limits<double>::infinity(); }
};

/// m rows in R^d, in blocks of D rows.
struct BlockShape {
  std::size_t d;
  std::size_t m;
  std::size_t D;

  std::size_t blocks() const { return (m + D - 1) / D; }
  /// The number of rows of block `block` that are used: D, perhaps fewer for the last block.
  std::size_t rows(std::size_t block) const { return block + 1 < blocks() ? D : m - block * D; }
};

/// A projection made of such blocks: projections wait in L1 for the nonlinearity, D at a time. Apart from what the
/// blocks store, it takes 16 KiB or two rows of R^D per thread.
std::unique_ptr<Projection> structured_projection(const BlockShape& shape, std::unique_ptr<const FastBlocks> blocks);

/// The draw of a coupling with the parameter `block`, for blocks that are constructed from the request and their shape.
template <class Blocks>
std::unique_ptr<Projection> draw_structured(const DrawRequest& request) {
  const BlockShape shape{request.d, request.m, count(request.parameters, "block")};
  return structured_projection(shape, std::make_unique<Blocks>(request, shape));
}

}  // namespace bochner
