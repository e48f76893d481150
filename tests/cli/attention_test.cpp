// SPDX-License-Identifier: Apache-2.0
#include "bochner/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/array.h"
#include "cli/command.h"
#include "cli/expect_refused.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::Outcome;
using test::run_bochner;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

template <class T>
Array waves(std::vector<std::size_t> shape, double speed) {
  std::size_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  Matrix<T> values(rows, shape.back());
  for (std::size_t i = 0; i < rows * shape.back(); ++i)
    values.data()[i] = static_cast<T>(static_cast<float>(std::sin(speed * static_cast<double>(i))));
  return {std::move(shape), std::move(values)};
}

Array flags(std::vector<std::size_t> shape, std::vector<int> seen) {
  Matrix<bool> values(seen.size() / shape.back(), shape.back());
  std::ranges::copy(seen, values.data());
  return {std::move(shape), std::move(values)};
}

void write_inputs(const TemporaryFolder& folder) {
  write_array(folder / "q.npy", waves<float>({2, 4, 5, 3}, 0.7));
  write_array(folder / "k.npy", waves<float>({2, 2, 5, 3}, 1.3));
  write_array(folder / "v.npy", waves<float>({2, 2, 5, 6}, 0.3));
  write_array(folder / "mask.npy", flags({2, 5}, {1, 1, 0, 1, 1, 0, 0, 0, 0, 0}));
}

