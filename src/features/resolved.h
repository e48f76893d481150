// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bochner/spec.h"
#include "features/lookup.h"

namespace bochner {

/// A checked spec with canonical names and the values of all parameters of its kernel, map and coupling.
struct Resolved {
  const Kernel& kernel;
  const Map& map;
  const Coupling& coupling;
  Spec spec;
};

/// Checks a spec and completes it, except for a block that is "auto": best_block.h finds that one from closed forms,
/// which themselves need a checked spec. Throws std::invalid_argument with a sentence for what cannot be made.
Resolved check_spec(const Spec& spec);

/// Refuses a block size that the coupling does not accept in d dimensions.
void check_block(const Resolved& chosen);

/// D, the dimension in which the rows of W are drawn: d, or the block of a resolved spec.
std::size_t space_of(const Spec& spec);

/// The kernel's parameters: those given, after a check, and the others at their values when not given.
Parameters complete_parameters(const Kernel& kernel, const Parameters& given, std::size_t d);

}  // namespace bochner
