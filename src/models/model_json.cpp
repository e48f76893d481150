// SPDX-License-Identifier: Apache-2.0
#include "models/model_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/errors.h"
#include "core/strict_json.h"
#include "data/limits.h"

namespace bochner {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

[[noreturn]] void refuse_key(const std::string& path, const std::string& expected) {
  throw std::invalid_argument(fmt::format("the model: '{}' is missing or not {}", path, expected));
}

const json& at(const json& object, const char* key, const char* expected, bool (json::*is)() const noexcept) {
  const auto found = object.find(key);
  if (found == object.end() || !((*found).*is)()) refuse_key(key, expected);
  return *found;
}

json parsed(std::string_view text) {
  try {
    json object = parse_strict_json(text);
    if (!object.is_object()) throw std::invalid_argument("not a JSON object");
    return object;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("the model: {}", error.what()));
  }
}

std::string text_at(const json& object, const char* key) {
  return at(object, key, "a text", &json::is_string).get<std::string>();
}

bool bool_at(const json& object, const char* key) {
  return at(object, key, "true or false", &json::is_boolean).get<bool>();
}

std::size_t count_at(const json& object, const char* key) {
  return at(object, key, "a whole number >= 0", &json::is_number_unsigned).get<std::size_t>();
}

std::vector<std::string> words_at(const json& object, const char* key) {
  const json& list = at(object, key, "a list of texts", &json::is_array);
  if (!std::ranges::all_of(list, [](const json& entry) { return entry.is_string(); }))
    refuse_key(key, "a list of texts");
  return list.get<std::vector<std::string>>();
}

/// Columns that are neither inputs nor the target.
std::vector<std::size_t> dropped_columns(const Preprocessing& made) {
  std::vector<bool> used(made.columns, false);
  if (made.has_target()) used[made.target_position] = true;
  for (const InputColumn& input : made.inputs) used[input.position] = true;
  std::vector<std::size_t> dropped;
  for (std::size_t j = 0; j < made.columns; ++j)
    if (!used[j]) dropped.push_back(j);
  return dropped;
}

/// What the text says about the inputs, in about as much memory as the text itself. The inputs are made once their
/// number is known to match the numbers of the model.
struct InputsText {
  std::vector<bool> used;  ///< columns that are not inputs
  std::size_t count = 0;
  std::vector<std::string> names;
  std::map<std::size_t, std::vector<std::string>> categories;  ///< by position

  std::size_t d() const {
    std::size_t sum = count - categories.size();
    for (const auto& [position, words] : categories) sum += words.size();
    return sum;
  }
};

void read_categories(const json& object, InputsText& inputs) {
  for (const auto& [key, list] : at(object, "categories", "an object of lists", &json::is_object).items()) {
    std::size_t column = 0;
    const auto [rest, error] = std::from_chars(key.data(), key.data() + key.size(), column);
    if (error != std::errc() || fmt::format("{}", column) != key || column >= inputs.used.size() || inputs.used[column])
      refuse_key("categories", "lists for columns that are inputs");
    std::vector<std::string> words = words_at(object.at("categories"), key.c_str());
    if (words.empty()) refuse_key("categories", "lists with at least one word");
    inputs.categories.emplace(column, std::move(words));
  }
}

InputsText read_inputs(const json& object, Preprocessing& made) {
  made.columns = count_at(object, "columns");
  const std::size_t fewest = made.task == Task::components ? 1 : 2;
  if (made.columns < fewest || made.columns > data::kMaxColumns)
    refuse_key("columns", fmt::format("from {} to {}", fewest, data::kMaxColumns));
  InputsText inputs;
  inputs.used.assign(made.columns, false);
  inputs.names = words_at(object, "names");
  if (made.target_position > made.columns || (!made.has_target() && made.task != Task::components))
    refuse_key("position", "below the number of columns");
  if (made.has_target()) inputs.used[made.target_position] = true;
  for (const json& entry : at(object, "dropped", "a list of whole numbers", &json::is_array)) {
    if (!entry.is_number_unsigned() || entry.get<std::size_t>() >= made.columns ||
        inputs.used[entry.get<std::size_t>()])
      refuse_key("dropped", "a list of different columns beside the target");
    inputs.used[entry.get<std::size_t>()] = true;
  }
  inputs.count = static_cast<std::size_t>(std::ranges::count(inputs.used, false));
  if (!inputs.names.empty() && inputs.names.size() != inputs.count)
    refuse_key("names", "a name for each input, or none");
  read_categories(object, inputs);
  return inputs;
}