Words with(Words more) {
  Words all = {"attention", "q.npy", "k.npy", "v.npy", "--out", "o.npy", "--m", "16"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(AttentionCommand, IsTheLibrary) {
  const TemporaryFolder folder;
  write_inputs(folder);
  const Outcome outcome =
      run_bochner(with({"--causal", "--mask", "mask.npy", "--seed", "3", "--scale", "0.4", "--map", "positive",
                        "--coupling", "simplex", "--threads", "2", "--json", "--diagnostics"}),
                  folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Array q = read_array(folder / "q.npy"), k = read_array(folder / "k.npy"), v = read_array(folder / "v.npy");
  const Array mask = read_array(folder / "mask.npy"), out = read_array(folder / "o.npy");
  ASSERT_EQ(out.shape, (std::vector<std::size_t>{2, 4, 5, 6}));
  const auto view = [](const Array& from) {
    return HeadsView<const float>(std::get<Matrix<float>>(from.values).data(), from.shape[0], from.shape[1],
                                  from.shape[2], from.shape[3]);
  };
  Matrix<float> expected(40, 6);
  const AttentionReport report = attention<float>(
      view(q), view(k), view(v), {expected.data(), 2, 4, 5, 6},
      {.map = "positive", .coupling = "simplex", .m = 16, .seed = 3, .scale = 0.4, .causal = true, .diagnostics = true},
      std::get<Matrix<bool>>(mask.values));
  for (std::size_t i = 0; i < 240; ++i)
    ASSERT_EQ(std::get<Matrix<float>>(out.values).data()[i], expected.data()[i]) << i;
  const auto told = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(told["shape"], (std::vector<std::size_t>{2, 4, 5, 6}));
  EXPECT_EQ(told["dtype"], "float32");
  EXPECT_EQ(told["undefined_rows"], 20u);  // all keys of the second batch are masked
  EXPECT_EQ(told["undefined_rows"], report.undefined_rows);
  EXPECT_EQ(told["effective_features"].size(), 40u);
}

TEST(AttentionCommand, TellsTheCouplingThatAutoBecame) {
  const TemporaryFolder folder;
  write_inputs(folder);
  const auto coupling = [&](Words more) {
    more.emplace_back("--json");
    const Outcome outcome = run_bochner(with(more), folder.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["coupling"].get<std::string>();
  };
  EXPECT_EQ(coupling({}), "orthogonal");
  EXPECT_EQ(coupling({"--map", "poisson_positive"}), "iid");
  EXPECT_EQ(coupling({"--coupling", "simrf"}), "simplex");
  const Outcome help = run_bochner({"attention", "--help"}, folder.path());
  EXPECT_NE(help.out.find("[auto: orthogonal, or iid"), std::string::npos) << help.out;
}

TEST(AttentionCommand, TakesFewerAxesAndOtherNumbers) {
  const TemporaryFolder folder;
  write_array(folder / "q.npy", waves<Float16>({6, 3}, 0.7));
  write_array(folder / "k.npy", waves<Float16>({9, 3}, 1.3));
  write_array(folder / "v.npy", waves<Float16>({9, 2}, 0.3));
  write_array(folder / "mask.npy", flags({9}, std::vector<int>(9, 0)));
  Outcome outcome = run_bochner(with({"--diagnostics"}), folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("o.npy: 6 x 2 float16"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("effective features: "), std::string::npos) << outcome.out;
  EXPECT_TRUE(std::holds_alternative<Matrix<Float16>>(read_array(folder / "o.npy").values));
  outcome = run_bochner(with({"--mask", "mask.npy"}), folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("6 rows have no denominator and are zeros"), std::string::npos) << outcome.out;
  write_array(folder / "v.npy", waves<double>({9, 2}, 0.3));
  outcome = run_bochner(with({"--map", "hybrid_angular", "--diagnostics"}), folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("6 x 2 float64"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("negative weights: "), std::string::npos) << outcome.out;
}

TEST(AttentionCommand, RefusesBadInput) {
  const TemporaryFolder folder;
  write_inputs(folder);
  write_array(folder / "flat.npy", waves<float>({5}, 1));
  write_array(folder / "heads.npy", waves<float>({3, 5, 3}, 1));
  write_array(folder / "short.npy", waves<float>({2, 2, 4, 3}, 1));
  write_array(folder / "small.npy", flags({4}, {1, 1, 1, 1}));
  Array nan = waves<float>({2, 2, 5, 3}, 1);
  std::get<Matrix<float>>(nan.values)(7, 2) = std::numeric_limits<float>::quiet_NaN();
  write_array(folder / "nan.npy", nan);
  folder.write("text.npy", "1,2\n");
  const auto before = test::contents(folder);
  const auto refused = [&](const Words& arguments, const Words& words) {
    SCOPED_TRACE(arguments.empty() ? "" : arguments.back());
    test::expect_refused(folder, before, arguments, words);
  };
  const auto files = [](const char* q, const char* k, const char* v) {
    return Words{"attention", q, k, v, "--out", "o.npy", "--m", "16"};
  };
  refused({"attention"}, {"no file for q", "--help"});
  refused({"attention", "q.npy", "k.npy", "v.npy"}, {"--out"});
  refused(files("none.npy", "k.npy", "v.npy"), {"none.npy", "No such file"});
  refused(files("q.npy", "text.npy", "v.npy"), {"text.npy", "not an NPY file"});
  refused(files("q.npy", "k.csv", "v.npy"), {"k.csv", "expected .npy"});
  refused(files("flat.npy", "k.npy", "v.npy"), {"flat.npy", "(5)", "(length, dim)"});
  refused(files("q.npy", "heads.npy", "v.npy"), {"heads.npy", "(3, 5, 3)", "4 axes"});
  refused(files("q.npy", "short.npy", "v.npy"), {"v is an array of shape (2, 2, 5, 6)", "length 4"});
  refused(files("q.npy", "nan.npy", "v.npy"), {"k has nan at [0, 1, 2, 2]"});
  refused(files("q.npy", "mask.npy", "v.npy"), {"mask.npy", "bool", "real numbers"});
  refused(with({"--mask", "q.npy"}), {"q.npy", "expected bool"});
  refused(with({"--mask", "small.npy"}), {"small.npy", "(4)", "(2, 5)"});
  refused({"attention", "q.npy", "k.npy", "v.npy", "--out", "o.csv"}, {"--out", "o.csv", ".npy"});
  refused({"attention", "q.npy", "k.npy", "v.npy", "--out", "q.npy"}, {"--out", "another file"});
  refused({"attention", "q.npy", "k.npy", "v.npy", "--mask", "mask.npy", "--out", "mask.npy"},
          {"--out", "another file"});
  refused({"attention", "q.npy", "k.npy", "v.npy", "--out", "no/o.npy"}, {"no"});
  refused(with({"--map", "cosine"}), {"map is 'cosine'", "positive_paired"});
  refused(with({"--map", "favour"}), {"unknown map 'favour'"});
  refused(with({"--scale", "-1"}), {"scale", "-1"});
  refused(with({"--scale", "x"}), {"--scale", "'x'"});
  refused(with({"--floor", "2"}), {"floor", "2", "0 to 1"});
  refused(with({"--seed", "-3"}), {"--seed", "-3"});
  refused(with({"--threads", "0"}), {"threads", "0"});
  refused(with({"--A", "0.5"}), {"A", "0.5"});
}

}  // namespace
}  // namespace bochner
