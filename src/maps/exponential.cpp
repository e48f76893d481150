// SPDX-License-Identifier: Apache-2.0
// exponential (GERF, Likhosherstov et al., 2022): f(x) = m^{-1/2} D exp(A |w_i|^2 + B w_i.x + C |x|^2), the side `key`
// with s B; B = sqrt(s(1-4A)), C = a - (s+1)/2, D = (1-4A)^{D/4}, s = +-1, Re A < 1/8. Re sum f(x) f(y) is unbiased.
// Real A, s = 1: one real number per direction, that of optimal_positive. Otherwise two: first all Re f, then all
// Im f, with the opposite sign for keys. For real A and s = -1 both sides are the same: phases with a weight for each
// direction, which is trigonometric at A = 0. Rows with an exponent above 88 (float) or 709 (double) are refused.
#include "theory/exponential.h"

#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

#include "maps/generalised_exponential.h"
#include "theory/generalised_exponential.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {
    {.name = "A",
     .standard = "from data, by fit",
     .allowed = "a number, real or complex, with Re A < 1/8 and |A| < 1e12",
     .meaning = "weight of |w|^2 in the exponent; the best one is real and follows from the mean of |x + s y|^2",
     .accepts =
         [](const Value& value, std::size_t) {
           const double* real = std::get_if<double>(&value);
           const auto* both = std::get_if<std::complex<double>>(&value);
           if (real == nullptr && both == nullptr) return false;
           const std::complex<double> A = real != nullptr ? *real : *both;
           return A.real() < 0.125 && std::abs(A) < 1e12;
         },
     .fallback = nullptr},
    {.name = "s",
     .standard = "from data, by fit",
     .allowed = "1 or -1",
     .meaning =
         "1: small errors where x + y is short, as of positive maps; -1: where x - y is, as of trigonometric ones",
     .accepts =
         [](const Value& value, std::size_t) {
           const double* s = std::get_if<double>(&value);
           return s != nullptr && (*s == 1 || *s == -1);
         },
     .fallback = nullptr},
};

/// A map with one function for each side.
class SidedMap final : public FeatureMap {
 public:
  SidedMap(const ElementwiseMap::Parameters& query, const ElementwiseMap::Parameters& key) : query_(query), key_(key) {}

  void transform(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z) const override {
    of(rows.side).transform(rows, projection, Z);
  }
  void transform(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z) const override {
    of(rows.side).transform(rows, projection, Z);
  }

 private:
  const ElementwiseMap& of(Side side) const { return side == Side::query ? query_ : key_; }

  ElementwiseMap query_;
  ElementwiseMap key_;
};

bool known(const Parameters& parameters) { return parameters.contains("A") && parameters.contains("s"); }

bool has_real_weight(const Parameters& parameters) { return complex_number(parameters, "A").imag() == 0; }

int sign_of(const Parameters& parameters) { return number(parameters, "s") > 0 ? 1 : -1; }

std::size_t width(const Parameters& parameters) {
  if (!known(parameters)) return 0;
  return has_real_weight(parameters) && sign_of(parameters) > 0 ? 1 : 2;
}

std::unique_ptr<FeatureMap> make(const MapRequest& request) {
  const std::complex<double> A = complex_number(request.parameters, "A");
  const int s = sign_of(request.parameters);
  if (!has_real_weight(request.parameters))
    return std::make_unique<SidedMap>(complex_exponential(request, A, s, Side::query),
                                      complex_exponential(request, A, s, Side::key));
  return std::make_unique<ElementwiseMap>(s > 0 ? generalised_exponential(request, A.real(), simd::Shape::exp)
                                                : weighted_phases(request, A.real()));
}

/// Given parameters are kept: finds the best s for a given A, the best A for a given s, or the best of both.
Parameters fit(const FitRequest& request) {
  const Parameters& given = request.spec.parameters;
  const double v2 = mean_squared_sum(request.queries, request.keys, 1);
  const double z2 = mean_squared_sum(request.queries, request.keys, -1);
  if (given.contains("A")) {
    const std::complex<double> A = complex_number(given, "A");
    const bool positive =
        theory::log_second_moment(A, 1, v2, z2, request.D) <= theory::log_second_moment(A, -1, v2, z2, request.D);
    return {{"s", positive ? 1.0 : -1.0}};
  }
  if (given.contains("s"))
    return {{"A", sign_of(given) > 0 ? theory::optimal_A(v2, request.D) : theory::optimal_phase_A(z2, request.D)}};
  const theory::ExponentialWeight best = theory::optimal_exponential(v2, z2, request.D);
  return {{"A", best.A.real()}, {"s", static_cast<double>(best.s)}};
}

}  // namespace

extern const Map exponential_map;
const Map exponential_map = {
    .entry = {.name = "exponential",
              .aliases = "gerf",
              .formula = "(1-4A)^{d/4} exp(A|w|^2 + sqrt(s(1-4A)) w.x - (s+1)/2 |x|^2) / sqrt(m), real or complex",
              .summary = "generalised exponentials: positive and trigonometric features are special cases; takes the "
                         "better of both",
              .reference = "Likhosherstov et al. 2022",
              .parameters = kParameters},
    .width = width,
    .symmetric = false,
    .weighted = true,
    .family = Family::exponential,
    .symmetric_with = [](const Parameters& parameters) { return known(parameters) && has_real_weight(parameters); },
    .complex = [](const Parameters& parameters) { return width(parameters) == 2; },
    .mse = [](const ErrorRequest& at) -> std::optional<double> {
      return theory::mse_exponential(complex_number(at.spec.parameters, "A"), sign_of(at.spec.parameters), at.pair,
                                     at.log_factor, at.blocks);
    },
    .argument =
        [](const Parameters& parameters) { return sign_of(parameters) > 0 ? Argument::sum : Argument::difference; },
    .make = make,
    .fit = fit,
};

}  // namespace bochner
