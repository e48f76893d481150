// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "couplings/coupling.h"
#include "kernels/kernel.h"
#include "maps/feature_map.h"

namespace bochner {

/// The hybrids of hybrids.def, in its order.
std::span<const Map* const> all_hybrids();

/// All maps: those of maps.def, then the hybrids.
std::span<const Map* const> registered_maps();

/// Finds an entry by name or alias, in upper or lower case. For an unknown name, throws std::invalid_argument with the
/// nearest known one.
const Kernel& find_kernel(std::string_view name);
const Map& find_map(std::string_view name);
const Coupling& find_coupling(std::string_view name);

/// Why the three do not compose in d dimensions, as a sentence that says what would; empty if they compose.
std::string misfit(const Kernel& kernel, const Map& map, const Coupling& coupling, std::size_t d);

/// The law of the rows of W.
Law law_of(const Kernel& kernel, const Map& map, const Parameters& parameters);

/// The parameter of this name that the registry entry declares, or null.
const Parameter* find_parameter(const Entry& entry, std::string_view name);

/// The declared parameters that are not among `known`.
std::vector<std::string_view> missing_parameters(const Entry& entry, const Parameters& known);

/// The parameters that an entry declares, each at its value when it is not given.
Parameters fallbacks(const Entry& entry, std::size_t d);

}  // namespace bochner
