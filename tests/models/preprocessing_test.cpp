// SPDX-License-Identifier: Apache-2.0
#include "bochner/preprocessing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "data/expect_file_error.h"
#include "data/read_all.h"
#include "models/column_statistics.h"
#include "models/row_sample.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using namespace std::string_literals;
using test::expect_file_error;
using test::TemporaryFolder;
using Words = std::vector<std::string>;
using Numbers = std::vector<double>;

GatheredPreprocessing gather(const std::filesystem::path& file, const PreprocessingRequest& request) {
  const auto rows = open_rows(file, {.words = true, .missing = request.impute});
  return gather_preprocessing(*rows, request);
}

/// All prepared numbers of a file, and the targets.
std::pair<Numbers, Numbers> prepare(const Preprocessing& made, const std::filesystem::path& file, bool target = true) {
  const auto rows = open_rows(file, read_options(made));
  PreparedRows prepared(made, *rows, target);
  Matrix<double> X(2, made.d());
  Numbers y(target ? 2 : 0), all, targets;
  while (const std::size_t count = prepared.next(X, y)) {
    all.insert(all.end(), X.data(), X.data() + count * made.d());
    if (target) targets.insert(targets.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return {all, targets};
}

TEST(Preprocessing, LearnsColumnsInOnePass) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "a,w,y,c\n1,q,0.5,7\n3,p,1.5,7\n5,q,2.25,7\n");
  const auto found = gather(file, {.target = "y"});
  const Preprocessing& made = found.preprocessing;
  ASSERT_EQ(made.inputs.size(), 3u);
  EXPECT_EQ(made.inputs[1].categories, (Words{"p", "q"}));
  EXPECT_EQ(made.inputs[1].fill, 1);
  EXPECT_EQ(made.target, "y");
  EXPECT_EQ(made.task, Task::regression);
  EXPECT_EQ(made.d(), 4u);
  const double scale = std::sqrt(8.0 / 3);
  EXPECT_EQ(made.mean, (Numbers{3, 0, 0, 7}));
  EXPECT_EQ(made.scale, (Numbers{scale, 1, 1, 1}));  // the constant column has scale 1
  const Numbers expected = {-2 / scale, 0, 1, 0, 0, 1, 0, 0, 2 / scale, 0, 1, 0};
  EXPECT_EQ(prepare(made, file).first, expected);
  EXPECT_EQ(prepare(made, file).second, (Numbers{0.5, 1.5, 2.25}));
  EXPECT_EQ(Numbers(found.sample.data(), found.sample.data() + 12), expected);
  EXPECT_EQ(found.rows, 3u);
}

TEST(Preprocessing, ColumnsAreFoundByNameInAnyOrder) {
  const TemporaryFolder folder;
  const Preprocessing made =
      gather(folder.write("x.csv", "a,w,y\n1,q,0.5\n3,p,1.5\n"), {.target = "y", .standardise = false}).preprocessing;
  const auto other = folder.write("y.csv", "w,more,a\np,zzz,4\nq,,5\n");
  EXPECT_EQ(prepare(made, other, false).first, (Numbers{4, 1, 0, 5, 0, 1}));
  expect_file_error([&] { prepare(made, other); }, {"y.csv", "no column 'y'"});
  expect_file_error([&] { prepare(made, folder.write("z.csv", "a,b\n1,2\n"), false); }, {"z.csv", "no column 'w'"});
  expect_file_error([&] { prepare(made, folder.write("u.csv", "a,w\n1,p\n1,r\n"), false); },
                    {"u.csv, line 3, column 2", "'r'", "categories", "'p', 'q'"});
  expect_file_error([&] { prepare(made, folder.write("t.csv", "a,w\nx,p\n"), false); },
                    {"t.csv, line 2, column 1", "'x' is not a number"});
}

TEST(Preprocessing, ColumnsWithoutNamesAreFoundByPosition) {
  const TemporaryFolder folder;
  const Preprocessing made =
      gather(folder.write("x.csv", "1,2,3\n4,5,6.5\n"), {.target = "2", .standardise = false}).preprocessing;
  EXPECT_EQ(made.inputs[1].position, 2u);
  EXPECT_EQ(prepare(made, folder.write("y.csv", "1,9,3\n")).first, (Numbers{1, 3}));
  EXPECT_EQ(prepare(made, folder.write("z.csv", "1,3\n"), false).first, (Numbers{1, 3}));
  expect_file_error([&] { prepare(made, folder / "z.csv"); }, {"z.csv", "2 columns", "expected 3"});
  expect_file_error([&] { prepare(made, folder.write("u.csv", "1\n"), false); }, {"u.csv", "1 column;", "3, or 2"});
}

