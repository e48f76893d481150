// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bochner/spec.h"
#include "features/lookup.h"

namespace bochner {

/// A spec that has been checked, with canonical names and every parameter of its kernel, map and coupling at its value.
struct Resolved {
  const Kernel& kernel;
  const Map& map;
  const Coupling& coupling;
  Spec spec;
};

/// Checks a spec and completes it, all but a block that is "auto": best_block.h finds that one from closed forms, which
/// themselves need a checked spec. Throws std::invalid_argument with a sentence for what cannot be made.
Resolved check_spec(const Spec& spec);

/// Refuses a number as block that the coupling does not take in d dimensions.
void check_block(const Resolved& chosen);

/// D, the dimension in which the rows of W are drawn: d, or the block of a resolved spec.
std::size_t space_of(const Spec& spec);

/// The kernel's parameters, given ones checked and the others at what holds when they are not given.
Parameters complete_parameters(const Kernel& kernel, const Parameters& given, std::size_t d);

}  // namespace bochner
