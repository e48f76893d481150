// SPDX-License-Identifier: Apache-2.0
#include "bind_compose.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <vector>

#include "arrays.h"
#include "bochner/compose.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

/// Python has one class for features, which are all immutable once they are fitted.
using Part = std::shared_ptr<Features>;
/// A constant, the features of a coefficient or None, and a base.
using Term = std::tuple<double, Part, Part>;

Part result(const FeaturesPart& part) { return std::const_pointer_cast<Features>(part); }

Part hybrid_of(const std::vector<Term>& terms, const Part& rest) {
  std::vector<HybridTerm> converted;
  for (const auto& [constant, coefficient, base] : terms) converted.push_back({constant, coefficient, base});
  return result(hybrid(converted, rest));
}

}  // namespace

void bind_compose(nb::module_& module) {
  module.def(
      "scaled", [](double c, const Part& features) { return result(scaled(c, features)); }, "c"_a, "features"_a);
  module.def(
      "concatenation",
      [](const std::vector<Part>& parts) {
        return result(concatenation(std::vector<FeaturesPart>(parts.begin(), parts.end())));
      },
      "parts"_a);
  module.def(
      "tensor_product", [](const Part& a, const Part& b) { return result(tensor_product(a, b)); }, "a"_a, "b"_a);
  module.def(
      "on_inputs",
      [](const Part& features, const Array<const double>& P, const Array<const double>& Q) {
        return result(on_inputs(features, view(P), view(Q)));
      },
      "features"_a, "P"_a.noconvert(), "Q"_a.noconvert());
  module.def("hybrid", &hybrid_of, "terms"_a, "rest"_a.none());
}

}  // namespace bochner::python
