// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/expect_refused.h"
#include "cli/generated_rows.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::run_bochner;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

std::string page_of(const TemporaryFolder& folder, Words more) {
  Words words = {"fit", "rows.csv", "--target", "y", "--model", "m", "--m", "20", "--report", "page.html"};
  words.insert(words.end(), more.begin(), more.end());
  const test::Outcome outcome = run_bochner(words, folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return folder.read("page.html");
}

bool has(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

/// Classes 0 ... count - 1 on a line; the last one is always taken for its neighbour.
void write_many(const TemporaryFolder& folder, int count) {
  std::string text = "a,y\n";
  for (int i = 0; i < 20 * count; ++i) text += fmt::format("{},c{:03}\n", std::min(i % count, count - 2), i % count);
  folder.write("rows.csv", text);
}

TEST(CliReport, ManyClassesAreATableOfPairs) {
  const TemporaryFolder folder;
  const Words words = {"--learner", "nadaraya_watson", "--holdout", "0.3"};
  write_many(folder, 40);
  const std::string drawn = page_of(folder, words);
  EXPECT_TRUE(has(drawn, "Confusion matrix"));
  EXPECT_FALSE(has(drawn, "confused most often"));
  write_many(folder, 41);
  const std::string listed = page_of(folder, words);
  EXPECT_FALSE(has(listed, "Confusion matrix"));
  EXPECT_TRUE(has(listed, "Classes that are confused most often"));
  EXPECT_LT(listed.size(), 200'000u);
}

TEST(CliReport, SaysWhatStaysAndWhatIsChosenAnew) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 200);
  EXPECT_TRUE(has(page_of(folder, {}), "alpha is chosen anew"));
  EXPECT_TRUE(has(page_of(folder, {"--learner", "gp"}), "variances of gp are chosen anew"));
  const std::string given = page_of(folder, {"--alpha", "1"});
  EXPECT_FALSE(has(given, "anew"));
  EXPECT_FALSE(has(given, "against the penalty"));
  EXPECT_TRUE(has(page_of(folder, {"--learner", "pca", "--components", "3"}), "Variance along components"));
  test::write_classes(folder, "rows.csv", 200);
  for (const char* learner : {"svc", "logistic"})
    EXPECT_TRUE(has(page_of(folder, {"--learner", learner}), "the larger <i>C</i>, the smaller")) << learner;
}

TEST(CliReport, NeedsARowHeldOut) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 20);
  test::expect_refused(
      folder, test::contents(folder),
      {"fit", "rows.csv", "--target", "y", "--model", "m", "--report", "page.html", "--holdout", "0.00001"},
      {"holdout is 1e-05", "none of 20 rows"});
}

}  // namespace
}  // namespace bochner
