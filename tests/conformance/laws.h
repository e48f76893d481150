// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conformance/direction_laws.h"
#include "conformance/estimate_laws.h"
#include "conformance/law.h"
#include "conformance/output_laws.h"
#include "conformance/reproducibility_laws.h"

namespace bochner::conformance {

/// All laws, the cheap ones first.
inline const std::vector<Law>& all_laws() {
  static const std::vector<Law> laws = {
      {"shapes", false, shapes},
      {"seeds", false, seeds},
      {"angles", true, angles},
      {"precision", false, precision},
      {"batches", false, batches},
      {"threads", false, threads},
      {"norms", true, norms},
      {"isotropy", true, isotropy},
      {"unbiased", false, unbiased},
      {"unbiased_at_unit_norm", false, unbiased_at_unit_norm},
      {"squared_error", false, squared_error},
  };
  return laws;
}

}  // namespace bochner::conformance
