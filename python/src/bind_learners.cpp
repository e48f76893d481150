// SPDX-License-Identifier: Apache-2.0
#include "bind_learners.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bochner/bochner.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

KernelRidgeOptions ridge_options(std::optional<double> alpha, std::string_view selection, std::vector<double> path,
                                 std::size_t folds, bool intercept) {
  return {alpha, selection_from_name(selection), std::move(path), folds, intercept};
}

/// Gives arguments their Python names in messages.
template <class Call>
auto named(const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::invalid_argument& error) {
    const std::string_view why = error.what();
    for (const auto& [here, there] :
         {std::pair<std::string_view, const char*>("path ", "alphas "), {"Y ", "y "}, {"weights ", "sample_weight "}})
      if (why.starts_with(here)) throw std::invalid_argument(there + std::string(why.substr(here.size())));
    throw;
  }
}

nb::dict described(KernelRidgeFit&& fit) {
  nb::dict result;
  result["coef"] = release(std::move(fit.model.weights));
  result["intercept"] = fit.model.intercept;
  result["alpha"] = fit.alpha;
  result["jitter"] = fit.jitter;
  result["condition"] = fit.condition;
  result["alphas"] = fit.path;
  result["errors"] = fit.errors;
  result["notes"] = fit.notes;
  return result;
}

template <class T>
nb::dict fit_ridge_rows(const Features& features, const Array<const T>& X, const Array<const double>& Y,
                        const Numbers& weights, const KernelRidgeOptions& options) {
  const auto rows = view(X);
  const auto targets = view(Y);
  KernelRidgeFit fit;
  {
    nb::gil_scoped_release unlocked;
    fit = named([&] { return fit_kernel_ridge(features, rows, targets, span_of(weights), options); });
  }
  return described(std::move(fit));
}

nb::dict fit_ridge_folds(const FoldGram& gram, const KernelRidgeOptions& options) {
  KernelRidgeFit fit;
  {
    nb::gil_scoped_release unlocked;
    fit = named([&] { return fit_kernel_ridge(gram, options); });
  }
  return described(std::move(fit));
}

template <class T>
nb::dict search_ridge(const Spec& spec, const Array<const T>& X, const Array<const double>& Y, const Numbers& weights,
                      const KernelRidgeOptions& options) {
  const auto rows = view(X);
  const auto targets = view(Y);
  RidgeLengthscale found;
  {
    nb::gil_scoped_release unlocked;
    found = named([&] { return search_ridge_lengthscale(spec, rows, targets, span_of(weights), options); });
  }
  nb::dict result;
  result["lengthscale"] = found.lengthscale;
  result["tried"] = found.tried;
  result["errors"] = found.errors;
  return result;
}

nb::dict fit_pca(const Gram& gram, std::size_t components) {
  KernelPcaFit fit;
  {
    nb::gil_scoped_release unlocked;
    fit = fit_kernel_pca(gram, components);
  }
  nb::dict result;
  result["components"] = release(std::move(fit.model.weights));
  result["offset"] = fit.model.intercept;
  result["mean"] = fit.mean;
  result["explained_variance"] = fit.explained_variance;
  result["total_variance"] = fit.total_variance;
  return result;
}

template <class T>
Result<double> predict_rows(const Features& features, const Array<const double>& coef,
                            const std::vector<double>& intercept, const Array<const T>& X) {
  const auto rows = view(X);
  const auto weights = view(coef);
  LinearModel model{Matrix<double>(weights.rows(), weights.cols()), intercept};
  for (std::size_t t = 0; t < weights.rows(); ++t)
    std::copy_n(weights.row(t).data(), weights.cols(), model.weights.view().row(t).data());
  Matrix<double> result;
  {
    nb::gil_scoped_release unlocked;
    result = predict(features, model, rows);
  }
  return release(std::move(result));
}

template <class Statistics, class T>
void add(Statistics& self, const Features& features, const Array<const T>& X, const Array<const double>& Y,
         const Numbers& weights) {
  const auto rows = view(X);
  const auto targets = view(Y);
  nb::gil_scoped_release unlocked;
  self.add(features, rows, targets, span_of(weights));
}

template <class T>
void add_classes(ClassSums& self, const Features& features, const Array<const T>& X, const Labels& labels,
                 const Numbers& weights) {
  const auto rows = view(X);
  nb::gil_scoped_release unlocked;
  self.add(features, rows, span_of(labels), span_of(weights));
}

