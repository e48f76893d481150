// SPDX-License-Identifier: Apache-2.0
#include "bochner/lengthscale.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bochner/gaussian_process.h"
#include "bochner/kernel_ridge.h"
#include "bochner/model.h"
#include "cli/expect_refused.h"
#include "cli/generated_rows.h"
#include "support/temporary_folder.h"

namespace bochner {
namespace {

using nlohmann::json;
using test::Outcome;
using test::run_bochner;
using test::TemporaryFolder;
using Words = std::vector<std::string>;

Words fit_words(const std::string& rule, const std::string& learner) {
  return {"fit",           "rows.csv", "--target",  "y",     "--model",   "m", "--m",   "30",
          "--lengthscale", rule,       "--learner", learner, "--holdout", "0", "--json"};
}

/// The sample of so few rows is all of them, in their order.
TEST(CliLengthscale, IsWhatTheLibraryFinds) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 400);
  for (const auto& [rule, learner] : {std::pair("search", "ridge"), {"search", "gp"}, {"ard", "gp"}}) {
    SCOPED_TRACE(rule);
    const Outcome outcome = run_bochner(fit_words(rule, learner), folder.path());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Model model = load_model(folder / "m");
    const auto rows = open_rows(folder / "rows.csv", read_options(model.preprocessing));
    PreparedRows prepared(model.preprocessing, *rows, true);
    Matrix<double> X(400, 3), Y(400, 1);
    ASSERT_EQ(prepared.next(X, {Y.data(), 400}), 400u);
    Spec spec{.d = 3, .m = 30};
    spec.lengthscale = {lengthscale_from<double>(X.view(), "scale", 0)};
    const bool columns = std::string(rule) == "ard";
    const std::vector<double> expected =
        std::string(learner) == "ridge"
            ? std::vector{search_ridge_lengthscale(spec, X.view(), Y.view()).lengthscale}
            : likeliest_lengthscale(spec, X.view(), Y.view(), {}, {}, {.per_coordinate = columns}).lengthscale;
    EXPECT_EQ(expected.size(), columns ? 3u : 1u);
    EXPECT_EQ(model.spec.lengthscale, expected);
    EXPECT_NE(json::parse(outcome.out)["notes"].dump().find(columns ? "likelihood" : "on 400 rows"), std::string::npos)
        << outcome.out;
  }
}

TEST(CliLengthscale, FindsNoiseAndClassesAndKeepsItsMemory) {
  const TemporaryFolder folder;
  test::write_classes(folder, "rows.csv", 900);
  Words words = fit_words("search", "ridge");
  words.insert(words.end(), {"--memory", "96M"});
  words[7] = "400";
  const Outcome outcome = run_bochner(words, folder.path());
  // A search on all rows takes more than what is left: fewer do.
  ASSERT_EQ(outcome.exit_code, 2);
  const std::size_t at = outcome.err.find("at most ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  words[7] = outcome.err.substr(at + 8, outcome.err.find(':', at) - at - 8);
  const Outcome fitted = run_bochner(words, folder.path());
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("leaving one out"), std::string::npos) << fitted.out;
}

TEST(CliLengthscale, SearchesAreRefusedWhereThereAreNone) {
  const TemporaryFolder folder;
  test::write_regression(folder, "rows.csv", 60);
  test::expect_refused(folder, test::contents(folder), fit_words("ard", "ridge"), {"lengthscale is 'ard'", "'ridge'"});
  test::expect_refused(folder, test::contents(folder), fit_words("search", "pca"), {"lengthscale is 'search'"});
  test::expect_refused(folder, test::contents(folder),
                       {"transform", "rows.csv", "--out", "z.npy", "--lengthscale", "search"}, {"--lengthscale"});
}

}  // namespace
}  // namespace bochner
