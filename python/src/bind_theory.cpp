// SPDX-License-Identifier: Apache-2.0
#include "bind_theory.h"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bochner/bochner.h"

namespace bochner::python {
namespace {

using namespace nb::literals;
using Rows = MatrixView<const double>;

/// One number for each pair of rows.
template <std::vector<double> (*kFunction)(const Spec&, Rows, Rows)>
std::vector<double> of_rows(const Spec& spec, const Array<const double>& X, const Array<const double>& Y) {
  const auto queries = view(X);
  const auto keys = view(Y);
  nb::gil_scoped_release unlocked;
  return kFunction(spec, queries, keys);
}

std::vector<double> tail_bound(const Spec& spec, const Array<const double>& X, const Array<const double>& Y, double t) {
  const auto queries = view(X);
  const auto keys = view(Y);
  nb::gil_scoped_release unlocked;
  return theory::tail_bound(spec, queries, keys, t);
}

using Numbers = std::vector<double>;

std::pair<Numbers, Numbers> estimated_mse(const Spec& spec, const Array<const double>& X, const Array<const double>& Y,
                                          std::size_t draws, std::uint64_t seed) {
  const auto queries = view(X);
  const auto keys = view(Y);
  nb::gil_scoped_release unlocked;
  std::pair<Numbers, Numbers> found;
  for (const theory::EstimatedError& error : theory::estimated_mse(spec, queries, keys, draws, seed)) {
    found.first.push_back(error.mse);
    found.second.push_back(error.standard_error);
  }
  return found;
}

std::pair<Numbers, Numbers> attention_error(const Spec& spec, const Array<const double>& q,
                                            const Array<const double>& k, const Array<const double>& v) {
  const auto queries = view(q);
  const auto keys = view(k);
  const auto values = view(v);
  nb::gil_scoped_release unlocked;
  std::pair<Numbers, Numbers> found;
  for (const theory::AttentionError& error : theory::attention_error(spec, queries, keys, values)) {
    found.first.push_back(error.mse);
    found.second.push_back(error.denominator);
  }
  return found;
}

template <double (*kFunction)(const Spec&, double)>
double of_sphere(const Spec& spec, double radius) {
  nb::gil_scoped_release unlocked;
  return kFunction(spec, radius);
}

Parameters optimal_parameters(const Spec& spec, const Array<const double>& X, const Array<const double>& Y) {
  const auto queries = view(X);
  const auto keys = view(Y);
  nb::gil_scoped_release unlocked;
  return theory::optimal_parameters(spec, queries, keys);
}

}  // namespace

void bind_theory(nb::module_& module) {
  module.def("theory_mse", &of_rows<theory::mse>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert());
  module.def("theory_variance", &of_rows<theory::variance>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert());
  module.def("theory_bias", &of_rows<theory::bias>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert());
  module.def("theory_relative_error", &of_rows<theory::relative_error>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert());
  module.def("theory_max_relative_error", &of_sphere<theory::max_relative_error>, "spec"_a, "radius"_a);
  module.def("theory_max_relative_error_bound", &of_sphere<theory::max_relative_error_bound>, "spec"_a, "radius"_a);
  module.def("theory_tail_bound", &tail_bound, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "t"_a);
  module.def("theory_estimated_mse", &estimated_mse, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "draws"_a,
             "seed"_a);
  module.def("theory_attention_error", &attention_error, "spec"_a, "q"_a.noconvert(), "k"_a.noconvert(),
             "v"_a.noconvert());
  module.def(
      "theory_exactness", [](const Spec& spec) { return theory::name_of(theory::exactness(spec)); }, "spec"_a);
  module.def("conformity", &theory::conformity, "norm"_a, "d"_a, "coupling"_a, "map"_a);
  module.def("optimal_parameters", &optimal_parameters, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert());
}

}  // namespace bochner::python
