// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "data/expect_file_error.h"
#include "models/model_bytes.h"
#include "models/some_model.h"
#include "support/peak.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::ordered_json;
using test::expect_file_error;
using test::TemporaryFolder;
using test::with_length;
using namespace std::string_literals;

/// A model file taken apart.
struct Parts {
  ordered_json header;
  ordered_json model;
  std::vector<std::pair<std::string, std::vector<double>>> tensors;
  std::string after_header, after_model;  ///< behind the JSON
  std::optional<std::string> text;        ///< in place of the JSON of the model
  bool keep_checksum = false;

  std::vector<double>& values(const std::string& name) {
    for (auto& [key, list] : tensors)
      if (key == name) return list;
    throw std::out_of_range(name);
  }
};

Parts parts_of(const std::string& bytes) {
  std::uint64_t length = 0;
  for (int k = 7; k >= 0; --k) length = length << 8 | static_cast<unsigned char>(bytes[k]);
  Parts parts;
  parts.header = ordered_json::parse(bytes.substr(8, length));
  parts.model = ordered_json::parse(parts.header["__metadata__"]["model"].get<std::string>());
  for (const auto& [name, entry] : parts.header.items()) {
    if (name == "__metadata__") continue;
    const auto offsets = entry["data_offsets"].get<std::vector<std::size_t>>();
    std::vector<double> values((offsets[1] - offsets[0]) / 8);
    std::memcpy(values.data(), bytes.data() + 8 + length + offsets[0], offsets[1] - offsets[0]);
    parts.tensors.emplace_back(name, std::move(values));
  }
  return parts;
}

/// With a checksum that fits, so that what is wrong is found by what looks for it.
std::string joined(Parts parts) {
  std::string payload;
  const std::string text = parts.text.value_or(parts.model.dump()) + parts.after_model;
  uLong sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  for (const auto& [name, values] : parts.tensors) {
    const std::string bytes(reinterpret_cast<const char*>(values.data()), 8 * values.size());
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(name.data()), name.size());
    sum = ::crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    payload += bytes;
  }
  if (parts.header.contains("__metadata__") && parts.header["__metadata__"].is_object()) {
    auto& metadata = parts.header["__metadata__"];
    if (metadata.contains("model")) metadata["model"] = text;
    if (!parts.keep_checksum) metadata["checksum"] = fmt::format("{:08x}", sum);
  }
  return with_length(parts.header.dump() + parts.after_header, payload);
}

struct Case {
  const char* name;
  std::function<void(Parts&)> change;
  std::vector<std::string_view> words;
};

class BadModel : public testing::TestWithParam<Case> {};

TEST_P(BadModel, IsRefusedInOneSentence) {
  const TemporaryFolder folder;
  save_model(folder / "m", test::some_classifier());
  Parts parts = parts_of(folder.read("m"));
  GetParam().change(parts);
  folder.write("bad.safetensors", joined(std::move(parts)));
  std::vector<std::string_view> words = GetParam().words;
  words.push_back("bad.safetensors, byte ");
  expect_file_error([&] { load_model(folder / "bad.safetensors"); }, words);
}

const auto tensor = [](const char* name, const char* key, const ordered_json& value) {
  return [=](Parts& parts) { parts.header[name][key] = value; };
};
const auto metadata = [](const char* key, const ordered_json& value) {
  return [=](Parts& parts) { parts.header["__metadata__"][key] = value; };
};
const auto in_model = [](const char* pointer, const ordered_json& value) {
  return [=](Parts& parts) { parts.model[ordered_json::json_pointer(pointer)] = value; };
};
const auto without = [](const char* pointer) {
  return [=](Parts& parts) {
    const ordered_json::json_pointer whole(pointer);
    parts.model[whole.parent_pointer()].erase(whole.back());
  };
};

