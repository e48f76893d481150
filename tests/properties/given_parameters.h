// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bochner/registry.h"
#include "bochner/spec.h"
#include "properties/dice.h"

namespace bochner::properties {

/// Values of every kind; which of them a parameter takes is for the registry to say. Whole numbers are small: they may
/// be numbers of directions.
inline Value some_value(Dice& dice, std::size_t d) {
  const auto number = [&] {
    if (dice.chance(0.4)) return static_cast<double>(1 + dice.below(4));
    const double size = dice.chance(0.3) ? dice.power(-300, 15) : dice.power(-2, 2);
    return dice.chance(0.5) ? -size - 0x1p-12 : size + (size < 1 ? 0 : 0x1p-12);
  };
  const auto numbers = [&](std::size_t count) {
    std::vector<double> list(count);
    for (double& entry : list) entry = number();
    return list;
  };
  switch (dice.below(6)) {
    case 0:
      return dice.chance(0.5);
    case 1:
      return std::string(dice.pick({"auto", "chi", "fixed", "none", "gaussian", "zero_one", "complex", "real", "iid",
                                    "same", "trigonometric", "positive", "positive_paired"}));
    case 2:
      return numbers(dice.pick({std::size_t{2}, d, 2 * d, d * d}));
    case 3: {
      std::vector<std::complex<double>> list;
      for (const double re : numbers(d)) list.emplace_back(re, number());
      return list;
    }
    case 4:
      return std::complex<double>(number(), number());
    default:
      return number();
  }
}

inline const Entry& entry_named(std::span<const Entry> entries, const std::string& name) {
  for (const Entry& entry : entries)
    if (entry.name == name) return entry;
  return entries.front();
}

/// Gives the spec some of the parameters that its kernel, map and coupling take.
inline void give_parameters(Dice& dice, Spec& spec) {
  if (dice.chance(0.5)) return;
  for (const Entry* entry :
       {&entry_named(kernels(), spec.kernel), &entry_named(maps(), spec.map), &entry_named(couplings(), spec.coupling)})
    for (const Parameter& parameter : entry->parameters) {
      if (dice.chance(0.5)) continue;
      for (int attempt = 0; attempt < 12; ++attempt) {
        const Value value = some_value(dice, spec.d);
        if (!parameter.accepts(value, spec.d)) continue;
        spec.parameters[std::string(parameter.name)] = value;
        break;
      }
    }
}

}  // namespace bochner::properties
