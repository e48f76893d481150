// SPDX-License-Identifier: Apache-2.0
// hybrid_angular (Choromanski et al., 2022): lambda P + (1 - lambda) T, where P is the estimate by positive_paired,
// exact at y = -x, T the estimate by trigonometric, exact at y = x, and lambda = 1/2 - (1/2n) sum_i sgn(tau_i.x)
// sgn(tau_i.y), whose mean is theta / pi. Unbiased; no error at all at theta = 0 and theta = pi for equal norms, and
// the largest relative error for |x| = |y| = r is smaller than that of both bases by a factor of up to 1/r. Error in
// theory/hybrid.h. Outputs: P, sgn (x) P, T, sgn (x) T: 4 (1 + lambda_m) m numbers, with factors sqrt(1/2) and
// sqrt(1/(2n)); the second section has its sign on the key side.
#include "core/parameter.h"
#include "features/hybrids/hybrid_parameters.h"
#include "features/hybrids/hybrid_parts.h"
#include "maps/feature_map.h"
#include "theory/hybrid.h"

namespace bochner {
namespace {

bool same_coupling(const Parameters& parameters) { return word(parameters, "lambda_coupling") == "same"; }

std::unique_ptr<Features> compose(const Spec& spec) {
  const BipolarBases bases = bipolar_bases(spec);
  Spec signs = part_spec(spec, "angular", "sign", count(spec.parameters, "lambda_m"), 2);
  if (!same_coupling(spec.parameters)) {
    signs.coupling = "iid";
    signs.parameters.clear();
  }
  return registered(spec, hybrid({{0.5, scaled(-0.5, make_part(signs)), bases.positive}}, bases.trigonometric));
}

/// Orthogonal signs have about 0.53 (d = 2) to 0.67 (d = 64) of the variance of independent ones; no formula is known.
std::optional<double> mse(const ErrorRequest& at) {
  const Parameters& parameters = at.spec.parameters;
  const bool shared = flag(parameters, "shared");
  if (!at.independent && (shared || same_coupling(parameters))) return std::nullopt;
  return theory::mse_hybrid(
      theory::angular_coefficient(theory::angle_between(at.x, at.y), count(parameters, "lambda_m")),
      at.part(0, at.pair, at.log_factor), at.part(1, at.pair, at.log_factor),
      shared ? theory::shared_rows_covariance(at.pair, at.log_factor, at.blocks.m) : 0.0);
}

constexpr Parameter kParameters[] = {kLambdaRows, kSharedRows, kLambdaCoupling};

}  // namespace

extern const Map hybrid_angular_map;
const Map hybrid_angular_map = {
    .entry = {.name = "hybrid_angular",
              .aliases = "",
              .formula = "lambda positive_paired + (1 - lambda) trigonometric, lambda = theta/pi by signs",
              .summary =
                  "exact for parallel and for opposite inputs of equal norm: small and large softmax values alike",
              .reference = "Choromanski et al. 2022",
              .parameters = kParameters},
    .width = [](const Parameters& parameters) { return 4 * (1 + count(parameters, "lambda_m")); },
    .symmetric = false,
    .family = Family::exponential,
    .relative_error_bound =
        [](double r, const Spec& spec) {
          return theory::eps_angular_bound(r, spec.m, count(spec.parameters, "lambda_m"));
        },
    .formula =
        [](const Spec& spec) {
          return ErrorFormula{mse, bipolar_specs(spec)};
        },
    .argument = fixed_argument<Argument::invariant>,
    .compose = compose,
};

}  // namespace bochner
