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
      {"shapes", false, false, shapes},
      {"seeds", false, false, seeds},
      {"angles", true, false, angles},
      {"precision", false, false, precision},
      {"batches", false, false, batches},
      {"threads", false, false, threads},
      {"norms", true, true, norms},
      {"isotropy", true, true, isotropy},
      {"unbiased", false, true, unbiased},
      {"unbiased_at_unit_norm", false, true, unbiased_at_unit_norm},
      {"squared_error", false, true, squared_error},
  };
  return laws;
}

}  // namespace bochner::conformance
