// SPDX-License-Identifier: Apache-2.0
#include "bind_plan.h"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "arrays.h"
#include "bochner/bochner.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

nb::dict described(const Candidate& candidate) {
  nb::dict line;
  line["spec"] = to_json(candidate.spec);
  line["outputs"] = candidate.outputs;
  line["error"] = candidate.error;
  line["standard_error"] = candidate.standard_error;
  line["closed_form"] = theory::name_of(candidate.exactness);
  line["cost"] = candidate.nanoseconds;
  line["reason"] = candidate.reason;
  return line;
}

/// Whether Y is X itself, not a part of it that begins at the same address.
template <class T>
bool is_same(MatrixView<const T> X, MatrixView<const T> Y) {
  return X.data() == Y.data() && X.rows() == Y.rows() && X.cols() == Y.cols();
}

template <class T>
nb::dict make_plan(const Array<const T>& X, const Array<const T>& Y, const PlanRequest& request) {
  const auto queries = view(X);
  const auto keys = view(Y);
  const bool alike = is_same(queries, keys);
  Plan made;
  {
    nb::gil_scoped_release unlocked;
    made = plan<T>(queries, alike ? MatrixView<const T>() : keys, request);
  }
  nb::list table;
  for (const Candidate& candidate : made.table) table.append(described(candidate));
  nb::dict result;
  result["table"] = table;
  result["rows"] = made.rows;
  result["pairs"] = made.pairs;
  return result;
}

template <class T>
nb::dict report(const Features& features, const Array<const T>& X, const Array<const T>& Y, std::size_t pairs,
                std::uint64_t seed) {
  const auto queries = view(X);
  const auto keys = view(Y);
  const bool alike = is_same(queries, keys);
  ErrorReport made;
  {
    nb::gil_scoped_release unlocked;
    made = error_report<T>(features, queries, alike ? MatrixView<const T>() : keys, pairs, seed);
  }
  nb::dict result;
  result["pairs"] = made.pairs;
  result["predicted"] = made.predicted;
  result["closed_form"] = theory::name_of(made.exactness);
  result["observed"] = made.observed;
  result["jackknife"] = made.jackknife;
  result["kept"] = made.kept;
  result["advice"] = made.advice;
  return result;
}

/// The spec with the fewest directions that reach the error `target`; it must name map and coupling.
template <class T>
Spec with_directions(const Spec& spec, const Array<const T>& X, double target) {
  const auto rows = view(X);
  nb::gil_scoped_release unlocked;
  return planned<T>(spec, rows, {}, target);
}

}  // namespace

void bind_plan(nb::module_& module) {
  nb::class_<PlanRequest>(module, "PlanRequest", "What is wanted of random features for given data.")
      .def(nb::init<>())
      .def_rw("kernel", &PlanRequest::kernel)
      .def_rw("map", &PlanRequest::map)
      .def_rw("coupling", &PlanRequest::coupling)
      .def_rw("exact_only", &PlanRequest::exact_only)
      .def_rw("lengthscale", &PlanRequest::lengthscale)
      .def_rw("parameters", &PlanRequest::parameters)
      .def_rw("outputs", &PlanRequest::outputs)
      .def_rw("target", &PlanRequest::target)
      .def_rw("measure", &PlanRequest::measure)
      .def_rw("require", &PlanRequest::require)
      .def_rw("equal_cost", &PlanRequest::equal_cost)
      .def_rw("memory", &PlanRequest::memory)
      .def_rw("seed", &PlanRequest::seed);
  module.def("plan", &make_plan<float>, "X"_a.noconvert(), "Y"_a.noconvert(), "request"_a);
  module.def("plan", &make_plan<double>, "X"_a.noconvert(), "Y"_a.noconvert(), "request"_a);
  module.def("with_directions", &with_directions<float>, "spec"_a, "X"_a.noconvert(), "target"_a);
  module.def("with_directions", &with_directions<double>, "spec"_a, "X"_a.noconvert(), "target"_a);
  module.def("error_report", &report<float>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "pairs"_a, "seed"_a);
  module.def("error_report", &report<double>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "pairs"_a, "seed"_a);
}

}  // namespace bochner::python
