// SPDX-License-Identifier: Apache-2.0
#include "bind_processes.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bochner/gaussian_process.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

template <class T>
GaussianProcessFit fit_rows(const Features& features, const Array<const T>& X, const Array<const double>& Y,
                            const Numbers& weights, const GaussianProcessOptions& options) {
  const auto rows = view(X);
  const auto targets = view(Y);
  nb::gil_scoped_release unlocked;
  return fit_gaussian_process(features, rows, targets, span_of(weights), options);
}

GaussianProcessFit fit_gram(const Gram& gram, const GaussianProcessOptions& options) {
  nb::gil_scoped_release unlocked;
  return fit_gaussian_process(gram, options);
}

template <class T>
nb::tuple variance(const GaussianProcessFit& fit, const Features& features, const Array<const T>& X, bool exact) {
  const auto rows = view(X);
  PredictiveVariance result;
  {
    nb::gil_scoped_release unlocked;
    result = predictive_variance(features, fit, rows, exact ? PriorVariance::exact : PriorVariance::features);
  }
  return nb::make_tuple(release(std::move(result.values)), result.clamped);
}

nb::tuple draw(const GaussianProcessFit& fit, std::size_t draws, std::uint64_t seed) {
  LinearModel model;
  {
    nb::gil_scoped_release unlocked;
    model = draw_functions(fit, draws, seed);
  }
  return nb::make_tuple(release(std::move(model.weights)), model.intercept);
}

template <class T>
nb::dict search(const Spec& spec, const Array<const T>& X, const Array<const double>& Y, const Numbers& weights,
                const GaussianProcessOptions& options, bool per_coordinate, std::size_t most_rows,
                std::size_t evaluations) {
  const auto rows = view(X);
  const auto targets = view(Y);
  LikeliestLengthscale found;
  {
    nb::gil_scoped_release unlocked;
    found =
        likeliest_lengthscale(spec, rows, targets, span_of(weights), options, {per_coordinate, most_rows, evaluations});
  }
  nb::dict result;
  result["lengthscale"] = found.lengthscale;
  result["log_marginal_likelihood"] = found.log_marginal_likelihood;
  result["evaluations"] = found.evaluations;
  return result;
}

nb::tuple state(const GaussianProcessFit& fit) {
  return nb::make_tuple(release(copy_of(fit.mean.weights)), fit.mean.intercept, fit.noise_variance, fit.signal_variance,
                        fit.log_marginal_likelihood, release(copy_of(fit.directions)), fit.shrinkage, fit.y_scale);
}

void set_state(GaussianProcessFit* self, const nb::tuple& state) {
  new (self) GaussianProcessFit{
      {copy_of(view(nb::cast<Array<const double>>(state[0]))), nb::cast<std::vector<double>>(state[1])},
      nb::cast<double>(state[2]),
      nb::cast<double>(state[3]),
      nb::cast<double>(state[4]),
      copy_of(view(nb::cast<Array<const double>>(state[5]))),
      nb::cast<std::vector<double>>(state[6]),
      nb::cast<std::vector<double>>(state[7])};
}

void bind_fit(nb::module_& module) {
  nb::class_<GaussianProcessFit>(module, "GaussianProcessFit", "The posterior of a Gaussian process on features.")
      .def_prop_ro(
          "coef", [](const GaussianProcessFit& self) { return release(copy_of(self.mean.weights)); },
          nb::rv_policy::move)
      .def_prop_ro("intercept", [](const GaussianProcessFit& self) { return self.mean.intercept; })
      .def_ro("noise_variance", &GaussianProcessFit::noise_variance)
      .def_ro("signal_variance", &GaussianProcessFit::signal_variance)
      .def_ro("y_scale", &GaussianProcessFit::y_scale)
      .def_ro("log_marginal_likelihood", &GaussianProcessFit::log_marginal_likelihood)
      .def("variance", &variance<float>, "features"_a, "X"_a.noconvert(), "exact"_a)
      .def("variance", &variance<double>, "features"_a, "X"_a.noconvert(), "exact"_a)
      .def("draw", &draw, "draws"_a, "seed"_a)
      .def("__getstate__", &state)
      .def("__setstate__", &set_state);
}

}  // namespace

void bind_processes(nb::module_& module) {
  bind_fit(module);
  nb::class_<GaussianProcessOptions>(module, "GaussianProcessOptions",
                                     "Variances that are given; whether targets are normalised.")
      .def(
          "__init__",
          [](GaussianProcessOptions* self, std::optional<double> noise, std::optional<double> signal, bool normalise) {
            new (self) GaussianProcessOptions{noise, signal, normalise};
          },
          nb::kw_only(), "noise_variance"_a.none(), "signal_variance"_a.none(), "normalise"_a);
  module.def("fit_gaussian_process", &fit_rows<float>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a);
  module.def("fit_gaussian_process", &fit_rows<double>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a);
  module.def("fit_gaussian_process", &fit_gram, "gram"_a, "options"_a);
  module.def("likeliest_lengthscale", &search<float>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a, "per_coordinate"_a, "rows"_a, "evaluations"_a);
  module.def("likeliest_lengthscale", &search<double>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a, "per_coordinate"_a, "rows"_a, "evaluations"_a);
}

}  // namespace bochner::python
