// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bochner/compose.h"
#include "bochner/features.h"
#include "bochner/spec.h"

namespace bochner {

// How the hybrids of hybrids.def draw their parts.

/// The seed of part number `part` of a hybrid. Part 0, the first base, has the hybrid's own seed, so that its W is that
/// of the plain map with this seed; the other parts have 64 random bits of (seed, part), so that no two parts are
/// correlated.
std::uint64_t part_seed(std::uint64_t seed, std::uint64_t part);

/// The hybrid's d, lengthscale, coupling and the coupling's parameters, with another map, number of rows and seed.
Spec part_spec(const Spec& hybrid, std::string kernel, std::string map, std::size_t m, std::uint64_t part);

/// Features of the spec as a part.
FeaturesPart make_part(const Spec& spec);

/// positive_paired as part 0, and trigonometric as part 1, or with the rows of part 0 if `shared`.
struct BipolarBases {
  FeaturesPart positive;
  FeaturesPart trigonometric;
};
BipolarBases bipolar_bases(const Spec& hybrid);
/// The specs of the two bases, in this order.
std::vector<Spec> bipolar_specs(const Spec& hybrid);

/// `lambda_m` rows of features of the Gaussian kernel by `lambda_map`, for inputs in units of the lengthscale, each
/// divided by `width`.
Spec gaussian_coefficient_spec(const Spec& hybrid, double width, std::uint64_t part);

/// How many numbers `lambda_map` computes from one row of W.
std::size_t lambda_width(const Parameters& parameters);

/// The composition as a registry entry: its spec is `spec`, from which it was made and can be made again.
std::unique_ptr<Features> registered(Spec spec, FeaturesPart composition);

}  // namespace bochner