const Case kCases[] = {
    {"NoMetadata", [](Parts& parts) { parts.header.erase("__metadata__"); }, {"no 'format'"}},
    {"MetadataIsAList",
     [](Parts& parts) {
       parts.header["__metadata__"] = {1, 2};
     },
     {"__metadata__"}},
    {"MetadataOfNumbers", metadata("format_version", 1), {"'format_version'", "not a string"}},
    {"AnotherFormat", metadata("format", "pt"), {"format is 'pt'"}},
    {"NewerVersion", metadata("format_version", "2"), {"version is '2'", "reads version 1"}},
    {"VersionZero", metadata("format_version", "0"), {"version is '0'"}},
    {"VersionOfText", metadata("format_version", "one"), {"version is 'one'"}},
    {"NoModel", [](Parts& parts) { parts.header["__metadata__"].erase("model"); }, {"no 'model'"}},
    {"WrongChecksum",
     [](Parts& parts) {
       parts.keep_checksum = true;
       parts.values("weights")[0] += 1;
     },
     {"checksum", "changed or damaged"}},
    {"NoChecksum",
     [](Parts& parts) {
       parts.keep_checksum = true;
       parts.header["__metadata__"].erase("checksum");
     },
     {"no 'checksum'"}},
    {"TensorIsANumber", [](Parts& parts) { parts.header["weights"] = 5; }, {"'weights'", "dtype, shape"}},
    {"TensorWithoutShape", [](Parts& parts) { parts.header["weights"].erase("shape"); }, {"'weights'"}},
    {"TensorWithMoreKeys", tensor("weights", "more", 1), {"'weights'"}},
    {"Float32", tensor("weights", "dtype", "F32"), {"'weights'", "F64"}},
    {"UnknownDtype", tensor("mean", "dtype", "Q8"), {"'mean'", "F64"}},
    {"DtypeIsANumber", tensor("mean", "dtype", 64), {"'mean'", "F64"}},
    {"ShapeTooSmall", tensor("weights", "shape", {2, 3}), {"'weights'", "6 numbers"}},
    {"ShapeTooLarge", tensor("weights", "shape", {2, 5}), {"'weights'", "10 numbers"}},
    {"ShapeOverflow", tensor("weights", "shape", {4294967296u, 4294967297u}), {"'weights'", "too large"}},
    {"ShapeOfThree", tensor("weights", "shape", {2, 2, 2}), {"'weights'", "1 or 2"}},
    {"ShapeOfNone", tensor("weights", "shape", ordered_json::array()), {"'weights'", "1 or 2"}},
    {"NegativeShape", tensor("weights", "shape", {-2, -4}), {"'weights'", "whole numbers"}},
    {"ShapeOfFractions", tensor("weights", "shape", {2.0, 4.5}), {"'weights'", "whole numbers"}},
    {"ReversedOffsets", tensor("weights", "data_offsets", {64, 0}), {"'weights'"}},
    {"OneOffset", tensor("weights", "data_offsets", {64}), {"'weights'", "2 whole numbers"}},
    {"NegativeOffset", tensor("weights", "data_offsets", {-64, 0}), {"'weights'"}},
    {"Hole",
     [](Parts& parts) {
       for (const char* name : {"intercept", "mean", "scale", "fill"})
         for (auto& offset : parts.header[name]["data_offsets"]) offset = offset.get<std::size_t>() + 8;
     },
     {"'intercept'", "no holes"}},
    {"Overlap",
     [](Parts& parts) {
       for (const char* name : {"intercept", "mean", "scale", "fill"})
         for (auto& offset : parts.header[name]["data_offsets"]) offset = offset.get<std::size_t>() - 8;
     },
     {"no holes, no overlap"}},
    {"MoreNumbers", [](Parts& parts) { parts.tensors.back().second.push_back(1); }, {"expected"}},
    {"FewerNumbers", [](Parts& parts) { parts.tensors.back().second.pop_back(); }, {"expected"}},
    {"MissingTensor",
     [](Parts& parts) {
       parts.header.erase("fill");
       parts.tensors.pop_back();
     },
     {"4 tensors"}},
    {"RenamedTensor",
     [](Parts& parts) {
       parts.header["filled"] = parts.header["fill"];
       parts.header.erase("fill");
       parts.tensors.back().first = "filled";
     },
     {"no tensor 'fill'"}},
    {"VectorOfWeights", tensor("weights", "shape", {8}), {"'weights'", "1 dimensions"}},
    {"TransposedWeights", tensor("weights", "shape", {4, 2}), {"functions"}},
    {"NoTask", without("/task"), {"'task'"}},
    {"UnknownTask", in_model("/task", "ranking"), {"unknown task 'ranking'"}},
    {"RegressionWithClasses", in_model("/task", "regression"), {"classes"}},
    {"OneClass", in_model("/target/classes", {"yes"}), {"1 classes"}},
    {"ThreeClasses", in_model("/target/classes", {"a", "b", "c"}), {"2 functions", "expected 3"}},
    {"ClassesOfNumbers", in_model("/target/classes", {1, 2}), {"'classes'", "texts"}},
    {"NoTarget", without("/target"), {"'target'"}},
    {"TargetBeyondColumns", in_model("/target/position", 4), {"'position'"}},
    {"NegativeTarget", in_model("/target/position", -1), {"'position'"}},
    {"NoInputs", without("/inputs"), {"'inputs'"}},
    {"NoColumns", in_model("/inputs/columns", 0), {"'columns'"}},
    {"ManyColumns", in_model("/inputs/columns", 1'000'000'000'000), {"'columns'"}},
    {"DroppedTwice", in_model("/inputs/dropped", {3, 3}), {"'dropped'"}},
    {"DroppedTarget", in_model("/inputs/dropped", {1}), {"'dropped'"}},
    {"DroppedBeyond", in_model("/inputs/dropped", {77}), {"'dropped'"}},
    {"DroppedOther", in_model("/inputs/dropped", {0}), {"the fill of column 2"}},
    {"NamesTooFew", in_model("/inputs/names", {"w"}), {"'names'"}},
    {"NamesOfNumbers", in_model("/inputs/names", {1, 2}), {"'names'"}},
    {"CategoriesOfTheTarget", in_model("/inputs/categories", {{"1", {"a"}}}), {"'categories'"}},
    {"NoCategories", in_model("/inputs/categories", {{"2", ordered_json::array()}}), {"'categories'"}},
    {"OneCategoryLess", in_model("/inputs/categories", {{"2", {"a", "b"}}}), {"4 means", "expected 3"}},
    {"OtherCategories", in_model("/inputs/categories", {{"0", {"a", "b", "c"}}}), {"the fill of column 0"}},
    {"CategoriesOfNoNumber", in_model("/inputs/categories", {{"+2", {"a"}}}), {"'categories'"}},
    {"CategoriesBeyond", in_model("/inputs/categories", {{"4", {"a"}}}), {"'categories'"}},
    {"CategoriesNotSorted", in_model("/inputs/categories", {{"2", {"b", "a", "c"}}}), {"not in order"}},
    {"CategoriesTwice", in_model("/inputs/categories", {{"2", {"a", "a", "c"}}}), {"not in order"}},
    {"ImputeIsText", in_model("/inputs/impute", "yes"), {"'impute'"}},
    {"HeaderIsText", in_model("/inputs/header", "present"), {"'header'", "true or false"}},
    {"DtypeUnknown", in_model("/dtype", "float16"), {"'dtype'"}},
    {"NoLearner", without("/learner"), {"'learner'"}},
    {"EmptyLearner", in_model("/learner", ""), {"learner has no name"}},
    {"UnknownLearner", in_model("/learner", "forest"), {"unknown learner 'forest'"}},
    {"LearnerOfNumbers", in_model("/learner", "gp"), {"5 tensors", "expected 8"}},
    {"TwoFunctionsOfLogistic", in_model("/learner", "logistic"), {"2 functions", "expected 1"}},
    {"ClassWeightsOfRidge",
     [](Parts& parts) {
       parts.model["learner"] = "ridge";
       parts.header["class_weights"] = parts.header["fill"];
       for (auto& offset : parts.header["class_weights"]["data_offsets"]) offset = offset.get<std::size_t>() + 16;
       parts.tensors.emplace_back("class_weights", std::vector<double>{1, 2});
     },
     {"class weights", "'ridge'"}},
    {"FactsOfText", in_model("/facts/rows", "many"), {"'facts'"}},
    {"NoFeatures", without("/features"), {"'features'"}},
    {"NoMap", without("/features/map"), {"'map'"}},
    {"UnknownMap", in_model("/features/map", "trigonometrc"), {"trigonometrc"}},
    {"OtherStreamVersion", in_model("/features/stream_version", 2), {"stream_version", "draws version 1"}},
    {"OtherM", in_model("/features/m", 3), {"4 weights for 6 outputs"}},
    {"HugeM", in_model("/features/m", 18446744073709551615u), {"no outputs"}},
    {"LargeM", in_model("/features/m", 1'000'000'000), {"4 weights for 2000000000 outputs"}},
    {"NegativeM", in_model("/features/m", -4), {"'m'"}},
    {"OtherD", in_model("/features/d", 7), {"7 columns", "expected 4"}},
    {"SeedIsText", in_model("/features/seed", "lucky"), {"'seed'"}},
    {"NanWeight", [](Parts& parts) { parts.values("weights")[1] = std::nan(""); }, {"'weights'", "nan"}},
    {"InfIntercept", [](Parts& parts) { parts.values("intercept")[1] = INFINITY; }, {"'intercept'", "inf"}},
    {"ScaleZero", [](Parts& parts) { parts.values("scale")[0] = 0; }, {"scale"}},
    {"NegativeScale", [](Parts& parts) { parts.values("scale")[2] = -1; }, {"scale"}},
    {"FillBeyondCategories", [](Parts& parts) { parts.values("fill")[1] = 3; }, {"fill"}},
    {"FillOfFraction", [](Parts& parts) { parts.values("fill")[1] = 0.5; }, {"fill"}},
    {"PathLikeName",
     [](Parts& parts) {
       parts.header["../fill"] = parts.header["fill"];
       parts.header.erase("fill");
       parts.tensors.back().first = "../fill";
     },
     {"no tensor 'fill'"}},
    {"NulAfterHeader", [](Parts& parts) { parts.after_header = "\0 and more"s; }, {"the header: not JSON", "a NUL"}},
    {"NulAfterModel", [](Parts& parts) { parts.after_model = "\0"s; }, {"the model: not JSON", "a NUL"}},
    {"NulAndObjectAfterModel",
     [](Parts& parts) { parts.after_model = "\0{\"task\": \"classification\"}"s; },
     {"the model: not JSON", "a NUL"}},
    {"DeepModel",
     [](Parts& parts) {
       ordered_json deep = 1;
       for (int i = 0; i < 20; ++i) deep = ordered_json::array({deep});
       parts.model["facts"] = deep;
     },
     {"nested"}},
};

INSTANTIATE_TEST_SUITE_P(Cases, BadModel, testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class BadModelMemory : public testing::Test {
 protected:
  BadModelMemory() { save_model(folder_ / "m", test::some_model()); }

  void SetUp() override {
    if (!test::kMeasuresMemory) GTEST_SKIP() << "sanitizers take memory of their own";
  }

  std::string changed(const std::function<void(Parts&)>& change) const {
    Parts parts = parts_of(folder_.read("m"));
    parts.model["inputs"]["names"] = ordered_json::array();
    change(parts);
    return joined(std::move(parts));
  }

  void expect_cheap(const std::string& what, const std::string& bytes) const {
    const auto file = folder_.write("bad", bytes);
    const std::size_t peak = test::peak_of([&] { EXPECT_THROW(load_model(file), FileError); });
    EXPECT_LT(peak, bytes.size() + 16 * kMebibyte) << what << " of " << bytes.size() << " bytes";
  }

  TemporaryFolder folder_;
};

/// What the text claims is not believed before the file holds numbers for it.
TEST_F(BadModelMemory, IsNotThatOfClaims) {
  constexpr std::size_t kMost = kMebibyte;  // columns
  expect_cheap("columns", changed(in_model("/inputs/columns", kMost)));
  expect_cheap("d", changed(in_model("/features/d", kMost)));
  expect_cheap("m", changed(in_model("/features/m", kMost << 18)));
  expect_cheap("dropped", changed([&](Parts& parts) {
                 parts.model["inputs"]["columns"] = kMost;
                 for (std::size_t j = 4; j < 100'000; ++j) parts.model["inputs"]["dropped"].push_back(j);
               }));
  expect_cheap("fill", changed([&](Parts& parts) {
                 parts.model["inputs"]["columns"] = kMost;
                 parts.tensors.back().second.resize(kMost - 1);
                 ordered_json& fill = parts.header["fill"];
                 fill["shape"] = {kMost - 1};
                 fill["data_offsets"][1] = fill["data_offsets"][0].get<std::size_t>() + 8 * (kMost - 1);
               }));
}

/// Lists of nothing do not grow to fifty times their text.
TEST_F(BadModelMemory, IsNotThatOfManyValues) {
  const auto list = [](char begin, const auto& entry, char end, std::size_t bytes) {
    std::string text(1, begin);
    for (std::size_t i = 0; text.size() < bytes - 20; ++i) text += entry(i) + ",";
    text.back() = end;
    return text;
  };
  const auto expect_lists_cheap = [&](char begin, const auto& entry, char end) {
    expect_cheap(entry(7), with_length(list(begin, entry, end, kMebibyte), ""));
    const std::string text = list(begin, entry, end, kMebibyte / 2);  // quotes are two bytes there
    expect_cheap(entry(7) + " in metadata", changed([&](Parts& parts) { parts.text = text; }));
  };
  for (const std::string entry : {"{}", "[]", "\"\"", "0", "{\"a\":0}"})
    expect_lists_cheap(
        '[', [&](std::size_t) { return entry; }, ']');
  expect_lists_cheap(
      '{', [](std::size_t i) { return fmt::format("\"{:x}\":0", i); }, '}');
}

}  // namespace
}  // namespace bochner
