// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "bochner/registry.h"
#include "maps/feature_map.h"

namespace bochner {

// Random monomials (DIRF; Likhosherstov et al., Chefs' Random Tables, 2022), the Taylor series of the kernel sampled
// term by term: f(x) = exp((a - 1/2) |x|^2) prod_l x_l^{k_l} (k_l! P(k_l))^{-1/2} / sqrt(m), with k_l ~ P independent,
// 0^0 = 1 and a of the kernel. For P Poisson or geometric each factor is (s x_l)^{k_l} times a function of k_l alone.
// The positive forms use x - c and y - c, c at or below every entry, which leaves the Gaussian kernel unchanged and
// makes every factor positive.

/// The range of rate and p: exponents stay below 2^24, and powers of 1/rate and 1/(1-p) stay in the range of float.
inline constexpr double kLeastRate = 1e-12, kLargestRate = 1e6;
inline constexpr double kLeastP = 1e-5, kLeastRest = 1e-12;
/// The least rate and 1 - p that fit gives: where all products x_l y_l are 0 the best value is 0, which would give a
/// map with the same single feature for every x.
inline constexpr double kLeastFitted = 1e-6;

inline constexpr Parameter kRate = {
    .name = "rate",
    .standard = "from data, by fit",
    .allowed = "a number from 1e-12 to 1e6",
    .meaning = "mean exponent; the best one is sqrt(mean of sum_l x_l^2 y_l^2 / d)",
    .accepts =
        [](const Value& value, std::size_t) {
          const double* rate = std::get_if<double>(&value);
          return rate != nullptr && *rate >= kLeastRate && *rate <= kLargestRate;
        },
    .fallback = nullptr,
};

inline constexpr Parameter kSuccess = {
    .name = "p",
    .standard = "from data, by fit",
    .allowed = "a number from 1e-5 to 1 - 1e-12",
    .meaning = "probability of the exponent 0; the best one follows from the means of |x_l y_l|",
    .accepts =
        [](const Value& value, std::size_t) {
          const double* p = std::get_if<double>(&value);
          return p != nullptr && *p >= kLeastP && 1 - *p >= kLeastRest;
        },
    .fallback = nullptr,
};

inline constexpr Parameter kShift = {
    .name = "shift",
    .standard = "from data, by fit",
    .allowed = "a finite number, or one for each coordinate",
    .meaning = "what is subtracted from every row: at or below each entry of its column, in units of the data",
    .accepts =
        [](const Value& value, std::size_t d) {
          const auto* list = std::get_if<std::vector<double>>(&value);
          const double* single = std::get_if<double>(&value);
          if (list == nullptr) return single != nullptr && *single - *single == 0;
          for (const double entry : *list)
            if (entry - entry != 0) return false;
          return list->size() == d;
        },
    .fallback = nullptr,
};

// Functions that registry entries point to; features are shifted if there is a parameter `shift`.

Law poisson_rows(const Parameters& parameters);
Law geometric_rows(const Parameters& parameters);

std::unique_ptr<FeatureMap> make_poisson(const MapRequest& request);
std::unique_ptr<FeatureMap> make_geometric(const MapRequest& request);

Parameters fit_poisson(const FitRequest& request);
Parameters fit_geometric(const FitRequest& request);
Parameters fit_poisson_positive(const FitRequest& request);
Parameters fit_geometric_positive(const FitRequest& request);

std::optional<double> mse_poisson(const ErrorRequest& at);
std::optional<double> mse_geometric(const ErrorRequest& at);

}  // namespace bochner
