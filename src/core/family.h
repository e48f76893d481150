// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bochner {

/// How a map turns projections into an estimate of a kernel, and so which law its rows need:
///   fourier      E cos(w.(x-y)): w has the spectral law of the kernel
///   exponential  E exp(w.(x+y)): w is N(0, I), whatever the norm of x + y, so norms of rows must be random
///   monomial     E prod (x_l y_l)^{w_l} / ...: w are whole numbers >= 0, of the law that the map names
///   sign         E sgn(w.x) sgn(w.y): w has any isotropic law
enum class Family { fourier, exponential, monomial, sign };

}  // namespace bochner
