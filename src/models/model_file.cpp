// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bochner/model.h"
#include "bochner/registry.h"
#include "bochner/version.h"
#include "data/atomic_file.h"
#include "data/file_error.h"
#include "data/format.h"
#include "data/tensor_file.h"
#include "models/learners.h"
#include "models/model_json.h"

namespace bochner {
namespace {

using data::Tensor;
using data::TensorFile;

constexpr char kFormat[] = "bochner-model";

/// CRC-32 of the JSON text and of all numbers: any burst of up to 32 wrong bits is found.
std::string checksum(std::string_view text, std::span<const Tensor> tensors) {
  uLong sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  for (const Tensor& tensor : tensors) {
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(tensor.name.data()), tensor.name.size());
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(tensor.values.data()), 8 * tensor.values.size());
  }
  return fmt::format("{:08x}", sum);
}

std::vector<double> copied(MatrixView<const double> values) {
  std::vector<double> out;
  for (std::size_t i = 0; i < values.rows(); ++i) out.insert(out.end(), values.row(i).begin(), values.row(i).end());
  return out;
}

void require(bool good, const std::string& sentence) {
  if (!good) throw std::invalid_argument("the model: " + sentence);
}

void check_components(const Model& model, const Learner& learner, std::size_t outputs) {
  require(model.components.has_value() == learner.components,
          fmt::format("learner '{}' {} components", learner.name, model.components ? "has" : "lacks"));
  if (!model.components) return;
  const std::size_t count = model.linear.weights.rows();
  const KernelPcaFit& found = *model.components;
  require(count >= 1 && count <= outputs && found.explained_variance.size() == count && found.mean.size() == outputs,
          fmt::format("{} components, {} variances and {} means of features for {} outputs", count,
                      found.explained_variance.size(), found.mean.size(), outputs));
  require(found.total_variance >= 0, "the total variance is not >= 0");
}

/// Checks the parts that depend on the learner.
void check_learner(const Model& model, std::size_t outputs) {
  const Preprocessing& made = model.preprocessing;
  require(!model.learner.empty(), "the learner has no name");
  const Learner& learner = find_learner(model.learner, made.task);
  const LinearModel& linear = model.linear;
  const bool one = made.task == Task::regression || (learner.one_for_two && made.classes.size() == 2);
  const std::size_t functions = learner.components ? linear.weights.rows() : one ? 1 : made.classes.size();
  require(linear.weights.rows() == functions && linear.intercept.size() == functions,
          fmt::format("{} functions and {} intercepts; expected {} of each", linear.weights.rows(),
                      linear.intercept.size(), functions));
  const auto& shares = model.class_weights;
  require(shares.empty() || (learner.name == "nadaraya_watson" && shares.size() == functions),
          fmt::format("{} class weights for {} classes of learner '{}'", shares.size(), functions, learner.name));
  require(shares.empty() || (std::ranges::all_of(shares, [](double value) { return value >= 0; }) &&
                             std::ranges::any_of(shares, [](double value) { return value > 0; })),
          "class weights are not >= 0, or all 0");
  require(model.posterior.has_value() == (learner.name == "gp"),
          fmt::format("learner '{}' {} a posterior", learner.name, model.posterior ? "has" : "lacks"));
  check_components(model, learner, outputs);
  if (!model.posterior) return;
  const GaussianProcessFit& posterior = *model.posterior;
  require(posterior.directions.cols() == outputs && posterior.directions.rows() == posterior.shrinkage.size() &&
              posterior.shrinkage.size() <= outputs,
          fmt::format("{} x {} directions and {} shrinkages for {} outputs", posterior.directions.rows(),
                      posterior.directions.cols(), posterior.shrinkage.size(), outputs));
  require(std::ranges::all_of(posterior.shrinkage, [](double value) { return value > 0 && value <= 1; }),
          "a shrinkage is not > 0 and <= 1");
  require(posterior.noise_variance > 0 && posterior.signal_variance > 0, "a variance is not > 0");
  require(posterior.y_scale.size() == 1 && posterior.y_scale[0] > 0,
          fmt::format("{} scales of the target; expected 1, > 0", posterior.y_scale.size()));
}

