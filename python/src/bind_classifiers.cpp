// SPDX-License-Identifier: Apache-2.0
#include "bind_classifiers.h"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bochner/linear_classifier.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

template <class T>
nb::dict fit_rows(const Features& features, const Array<const T>& X, const Labels& labels, std::size_t classes,
                  const Numbers& weights, const LinearClassifierOptions& options) {
  const auto rows = view(X);
  LinearClassifierFit fit;
  {
    nb::gil_scoped_release unlocked;
    fit = fit_linear_classifier(features, rows, span_of(labels), classes, span_of(weights), options);
  }
  nb::dict result;
  result["coef"] = release(std::move(fit.model.weights));
  result["intercept"] = fit.model.intercept;
  result["objective"] = fit.objective;
  result["gradient"] = fit.gradient;
  result["iterations"] = fit.iterations;
  result["passes"] = fit.passes;
  result["reached"] = fit.reached;
  return result;
}

Result<double> probabilities(const Array<const double>& scores, std::string_view loss) {
  return release(class_probabilities(view(scores), classifier_loss_from_name(loss)));
}

std::vector<double> balanced(const Labels& labels, std::size_t classes, const Numbers& weights) {
  return balanced_weights(span_of(labels), classes, span_of(weights));
}

}  // namespace

void bind_classifiers(nb::module_& module) {
  nb::class_<LinearClassifierOptions>(module, "LinearClassifierOptions", "Loss, penalty and when to stop.")
      .def(
          "__init__",
          [](LinearClassifierOptions* self, std::string_view loss, double C, bool intercept, double tolerance,
             std::size_t max_iterations, std::size_t cache_bytes) {
            new (self) LinearClassifierOptions{
                classifier_loss_from_name(loss), C, intercept, tolerance, max_iterations, cache_bytes};
          },
          nb::kw_only(), "loss"_a, "C"_a, "intercept"_a, "tolerance"_a, "max_iterations"_a, "cache_bytes"_a);
  module.def("fit_linear_classifier", &fit_rows<float>, "features"_a, "X"_a.noconvert(), "labels"_a.noconvert(),
             "classes"_a, "weights"_a.noconvert(), "options"_a);
  module.def("fit_linear_classifier", &fit_rows<double>, "features"_a, "X"_a.noconvert(), "labels"_a.noconvert(),
             "classes"_a, "weights"_a.noconvert(), "options"_a);
  module.def("class_probabilities", &probabilities, "scores"_a.noconvert(), "loss"_a);
  module.def("balanced_weights", &balanced, "labels"_a.noconvert(), "classes"_a, "weights"_a.noconvert());
}

}  // namespace bochner::python