/// Wherever the target stood, in a file with a label it is that.
TEST(Preprocessing, TheFirstLineIsWhatItWasInTheFileOfTheModel) {
  const TemporaryFolder folder;
  const auto rows = folder.write("rows.csv", "1,q,0.5\n3,p,1.5\n"), named = folder.write("named.csv", "a,w,y\n4,p,2\n"),
             odd = folder.write("odd.csv", "1995,1996,y\n1,2,3.5\n3,4,5\n");
  const auto learned = [&](const std::filesystem::path& file, const char* target, Header header) {
    return gather_preprocessing(*open_rows(file, {.header = header, .words = true}),
                                {.target = target, .task = Task::regression, .standardise = false})
        .preprocessing;
  };
  const Preprocessing absent = learned(rows, "3", Header::absent), present = learned(named, "y", Header::by_content),
                      years = learned(odd, "y", Header::present);
  EXPECT_EQ(absent.header, Header::absent);
  EXPECT_EQ(present.header, Header::present);
  EXPECT_EQ(prepare(absent, rows).first, (Numbers{1, 0, 1, 3, 1, 0}));
  EXPECT_EQ(prepare(absent, folder.write("x.csv", "5,p\n"), false).first, (Numbers{5, 1, 0}));
  EXPECT_EQ(prepare(years, odd).first, (Numbers{1, 2, 3, 4}));
  for (const bool target : {true, false}) {
    expect_file_error([&] { prepare(absent, named, target); },
                      {"named.csv, line 1, column 1", "'a'", "no column names", "--header", "--no-header"});
    expect_file_error([&] { prepare(present, folder.write("x.csv", "1,2,3\n"), target); },
                      {"x.csv, line 1", "had column names", "--header", "--no-header"});
    expect_file_error([&] { prepare(present, rows, target); }, {"rows.csv, line 1, column 2", "'q'", "--no-header"});
  }
  // A word where the target has numbers, though no target is asked for.
  expect_file_error([&] { prepare(absent, folder.write("x.csv", "7,q,y\n1,q,2\n"), false); },
                    {"x.csv, line 1, column 3", "'y'", "no column names"});
}

TEST(Preprocessing, LabelsAreTheTargetInEveryFormat) {
  const TemporaryFolder folder;
  folder.write("x.svm", "7 1:1 2:2 3:3\n8 1:4 3:6\n");
  folder.write("t-images-idx3-ubyte", "\0\0\x08\3\0\0\0\2\0\0\0\1\0\0\0\3\1\2\3\4\0\6"s);
  folder.write("t-labels-idx1-ubyte", "\0\0\x08\1\0\0\0\2\7\x08"s);
  folder.write("last.csv", "1,2,3,7\n4,0,6,8\n");
  folder.write("middle.csv", "a,b,y,c\n1,2,7,3\n4,0,8,6\n");
  const auto made = [&](const char* file, PreprocessingRequest request) {
    request.standardise = false;
    return gather(folder / file, request).preprocessing;
  };
  const Numbers rows = {1, 2, 3, 4, 0, 6}, labels = {7, 8};
  const auto expect_same = [&](const Preprocessing& preprocessing, const Numbers& inputs) {
    for (const char* file : {"x.svm", "t-images-idx3-ubyte"}) {
      EXPECT_EQ(prepare(preprocessing, folder / file), std::pair(inputs, labels)) << file;
      EXPECT_EQ(prepare(preprocessing, folder / file, false).first, inputs) << file;
    }
  };
  expect_same(made("last.csv", {.target = "4"}), rows);
  expect_same(made("middle.csv", {.target = "y"}), rows);
  expect_same(made("x.svm", {}), rows);
  expect_same(made("x.svm", {.target = "label"}), rows);
  expect_same(made("last.csv", {.target = "4", .drop = {"2"}}), {1, 3, 4, 6});
  expect_same(made("middle.csv", {.target = "y", .drop = {"b"}}), {1, 3, 4, 6});
  EXPECT_EQ(prepare(made("x.svm", {}), folder.write("y.csv", "7,1,2,3\n8,4,0,6\n")), std::pair(rows, labels));
  // A label is no input, whatever the number of columns.
  const Preprocessing wide = made("last.csv", {.target = "4"});
  folder.write("n-images-idx3-ubyte", "\0\0\x08\3\0\0\0\1\0\0\0\1\0\0\0\2\1\2"s);
  EXPECT_EQ(open_rows(folder / "n-images-idx3-ubyte")->columns(), 2u);
  folder.write("n-labels-idx1-ubyte", "\0\0\x08\1\0\0\0\1\7"s);
  expect_file_error([&] { prepare(wide, folder / "n-images-idx3-ubyte", false); }, {"3 columns; expected 4, those"});
  EXPECT_THROW(made("x.svm", {.target = "2"}), std::invalid_argument);
}