/// Refuses a model whose parts do not fit together, without checking its inputs, which become `d` numbers; `outputs` is
/// the number of outputs of its features.
void check_parts(const Model& model, std::size_t d, std::size_t outputs) {
  const Preprocessing& made = model.preprocessing;
  require(d >= 1 && made.mean.size() == d && made.scale.size() == d,
          fmt::format("{} means and {} scales; expected {} of each", made.mean.size(), made.scale.size(), d));
  require(model.spec.d == d, fmt::format("features of {} columns; expected {}", model.spec.d, d));
  require(made.has_target() || (made.task == Task::components && made.target_position == made.columns),
          "the target is beyond the columns");
  require(made.task == Task::classification ? made.classes.size() >= 2 : made.classes.empty(),
          fmt::format("{} classes for {}", made.classes.size(), task_names()[static_cast<int>(made.task)]));
  check_learner(model, outputs);
  require(model.linear.weights.cols() == outputs,
          fmt::format("{} weights for {} outputs of its features", model.linear.weights.cols(), outputs));
  for (const auto& [name, value] : model.facts)
    require(std::isfinite(value), fmt::format("the fact '{}' is {}", name, value));
  require(std::ranges::all_of(made.scale, [](double value) { return value > 0; }), "a scale is not > 0");
}

/// Refuses inputs that are not in order; returns how many numbers they become.
std::size_t checked_inputs(const Preprocessing& made) {
  std::size_t d = 0, next = 0;
  for (const InputColumn& input : made.inputs) {
    require(input.position >= next, fmt::format("column {} is not in order", input.position));
    next = input.position + 1;
    d += std::max<std::size_t>(input.categories.size(), 1);
    require(std::ranges::is_sorted(input.categories) &&
                std::ranges::adjacent_find(input.categories) == input.categories.end(),
            fmt::format("categories of column {} are not in order", input.position));
    require(input.categories.empty() || (input.fill >= 0 && input.fill < static_cast<double>(input.categories.size()) &&
                                         input.fill == std::floor(input.fill)),
            fmt::format("the fill of column {} is not the number of a category", input.position));
    require(input.position < made.columns && input.position != made.target_position,
            fmt::format("column {} is the target or beyond the {} columns", input.position, made.columns));
  }
  return d;
}

/// `payload` is the byte at which the numbers begin, if they are already in a file.
void check_finite(const std::filesystem::path& file, const TensorFile& content, std::optional<std::uint64_t> payload) {
  std::uint64_t number = 0;
  for (const Tensor& tensor : content.tensors)
    for (std::size_t i = 0; i < tensor.values.size(); ++i, ++number) {
      if (std::isfinite(tensor.values[i])) continue;
      const std::string sentence =
          fmt::format("number {} of tensor '{}' is {}; expected a finite number", i, tensor.name, tensor.values[i]);
      if (payload) data::fail_byte(file, *payload + 8 * number, sentence);
      data::fail(file, sentence);
    }
}

/// An entry of the header's metadata.
const std::string& metadata(const std::filesystem::path& file, const TensorFile& content, const std::string& key) {
  const auto found = content.metadata.find(key);
  if (found == content.metadata.end())
    data::fail_byte(file, 8, fmt::format("__metadata__ has no '{}'; expected a model that bochner saved", key));
  return found->second;
}

void check_version(const std::filesystem::path& file, const TensorFile& content) {
  if (metadata(file, content, "format") != kFormat)
    data::fail_byte(
        file, 8, fmt::format("the format is {}; expected '{}'", data::shown(content.metadata.at("format")), kFormat));
  const std::string& version = metadata(file, content, "format_version");
  if (version != fmt::format("{}", kModelVersion))
    data::fail_byte(
        file, 8,
        fmt::format("the format version is {}; this library reads version {}", data::shown(version), kModelVersion));
}