/// A copy, so that further rows do not change it.
Result<double> class_sums(const ClassSums& self) {
  Matrix<double> copy(self.classes(), self.outputs());
  std::copy_n(self.sums().data(), self.classes() * self.outputs(), copy.data());
  return release(std::move(copy));
}

template <class Statistics>
nb::bytes bytes_of(const Statistics& self) {
  const auto bytes = self.to_bytes();
  return nb::bytes(bytes.data(), bytes.size());
}

template <class Statistics>
void from_bytes(Statistics* self, const nb::bytes& bytes) {
  new (self) Statistics(Statistics::from_bytes({reinterpret_cast<const std::byte*>(bytes.c_str()), bytes.size()}));
}

void bind_statistics(nb::module_& module) {
  nb::class_<Gram>(module, "Gram", "Products of features and targets, summed over rows.")
      .def(nb::init<std::size_t, std::size_t>(), "outputs"_a, "targets"_a)
      .def("add", &add<Gram, float>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "weights"_a.noconvert())
      .def("add", &add<Gram, double>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "weights"_a.noconvert())
      .def("merge", &Gram::merge, "other"_a)
      .def_prop_ro("targets", &Gram::targets)
      .def("__getstate__", &bytes_of<Gram>)
      .def("__setstate__", &from_bytes<Gram>);
  nb::class_<FoldGram>(module, "FoldGram", "Products of features and targets, summed over the rows of each fold.")
      .def(nb::init<std::size_t, std::size_t, std::size_t>(), "outputs"_a, "targets"_a, "folds"_a)
      .def("add", &add<FoldGram, float>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "weights"_a.noconvert())
      .def("add", &add<FoldGram, double>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(), "weights"_a.noconvert())
      .def("merge", &FoldGram::merge, "other"_a)
      .def_prop_ro("targets", &FoldGram::targets)
      .def("__getstate__", &bytes_of<FoldGram>)
      .def("__setstate__", &from_bytes<FoldGram>);
  nb::class_<ClassSums>(module, "ClassSums", "Features summed over the rows of each class.")
      .def(nb::init<std::size_t, std::size_t>(), "outputs"_a, "classes"_a)
      .def("add", &add_classes<float>, "features"_a, "X"_a.noconvert(), "labels"_a.noconvert(), "weights"_a.noconvert())
      .def("add", &add_classes<double>, "features"_a, "X"_a.noconvert(), "labels"_a.noconvert(),
           "weights"_a.noconvert())
      .def("merge", &ClassSums::merge, "other"_a)
      .def("sums", &class_sums)
      .def_prop_ro(
          "weights",
          [](const ClassSums& self) { return std::vector<double>(self.weights().begin(), self.weights().end()); })
      .def("__getstate__", &bytes_of<ClassSums>)
      .def("__setstate__", &from_bytes<ClassSums>);
}

}  // namespace

void bind_learners(nb::module_& module) {
  bind_statistics(module);
  nb::class_<KernelRidgeOptions>(module, "KernelRidgeOptions", "How alpha is found, and whether there is an intercept.")
      .def(
          "__init__",
          [](KernelRidgeOptions* self, std::optional<double> alpha, std::string_view selection,
             std::vector<double> path, std::size_t folds, bool intercept) {
            new (self) KernelRidgeOptions(ridge_options(alpha, selection, std::move(path), folds, intercept));
          },
          nb::kw_only(), "alpha"_a.none(), "selection"_a, "path"_a, "folds"_a, "intercept"_a);
  module.def("fit_kernel_ridge", &fit_ridge_rows<float>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a);
  module.def("fit_kernel_ridge", &fit_ridge_rows<double>, "features"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a);
  module.def("fit_kernel_ridge", &fit_ridge_folds, "gram"_a, "options"_a);
  module.def("search_ridge_lengthscale", &search_ridge<float>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a);
  module.def("search_ridge_lengthscale", &search_ridge<double>, "spec"_a, "X"_a.noconvert(), "Y"_a.noconvert(),
             "weights"_a.noconvert(), "options"_a);
  module.def("fit_kernel_pca", &fit_pca, "gram"_a, "components"_a);
  module.def("predict", &predict_rows<float>, "features"_a, "coef"_a.noconvert(), "intercept"_a, "X"_a.noconvert());
  module.def("predict", &predict_rows<double>, "features"_a, "coef"_a.noconvert(), "intercept"_a, "X"_a.noconvert());
}

}  // namespace bochner::python