void make_inputs(InputsText text, Preprocessing& made) {
  made.inputs.reserve(text.count);
  for (std::size_t j = 0; j < made.columns; ++j)
    if (!text.used[j]) made.inputs.push_back({.name = {}, .position = j});
  for (std::size_t j = 0; j < text.names.size(); ++j) made.inputs[j].name = std::move(text.names[j]);
  for (auto& [position, words] : text.categories)
    std::ranges::lower_bound(made.inputs, position, {}, &InputColumn::position)->categories = std::move(words);
}

/// Reads everything but the inputs.
Preprocessing read_preprocessing(const json& object) {
  Preprocessing made;
  const std::string task = text_at(object, "task");
  const auto names = task_names();
  const auto known = std::ranges::find(names, task);
  if (known == names.end()) refuse_name("task", task, names);
  made.task = static_cast<Task>(known - names.begin());
  const json& target = at(object, "target", "an object", &json::is_object);
  made.target = text_at(target, "name");
  made.target_position = count_at(target, "position");
  made.number_classes = bool_at(target, "numbers");
  made.classes = words_at(target, "classes");
  const json& inputs = at(object, "inputs", "an object", &json::is_object);
  made.impute = bool_at(inputs, "impute");
  // Files of earlier versions do not have this entry.
  if (inputs.contains("header")) made.header = bool_at(inputs, "header") ? Header::present : Header::absent;
  return made;
}

}  // namespace

std::string model_to_json(const Model& model) {
  const Preprocessing& made = model.preprocessing;
  ordered_json names = ordered_json::array(), categories = ordered_json::object();
  const bool named = std::ranges::any_of(made.inputs, [](const InputColumn& input) { return !input.name.empty(); });
  for (const InputColumn& input : made.inputs) {
    if (named) names.push_back(input.name);
    if (!input.categories.empty()) categories[fmt::format("{}", input.position)] = input.categories;
  }
  ordered_json inputs = {{"columns", made.columns},
                         {"names", names},
                         {"dropped", dropped_columns(made)},
                         {"categories", categories},
                         {"impute", made.impute}};
  if (made.header != Header::by_content) inputs["header"] = made.header == Header::present;
  const ordered_json object = {{"task", task_names()[static_cast<std::size_t>(made.task)]},
                               {"learner", model.learner},
                               {"dtype", model.single ? "float32" : "float64"},
                               {"features", ordered_json::parse(to_json(model.spec))},
                               {"target",
                                {{"name", made.target},
                                 {"position", made.target_position},
                                 {"numbers", made.number_classes},
                                 {"classes", made.classes}}},
                               {"inputs", inputs},
                               {"facts", model.facts}};
  std::string text;
  try {
    text = object.dump();
  } catch (const json::exception&) {
    throw std::invalid_argument("the model: a name, word or class is not UTF-8");
  }
  parsed(text);  // text that could not be read again is not written
  return text;
}

Model model_from_json(std::string_view text,
                      const std::function<void(Model& model, std::size_t inputs, std::size_t d)>& check) {
  Model model;
  InputsText inputs;
  {
    const json object = parsed(text);
    model.preprocessing = read_preprocessing(object);
    model.learner = text_at(object, "learner");
    const std::string dtype = text_at(object, "dtype");
    if (dtype != "float32" && dtype != "float64") refuse_key("dtype", "float32 or float64");
    model.single = dtype == "float32";
    model.spec = spec_from_json(at(object, "features", "an object", &json::is_object).dump());
    for (const auto& [name, value] : at(object, "facts", "an object of numbers", &json::is_object).items()) {
      if (!value.is_number()) refuse_key("facts", "an object of numbers");
      model.facts.emplace(name, value.get<double>());
    }
    inputs = read_inputs(object.at("inputs"), model.preprocessing);
  }
  check(model, inputs.count, inputs.d());
  make_inputs(std::move(inputs), model.preprocessing);
  return model;
}

}  // namespace bochner
