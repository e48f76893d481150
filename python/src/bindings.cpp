// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.h"
#include "bind_attention.h"
#include "bind_classifiers.h"
#include "bind_codes.h"
#include "bind_compose.h"
#include "bind_learners.h"
#include "bind_models.h"
#include "bind_plan.h"
#include "bind_processes.h"
#include "bind_theory.h"
#include "bochner/bochner.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

Side side_from_name(std::string_view name) {
  if (name == "query") return Side::query;
  if (name == "key") return Side::key;
  throw std::invalid_argument("side is '" + std::string(name) + "'; expected 'query' or 'key'");
}

template <class T>
void transform_into(const Features& features, const Array<const T>& X, const Array<T>& out, std::string_view side) {
  const auto from = view(X);
  const auto to = view(out);
  const Side which = side_from_name(side);
  nb::gil_scoped_release unlocked;
  features.transform(from, to, which);
}

template <class T>
Result<T> transform(const Features& features, const Array<const T>& X, std::string_view side) {
  const auto from = view(X);
  const Side which = side_from_name(side);
  const std::size_t rows = from.rows(), cols = features.outputs();
  if (rows > std::numeric_limits<std::size_t>::max() / sizeof(T) / cols) throw std::bad_alloc();
  ResultMemory Z(rows * cols * sizeof(T));
  {
    nb::gil_scoped_release unlocked;
    features.transform(from, MatrixView<T>(static_cast<T*>(Z.data()), rows, cols), which);
  }
  return release<T>(std::move(Z), rows, cols);
}

/// (Z, s) with phi(X) = Z exp(s).
template <class T>
nb::tuple transform_scaled(const Features& features, const Array<const T>& X, std::string_view side) {
  const auto from = view(X);
  const Side which = side_from_name(side);
  Matrix<T> Z(from.rows(), features.outputs()), log_scale(from.rows(), 1);
  {
    nb::gil_scoped_release unlocked;
    features.transform_scaled(from, Z.view(), {log_scale.data(), from.rows()}, which);
  }
  return nb::make_tuple(release(std::move(Z)), release(std::move(log_scale)));
}

/// No keys if they are the queries: messages then name X, which is what the caller gave.
template <class T>
MatrixView<const T> keys_of(const Array<const T>& X, const Array<const T>& Y) {
  const auto queries = view(X), keys = view(Y);
  return keys.data() == queries.data() && keys.rows() == queries.rows() ? MatrixView<const T>() : keys;
}

template <class T>
void fit(Features& features, const Array<const T>& X, const Array<const T>& Y) {
  const auto queries = view(X), keys = keys_of<T>(X, Y);
  nb::gil_scoped_release unlocked;
  features.fit(queries, keys);
}

template <class T>
std::string advice(const Features& features, const Array<const T>& X, const Array<const T>& Y) {
  const auto queries = view(X), keys = keys_of<T>(X, Y);
  nb::gil_scoped_release unlocked;
  return fit_advice<T>(features, queries, keys);
}

template <class T>
Result<T> gram(const Array<const T>& X, const Array<const T>& Y, std::string_view kernel,
               const std::vector<double>& lengthscale, const Parameters& parameters) {
  const auto left = view(X);
  const auto right = view(Y);
  Matrix<T> K;
  {
    nb::gil_scoped_release unlocked;
    K = kernel_matrix<T>(left, right, kernel, lengthscale, parameters);
  }
  return release(std::move(K));
}

template <class T>
double lengthscale(const Array<const T>& X, std::string_view rule, std::uint64_t seed) {
  const auto rows = view(X);
  nb::gil_scoped_release unlocked;
  return lengthscale_from<T>(rows, rule, seed);
}

nb::dict described(const Parameter& parameter) {
  nb::dict line;
  line["name"] = parameter.name;
  line["default"] = parameter.standard;
  line["allowed"] = parameter.allowed;
  line["meaning"] = parameter.meaning;
  return line;
}

nb::list described(std::span<const Entry> entries) {
  nb::list lines;
  for (const Entry& entry : entries) {
    nb::dict line;
    line["name"] = entry.name;
    line["aliases"] = entry.aliases;
    line["formula"] = entry.formula;
    line["summary"] = entry.summary;
    line["reference"] = entry.reference;
    line["bias"] = entry.bias;
    nb::list parameters;
    for (const Parameter& parameter : entry.parameters) parameters.append(described(parameter));
    line["parameters"] = parameters;
    lines.append(line);
  }
  return lines;
}