TEST(Preprocessing, MissingValuesAreRefusedOrFilledIn) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "a,w,y\n1,q,0.5\n,q,1.5\n4,,2.5\n1,p,3.5\n");
  expect_file_error([&] { gather(file, {.target = "y"}); }, {"x.csv, line 3, column 1", "missing"});
  const Preprocessing made = gather(file, {.target = "y", .impute = true}).preprocessing;
  EXPECT_EQ(made.mean[0], 2);
  EXPECT_EQ(made.scale[0], std::sqrt(6.0 / 4));  // the filled value is one of four
  const Numbers found = prepare(made, file).first;
  EXPECT_EQ(found[3], 0);                                                     // the mean
  EXPECT_EQ(Numbers(found.begin() + 7, found.begin() + 9), (Numbers{0, 1}));  // the most frequent word
  const auto target = folder.write("t.csv", "a,y\n1,2\n2,\n");
  expect_file_error([&] { gather(target, {.target = "y", .impute = true}); },
                    {"t.csv, line 3, column 2", "target is missing"});
  const auto empty = folder.write("e.csv", "a,y\n,2\n,3\n");
  expect_file_error([&] { gather(empty, {.target = "y", .impute = true}); }, {"e.csv", "column 1", "missing values"});
}

TEST(Preprocessing, NanInNpyIsNamedByItsByte) {
  const TemporaryFolder folder;
  Matrix<double> values(3, 2, 1.0);
  values(2, 0) = std::nan("");
  write_table(folder / "x.npy", Table{std::move(values), {}});
  expect_file_error([&] { gather(folder / "x.npy", {.target = "2"}); },
                    {"x.npy, byte 160 (row 2, column 0)", "nan", "finite"});
  EXPECT_EQ(gather(folder / "x.npy", {.target = "2", .task = Task::regression, .impute = true}).preprocessing.mean[0],
            1);
}

TEST(Preprocessing, GuessesTheTask) {
  const TemporaryFolder folder;
  const auto task = [&](const std::string& text) {
    return gather(folder.write("x.csv", "a,y\n" + text), {.target = "y"}).preprocessing.task;
  };
  std::string few, many, halves;
  for (int i = 0; i < 40; ++i) {
    few += "1," + std::to_string(i % 4) + "\n";
    many += "1," + std::to_string(i % 11) + "\n";
    halves += "1," + std::to_string(i % 2) + ".5\n";
  }
  EXPECT_EQ(task(few), Task::classification);
  EXPECT_EQ(task(many), Task::regression);
  EXPECT_EQ(task(halves), Task::regression);
  EXPECT_EQ(task("1,0\n1,1\n1,0\n"), Task::regression);  // too few rows of each
  EXPECT_EQ(task("1,u\n1,v\n"), Task::classification);
}

TEST(Preprocessing, ClassesAreInOrder) {
  const TemporaryFolder folder;
  const auto words = folder.write("x.csv", "a,y\n1,v\n2,u\n3,v\n");
  const Preprocessing by_words = gather(words, {.target = "y"}).preprocessing;
  EXPECT_EQ(by_words.classes, (Words{"u", "v"}));
  EXPECT_EQ(prepare(by_words, words).second, (Numbers{1, 0, 1}));
  const auto numbers = folder.write("n.csv", "a,y\n1,10\n2,9\n3,-0.5\n");
  const Preprocessing by_numbers = gather(numbers, {.target = "y", .task = Task::classification}).preprocessing;
  EXPECT_EQ(by_numbers.classes, (Words{"-0.5", "9", "10"}));
  EXPECT_EQ(prepare(by_numbers, numbers).second, (Numbers{2, 1, 0}));
  expect_file_error([&] { prepare(by_numbers, folder.write("m.csv", "a,y\n1,8\n")); },
                    {"m.csv, line 2, column 2", "8 is none of the classes"});
  expect_file_error([&] { prepare(by_words, folder.write("m.csv", "a,y\n1,w\n")); },
                    {"m.csv, line 2, column 2", "'w' is none of the classes"});
}