Tensor take(const std::filesystem::path& file, TensorFile& content, std::string_view name, std::size_t dimensions) {
  const auto found = std::ranges::find(content.tensors, name, &Tensor::name);
  if (found == content.tensors.end()) data::fail_byte(file, 8, fmt::format("there is no tensor '{}'", name));
  if (found->shape.size() != dimensions)
    data::fail_byte(
        file, 8, fmt::format("the tensor '{}' has {} dimensions; expected {}", name, found->shape.size(), dimensions));
  return std::move(*found);
}

Matrix<double> matrix_of(const Tensor& tensor) {
  Matrix<double> out(tensor.shape[0], tensor.shape[1]);
  std::ranges::copy(tensor.values, out.data());
  return out;
}

bool has(const TensorFile& content, std::string_view name) {
  return std::ranges::find(content.tensors, name, &Tensor::name) != content.tensors.end();
}

void take_posterior(const std::filesystem::path& file, TensorFile& content, Model& model) {
  GaussianProcessFit& posterior = model.posterior.emplace();
  posterior.directions = matrix_of(take(file, content, "directions", 2));
  posterior.shrinkage = take(file, content, "shrinkage", 1).values;
  const Tensor variances = take(file, content, "variances", 1);
  if (variances.values.size() != 2)
    data::fail_byte(file, 8,
                    fmt::format("the tensor 'variances' has {} numbers; expected 2, those of noise and signal",
                                variances.values.size()));
  posterior.noise_variance = variances.values[0];
  posterior.signal_variance = variances.values[1];
  // Files of version 0.1 have none: their targets were not divided.
  posterior.y_scale = has(content, "y_scale") ? take(file, content, "y_scale", 1).values : std::vector<double>{1.0};
}

void take_components(const std::filesystem::path& file, TensorFile& content, Model& model) {
  KernelPcaFit& found = model.components.emplace();
  found.mean = take(file, content, "centre", 1).values;
  found.explained_variance = take(file, content, "explained_variance", 1).values;
  const Tensor total = take(file, content, "total_variance", 1);
  if (total.values.size() != 1)
    data::fail_byte(file, 8,
                    fmt::format("the tensor 'total_variance' has {} numbers; expected 1", total.values.size()));
  found.total_variance = total.values[0];
}

/// Takes all numbers of the model except those that replace missing values of its inputs, which are returned.
std::vector<double> take_tensors(const std::filesystem::path& file, TensorFile& content, Model& model,
                                 std::size_t inputs) {
  const bool process = model.learner == "gp", shares = has(content, "class_weights");
  const bool components = model.preprocessing.task == Task::components;
  const std::size_t expected =
      5 + (process || components ? 3 : 0) + (process && has(content, "y_scale") ? 1 : 0) + (shares ? 1 : 0);
  if (content.tensors.size() != expected)
    data::fail_byte(
        file, 8,
        fmt::format("{} tensors; expected {}: weights, intercept, mean, scale, fill{}{}", content.tensors.size(),
                    expected, process ? ", directions, shrinkage, variances, y_scale" : "",
                    components ? ", centre, explained_variance, total_variance" : ""));
  model.linear.weights = matrix_of(take(file, content, "weights", 2));
  model.linear.intercept = take(file, content, "intercept", 1).values;
  model.preprocessing.mean = take(file, content, "mean", 1).values;
  model.preprocessing.scale = take(file, content, "scale", 1).values;
  if (shares) model.class_weights = take(file, content, "class_weights", 1).values;
  if (process) take_posterior(file, content, model);
  if (components) take_components(file, content, model);
  Tensor fill = take(file, content, "fill", 1);
  if (fill.values.size() != inputs)
    data::fail_byte(
        file, 8,
        fmt::format("the tensor 'fill' has {} numbers; expected {}, one for each input", fill.values.size(), inputs));
  return std::move(fill.values);
}

