// SPDX-License-Identifier: Apache-2.0
#include "bind_models.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bochner/gram.h"
#include "bochner/model.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

GaussianProcessFit copied(const GaussianProcessFit& fit) {
  return {{copy_of(fit.mean.weights), fit.mean.intercept},
          fit.noise_variance,
          fit.signal_variance,
          fit.log_marginal_likelihood,
          copy_of(fit.directions),
          fit.shrinkage,
          fit.y_scale};
}

nb::dict described(const Preprocessing& made) {
  nb::dict result;
  nb::list inputs;
  for (const InputColumn& input : made.inputs)
    inputs.append(nb::make_tuple(input.name, input.position, input.categories, input.fill));
  result["inputs"] = inputs;
  result["columns"] = made.columns;
  result["target"] = made.target;
  result["target_position"] = made.target_position;
  result["impute"] = made.impute;
  result["mean"] = made.mean;
  result["scale"] = made.scale;
  result["regression"] = made.task == Task::regression;
  result["classes"] = made.classes;
  result["number_classes"] = made.number_classes;
  result["header"] = nb::none();
  if (made.header != Header::by_content) result["header"] = made.header == Header::present;
  return result;
}

Preprocessing preprocessing_of(const nb::dict& parts) {
  Preprocessing made;
  for (const nb::handle line : nb::cast<nb::list>(parts["inputs"]))
    made.inputs.push_back({nb::cast<std::string>(line[0]), nb::cast<std::size_t>(line[1]),
                           nb::cast<std::vector<std::string>>(line[2]), nb::cast<double>(line[3])});
  made.columns = nb::cast<std::size_t>(parts["columns"]);
  made.target = nb::cast<std::string>(parts["target"]);
  made.target_position = nb::cast<std::size_t>(parts["target_position"]);
  made.impute = nb::cast<bool>(parts["impute"]);
  made.mean = nb::cast<std::vector<double>>(parts["mean"]);
  made.scale = nb::cast<std::vector<double>>(parts["scale"]);
  made.task = nb::cast<bool>(parts["regression"]) ? Task::regression : Task::classification;
  made.classes = nb::cast<std::vector<std::string>>(parts["classes"]);
  made.number_classes = nb::cast<bool>(parts["number_classes"]);
  if (!parts["header"].is_none()) made.header = nb::cast<bool>(parts["header"]) ? Header::present : Header::absent;
  return made;
}

nb::dict load(const std::string& file) {
  Model model;
  {
    nb::gil_scoped_release unlocked;
    model = load_model(file);
  }
  nb::dict result;
  result["preprocessing"] = described(model.preprocessing);
  result["learner"] = model.learner;
  result["single"] = model.single;
  result["spec"] = model.spec;
  result["facts"] = model.facts;
  result["class_weights"] = model.class_weights;
  result["intercept"] = model.linear.intercept;
  result["posterior"] = nb::none();
  if (model.posterior) {
    model.posterior->mean = {copy_of(model.linear.weights), model.linear.intercept};
    result["posterior"] = nb::cast(std::move(*model.posterior));
  }
  result["components"] = nb::none();
  if (model.components) {
    nb::dict found;
    found["mean"] = model.components->mean;
    found["explained_variance"] = model.components->explained_variance;
    found["total_variance"] = model.components->total_variance;
    result["components"] = found;
  }
  result["coef"] = release(std::move(model.linear.weights));
  return result;
}

void save(const std::string& file, const nb::dict& parts) {
  Model model;
  model.preprocessing = preprocessing_of(nb::cast<nb::dict>(parts["preprocessing"]));
  model.learner = nb::cast<std::string>(parts["learner"]);
  model.single = nb::cast<bool>(parts["single"]);
  model.spec = nb::cast<Spec>(parts["spec"]);
  model.facts = nb::cast<std::map<std::string, double>>(parts["facts"]);
  model.class_weights = nb::cast<std::vector<double>>(parts["class_weights"]);
  model.linear = {copy_of(view(nb::cast<Array<const double>>(parts["coef"]))),
                  nb::cast<std::vector<double>>(parts["intercept"])};
  if (!parts["posterior"].is_none()) model.posterior = copied(nb::cast<const GaussianProcessFit&>(parts["posterior"]));
  if (!parts["components"].is_none()) {
    const auto found = nb::cast<nb::dict>(parts["components"]);
    model.preprocessing.task = Task::components;
    model.components = {.model = {},
                        .mean = nb::cast<std::vector<double>>(found["mean"]),
                        .explained_variance = nb::cast<std::vector<double>>(found["explained_variance"]),
                        .total_variance = nb::cast<double>(found["total_variance"])};
  }
  nb::gil_scoped_release unlocked;
  save_model(file, model);
}

Result<double> shares(const Array<const double>& scores, const Numbers& class_weights) {
  return release(class_shares(view(scores), span_of(class_weights)));
}

nb::tuple memory(std::string_view learner, const Spec& spec, std::size_t outputs, std::size_t rows,
                 std::size_t functions, bool single, std::size_t folds, bool gathered, std::size_t search_rows,
                 double cache) {
  const FitMemory found =
      fit_memory(learner, spec, outputs, {rows, functions, single, folds, gathered, search_rows, cache});
  return nb::make_tuple(found.bytes, found.left, found.most_outputs);
}

}  // namespace

void bind_models(nb::module_& module) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const FileError& error) {
      PyErr_SetString(PyExc_OSError, error.what());
    }
  });
  module.def("load_model", &load, "file"_a);
  module.def("save_model", &save, "file"_a, "parts"_a);
  module.def("fit_memory", &memory, "(bytes, bytes that are left, the most outputs that fit)", "learner"_a, "spec"_a,
             "outputs"_a, nb::kw_only(), "rows"_a = 0, "functions"_a = 1, "single"_a = false, "folds"_a = 0,
             "gathered"_a = false, "search_rows"_a = 0, "cache"_a = 0.0);
  module.def(
      "memory_left", [] { return fit_memory("", {.d = 1, .m = 1}, 1, {}).left; }, "Bytes that can still be taken.");
  module.def("class_shares", &shares, "scores"_a.noconvert(), "class_weights"_a.noconvert());
}

}  // namespace bochner::python