TEST(Preprocessing, RequestsThatDoNotFit) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "a,w,y\n1,q,2\n3,p,2\n");
  const auto refused = [&](const PreprocessingRequest& request, std::string_view word) {
    try {
      gather(file, request);
      ADD_FAILURE() << "no error for " << word;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused({.target = "z"}, "unknown target 'z'");
  refused({.target = "A"}, "did you mean 'a'");
  refused({}, "needs a target");
  refused({.target = "y", .drop = {"b"}}, "unknown column 'b'");
  refused({.target = "y", .categorical = {"b"}}, "unknown column 'b'");
  refused({.target = "y", .drop = {"y"}}, "the target");
  refused({.target = "y", .drop = {"a", "w"}}, "no column beside the target");
  refused({.target = "y", .holdout = 1}, "holdout is 1");
  refused({.target = "y", .holdout = -0.1}, "holdout is -0.1");
  refused({.target = "y", .holdout = std::nan("")}, "holdout is nan");
  refused({.target = "y", .task = Task::classification}, "always '2'");
  refused({.target = "w", .task = Task::regression}, "holds words");
  refused({.target = "y", .holdout = 0.999999999}, "no rows beside those held out");
  expect_file_error([&] { gather(folder.write("e.csv", "a,y\n"), {.target = "y"}); }, {"e.csv", "no rows"});
  const auto plain = folder.write("p.csv", "1,2\n3,4\n");
  EXPECT_THROW(gather(plain, {.target = "3"}), std::invalid_argument);
  EXPECT_THROW(gather(plain, {.target = "0"}), std::invalid_argument);
  EXPECT_THROW(gather(plain, {.target = "y"}), std::invalid_argument);
}

TEST(Preprocessing, DroppedAndCategoricalColumns) {
  const TemporaryFolder folder;
  const auto file = folder.write("x.csv", "id,a,y\nu1,2,1.5\nu2,3,2.5\n");
  const Preprocessing made = gather(file, {.target = "y", .drop = {"id"}, .categorical = {"a"}}).preprocessing;
  ASSERT_EQ(made.inputs.size(), 1u);
  EXPECT_EQ(made.inputs[0].categories, (Words{"2", "3"}));
  EXPECT_EQ(prepare(made, file).first, (Numbers{1, 0, 0, 1}));
}

TEST(Preprocessing, HoldsOutAPart) {
  std::size_t held = 0;
  constexpr std::size_t kRows = 100'000;
  for (std::size_t i = 0; i < kRows; ++i) held += is_held_out(i, 0.1) ? 1 : 0;
  // Binomial: 4.9 standard deviations are exceeded once in a million.
  EXPECT_NEAR(static_cast<double>(held), 0.1 * kRows, 4.9 * std::sqrt(0.09 * kRows));
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_FALSE(is_held_out(i, 0));
  const TemporaryFolder folder;
  std::string text = "a,y\n";
  for (int i = 0; i < 1000; ++i)
    text += (is_held_out(static_cast<std::uint64_t>(i), 0.3) ? "1000" : "0") + std::string(",0.5\n");
  const auto found = gather(folder.write("x.csv", text), {.target = "y", .holdout = 0.3});
  EXPECT_EQ(found.preprocessing.mean[0], 0);
  EXPECT_EQ(found.rows + found.held_out, 1000u);
}

TEST(ColumnStatistics, MergeIsAsGoodAsOnePass) {
  data::ColumnStatistics all, left, right;
  for (int i = 0; i < 1000; ++i) {
    const double value = 1e9 + i * 37 % 101;
    all.add_number(value);
    (i < 300 ? left : right).add_number(value);
  }
  left.merge(right);
  EXPECT_NEAR(left.mean(), all.mean(), 1e-6);
  EXPECT_NEAR(left.scale(), all.scale(), 1e-9 * all.scale());
  EXPECT_EQ(left.count(), 1000u);
  data::ColumnStatistics constant;
  for (int i = 0; i < 10; ++i) constant.add_number(0.1);
  EXPECT_EQ(constant.scale(), 1);
}

TEST(RowSample, IsWithoutReplacementAndFollowsTheSeed) {
  const auto sample = [](std::size_t n, std::size_t most, std::uint64_t seed, std::size_t least = SIZE_MAX) {
    data::RowSample rows(most, seed);
    for (std::size_t i = 0; i < n; ++i) rows.add(i, Numbers{static_cast<double>(i)});
    rows.shrink(least);
    Numbers found;
    rows.take([&](std::size_t i, std::span<const double> row) {
      EXPECT_EQ(i, found.size());
      found.push_back(row[0]);
    });
    EXPECT_EQ(rows.size(), 0u);
    return found;
  };
  EXPECT_EQ(sample(3, 5, 0), (Numbers{0, 1, 2}));
  const Numbers first = sample(10'000, 100, 1);
  EXPECT_EQ(first.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(first));
  EXPECT_TRUE(std::ranges::adjacent_find(first) == first.end());
  EXPECT_EQ(first, sample(10'000, 100, 1));
  EXPECT_NE(first, sample(10'000, 100, 2));
  EXPECT_EQ(sample(10'000, 100, 1, 30), sample(10'000, 30, 1));
}

}  // namespace
}  // namespace bochner
