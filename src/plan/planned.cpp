// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <stdexcept>

#include "bochner/plan.h"
#include "features/lookup.h"

namespace bochner {
namespace {

/// A parameter that is not the kernel's belongs to one map or coupling and means nothing for the others.
void refuse_parameters_of_one(const Spec& spec) {
  const Kernel& kernel = find_kernel(spec.kernel);
  for (const auto& [name, value] : spec.parameters)
    if (find_parameter(kernel.entry(), name) == nullptr)
      throw std::invalid_argument(fmt::format(
          "parameter '{}' is given, but map or coupling is 'auto'; name both, or leave '{}' to the plan", name, name));
}

}  // namespace

template <class T>
Spec planned(const Spec& spec, MatrixView<const T> X, MatrixView<const T> Y, double target) {
  const bool open = spec.map == "auto" || spec.coupling == "auto";
  if (!open && target == 0) return spec;
  if (open) refuse_parameters_of_one(spec);
  PlanRequest request{.kernel = spec.kernel,
                      .map = spec.map,
                      .coupling = spec.coupling,
                      .lengthscale = spec.lengthscale,
                      .parameters = spec.parameters,
                      .outputs = target > 0 ? 0 : 2 * spec.m,
                      .target = target,
                      .only_m = !open,
                      .seed = spec.seed};
  // A named coupling is taken whatever is known about its error. The sign map of the angular kernel has a closed form
  // on independent rows only.
  request.exact_only = spec.coupling == "auto" && !find_kernel(spec.kernel).serves(Family::sign);
  if (Y.data() == nullptr && spec.map == "auto") request.require = {"symmetric"};
  return plan<T>(X, Y, request).best().spec;
}

template Spec planned<float>(const Spec&, MatrixView<const float>, MatrixView<const float>, double);
template Spec planned<double>(const Spec&, MatrixView<const double>, MatrixView<const double>, double);

}  // namespace bochner
