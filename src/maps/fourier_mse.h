// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "maps/feature_map.h"

namespace bochner {

/// Map::mse of a Fourier map, from what the kernel knows of its spectral law.
template <double (*kMse)(const theory::FourierTerms&, double log_factor, const theory::BlockStructure&)>
std::optional<double> fourier_mse(const ErrorRequest& at) {
  const std::optional<theory::FourierTerms> terms = at.fourier_terms();
  if (!terms) return std::nullopt;
  return kMse(*terms, at.log_factor, at.blocks);
}

}  // namespace bochner