void bind_spec(nb::module_& module) {
  nb::class_<Spec>(module, "Spec", "All that defines a random feature map.")
      .def(
          "__init__",
          [](Spec* self, std::size_t d, std::string kernel, std::string map, std::string coupling, std::size_t m,
             std::uint64_t seed, std::vector<double> lengthscale, Parameters parameters) {
            new (self) Spec{.d = d,
                            .kernel = std::move(kernel),
                            .map = std::move(map),
                            .coupling = std::move(coupling),
                            .m = m,
                            .seed = seed,
                            .lengthscale = std::move(lengthscale),
                            .parameters = std::move(parameters)};
          },
          nb::kw_only(), "d"_a, "kernel"_a, "map"_a, "coupling"_a, "m"_a, "seed"_a, "lengthscale"_a, "parameters"_a)
      .def_static("from_json", &spec_from_json, "text"_a)
      .def("to_json", &to_json, "The spec and the stream version as one JSON object.");
}

void bind_features(nb::module_& module) {
  // Arrays are taken as they are (noconvert): a silent copy is never made here.
  nb::class_<Features>(module, "Features", "phi(x) = f(W x / lengthscale).")
      .def(nb::new_([](const Spec& spec) {
             nb::gil_scoped_release unlocked;
             return make_features(spec);
           }),
           "spec"_a)
      .def("transform", &transform<float>, "X"_a.noconvert(), "side"_a)
      .def("transform", &transform<double>, "X"_a.noconvert(), "side"_a)
      .def("transform_into", &transform_into<float>, "X"_a.noconvert(), "out"_a.noconvert(), "side"_a)
      .def("transform_into", &transform_into<double>, "X"_a.noconvert(), "out"_a.noconvert(), "side"_a)
      .def("transform_scaled", &transform_scaled<float>, "X"_a.noconvert(), "side"_a)
      .def("transform_scaled", &transform_scaled<double>, "X"_a.noconvert(), "side"_a)
      .def("fit", &fit<float>, "X"_a.noconvert(), "Y"_a.noconvert())
      .def("fit", &fit<double>, "X"_a.noconvert(), "Y"_a.noconvert())
      .def("fit_advice", &advice<float>, "X"_a.noconvert(), "Y"_a.noconvert())
      .def("fit_advice", &advice<double>, "X"_a.noconvert(), "Y"_a.noconvert())
      .def_prop_ro("fitted", &Features::fitted)
      .def("directions", [](const Features& self) { return release(self.directions()); })
      .def_prop_ro("outputs", &Features::outputs)
      .def_prop_ro("symmetric", &Features::symmetric)
      .def_prop_ro("d", &Features::d)
      .def_prop_ro("m", &Features::m)
      .def_prop_ro("spec", [](const Features& self) { return self.spec(); });
}

}  // namespace
}  // namespace bochner::python

NB_MODULE(_core, module) {
  using namespace bochner;
  using namespace nanobind::literals;
  module.doc() = "The C++ library as it is; the package `bochner` is its public face.";
  module.attr("version") = kVersion;
  module.attr("stream_version") = kStreamVersion;
  python::bind_spec(module);
  python::bind_features(module);
  python::bind_compose(module);
  module.def("kernel_matrix", &python::gram<float>, "X"_a.noconvert(), "Y"_a.noconvert(), "kernel"_a, "lengthscale"_a,
             "parameters"_a);
  module.def("kernel_matrix", &python::gram<double>, "X"_a.noconvert(), "Y"_a.noconvert(), "kernel"_a, "lengthscale"_a,
             "parameters"_a);
  module.def("lengthscale", &python::lengthscale<float>, "X"_a.noconvert(), "rule"_a, "seed"_a);
  module.def("lengthscale", &python::lengthscale<double>, "X"_a.noconvert(), "rule"_a, "seed"_a);
  module.def("lengthscale_rules", [] {
    const auto rules = lengthscale_rules();
    return std::vector<std::string_view>(rules.begin(), rules.end());
  });
  module.def("kernels", [] { return python::described(kernels()); });
  module.def("maps", [] { return python::described(maps()); });
  module.def("couplings", [] { return python::described(couplings()); });
  module.def("default_map", &default_map, "kernel"_a);
  module.def("default_coupling", &default_coupling, "kernel"_a, "map"_a);
  module.def("width", &width, "map"_a, "parameters"_a = Parameters{}, "Number of real features per random direction.");
  module.def("num_threads", &num_threads);
  module.def(
      "set_num_threads",
      [](std::uint64_t threads) {
        set_num_threads(static_cast<int>(std::min<std::uint64_t>(threads, std::numeric_limits<int>::max())));
      },
      "threads"_a);
  python::bind_theory(module);
  python::bind_plan(module);
  python::bind_codes(module);
  python::bind_learners(module);
  python::bind_attention(module);
  python::bind_classifiers(module);
  python::bind_processes(module);
  python::bind_models(module);
}