/// The number of outputs of the features, without drawing them.
std::size_t outputs_of(const Spec& spec) {
  const std::size_t width = bochner::width(spec.map, spec.parameters);
  if (width == 0 || spec.m == 0 || spec.m > (std::size_t{1} << 40) / width)
    throw std::invalid_argument(fmt::format("the model: map '{}' with m = {} has no outputs", spec.map, spec.m));
  return width * spec.m;
}

}  // namespace

void save_model(const std::filesystem::path& file, const Model& model) {
  check_model_target(file);
  check_parts(model, checked_inputs(model.preprocessing), outputs_of(model.spec));
  std::vector<double> fill;
  for (const InputColumn& input : model.preprocessing.inputs) fill.push_back(input.fill);
  const Matrix<double>& weights = model.linear.weights;
  const std::size_t d = model.preprocessing.d();
  TensorFile content;
  content.tensors = {{"weights", {weights.rows(), weights.cols()}, copied(weights)},
                     {"intercept", {model.linear.intercept.size()}, model.linear.intercept},
                     {"mean", {d}, model.preprocessing.mean},
                     {"scale", {d}, model.preprocessing.scale},
                     {"fill", {fill.size()}, fill}};
  if (!model.class_weights.empty())
    content.tensors.push_back({"class_weights", {model.class_weights.size()}, model.class_weights});
  if (const auto& posterior = model.posterior) {
    const Matrix<double>& directions = posterior->directions;
    content.tensors.push_back({"directions", {directions.rows(), directions.cols()}, copied(directions)});
    content.tensors.push_back({"shrinkage", {posterior->shrinkage.size()}, posterior->shrinkage});
    content.tensors.push_back({"variances", {2}, {posterior->noise_variance, posterior->signal_variance}});
    content.tensors.push_back({"y_scale", {posterior->y_scale.size()}, posterior->y_scale});
  }
  if (const auto& found = model.components) {
    content.tensors.push_back({"centre", {found->mean.size()}, found->mean});
    content.tensors.push_back({"explained_variance", {found->explained_variance.size()}, found->explained_variance});
    content.tensors.push_back({"total_variance", {1}, {found->total_variance}});
  }
  check_finite(file, content, std::nullopt);
  const std::string text = model_to_json(model);
  content.metadata = {{"format", kFormat},
                      {"format_version", fmt::format("{}", kModelVersion)},
                      {"library_version", kVersion},
                      {"model", text},
                      {"checksum", checksum(text, content.tensors)}};
  data::write_tensors(file, content);
}

void check_model_target(const std::filesystem::path& file) {
  if (file.empty()) data::fail(file, "no name for the model; expected a file");
  data::refuse_table_name(file);
  data::check_target(file);
}

Model load_model(const std::filesystem::path& file) {
  TensorFile content = data::read_tensors(file);
  check_version(file, content);
  const std::string& text = metadata(file, content, "model");
  const std::string found = checksum(text, content.tensors);
  if (metadata(file, content, "checksum") != found)
    data::fail_byte(file, 8,
                    fmt::format("the checksum is {}; the content has {}: the file was changed or damaged",
                                data::shown(content.metadata.at("checksum")), found));
  check_finite(file, content, content.payload);
  try {
    std::vector<double> fill;
    Model model = model_from_json(text, [&](Model& known, std::size_t inputs, std::size_t d) {
      fill = take_tensors(file, content, known, inputs);
      check_parts(known, d, outputs_of(known.spec));
    });
    for (std::size_t j = 0; j < fill.size(); ++j) model.preprocessing.inputs[j].fill = fill[j];
    checked_inputs(model.preprocessing);
    return model;
  } catch (const std::invalid_argument& error) {
    data::fail_byte(file, 8, error.what());
  }
}

}  // namespace bochner
