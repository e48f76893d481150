// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/registry.h"
#include "bochner/spec.h"

namespace bochner {

/// The parameters of a spec that its kernel takes.
inline Parameters kernel_parameters(const Spec& spec) {
  Parameters own;
  for (const Entry& entry : kernels())
    for (const Parameter& parameter : entry.parameters)
      if (const auto given = spec.parameters.find(parameter.name);
          entry.name == spec.kernel && given != spec.parameters.end())
        own.insert(*given);
  return own;
}

}  // namespace bochner
