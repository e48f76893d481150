// SPDX-License-Identifier: Apache-2.0
// Every kernel, map, coupling and dtype that composes, on rows of any magnitude: a call gives finite numbers, or one
// sentence that begins with an argument of the caller and names the first row that is refused, as it is in X.
#include "bochner/features.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/law.h"
#include "core/parallel.h"
#include "features/lookup.h"
#include "properties/calls.h"
#include "properties/given_parameters.h"
#include "properties/hard_rows.h"
#include "properties/ledger.h"
#include "support/normal_rows.h"
#include "support/refusal.h"
#include "support/scale.h"

namespace bochner::properties {
namespace {

// BOCHNER_TEST_SCALE=20 makes 30,000 of them.
constexpr std::size_t kCases = 1500;

template <class T>
class FeaturesCase {
 public:
  FeaturesCase(std::uint64_t number, const conformance::Combination& names, Ledger& ledger)
      : dice_(number), calls_(ledger, [this, number] {
          return fmt::format("case {} ({}, n = {}, {})", number, to_json(spec_), X_.rows(),
                             std::is_same_v<T, float> ? "float" : "double");
        }) {
    const std::size_t d = dice_.pick({1, 2, 3, 5, 16, 36, 100}), n = dice_.pick({1, 2, 20});
    const Matrix<double> X = hard_rows(dice_, n, d);
    spec_ = {.d = d, .kernel = names.kernel, .map = names.map, .coupling = names.coupling};
    spec_.m = dice_.pick({1, 7, 64});
    spec_.seed = number;
    spec_.lengthscale = some_lengthscale(dice_, X);
    give_parameters(dice_, spec_);
    X_ = as<T>(X);
    calls_.given = {"X", "lengthscale", "d", "m", "seed", "kernel", "map", "coupling"};
    for (const auto& [name, value] : spec_.parameters) calls_.given.insert(name);
  }

  void run() {
    if (!misfit(spec_.kernel, spec_.map, spec_.coupling, spec_.d).empty()) return;
    if (refused("make_features", [&] { features_ = make_features(spec_); })) return;
    if (!fit() || features_->outputs() > 20'000) return;
    look_at(X_, "X");
    const std::size_t n = dice_.pick({1, 5});
    Matrix<T> other = as<T>(hard_rows(dice_, n, spec_.d));
    if (dice_.chance(0.1)) other(dice_.below(n), dice_.below(spec_.d)) = std::numeric_limits<T>::quiet_NaN();
    look_at(other, "other rows");
  }

 private:
  bool fit() {
    if (features_->fitted()) return true;
    const bool with_keys = dice_.chance(0.4);
    const Matrix<T> Y = as<T>(hard_rows(dice_, dice_.pick({1, 4}), spec_.d));
    if (with_keys) calls_.given.insert("Y");
    const bool found =
        !refused("fit", [&] { features_->fit(X_.view(), with_keys ? Y.view() : MatrixView<const T>()); });
    calls_.given.erase("Y");
    return found;
  }

  void look_at(const Matrix<T>& X, const char* rows) {
    for (const Side side : {Side::query, Side::key}) {
      if (side == Side::key && features_->symmetric()) continue;
      const std::string where = fmt::format("transform of {} as {}", rows, side == Side::query ? "query" : "key");
      Matrix<T> Z(X.rows(), features_->outputs());
      const auto transform = [&](std::size_t first, std::size_t last) {
        features_->transform(X.view().row_range(first, last), Z.view().row_range(first, last), side);
      };
      const std::string sentence = sentence_of(where, [&] { transform(0, X.rows()); });
      if (sentence.empty()) {
        if (!all_finite(Z.view())) violation(where + " is not finite");
        continue;
      }
      if (is_harmless(X)) violation(where + " of a bounded map refused: " + sentence);
      check_row(where, sentence, X, transform);
    }
    if (find_map(spec_.map).positive) look_at_logarithms(X, rows);
  }

  void look_at_logarithms(const Matrix<T>& X, const char* rows) {
    Matrix<T> Z(X.rows(), features_->outputs());
    std::vector<T> scale(X.rows());
    const auto scaled = [&](std::size_t first, std::size_t last) {
      features_->transform_scaled(X.view().row_range(first, last), Z.view().row_range(first, last),
                                  std::span<T>(scale).subspan(first, last - first), Side::query);
    };
    const std::string where = fmt::format("log_scale of {}", rows);
    std::string sentence = sentence_of(where, [&] { scaled(0, X.rows()); });
    if (!sentence.empty()) {
      check_row(where, sentence, X, scaled);
    } else {
      bool right = std::ranges::all_of(scale, [](T s) { return std::isfinite(s); });
      for (std::size_t i = 0; i < Z.rows(); ++i)
        for (const T z : Z.view().row(i)) right = right && z >= 0 && z <= 1;
      if (!right) violation(where + " is not finite");
    }
    std::vector<double> factor(X.rows());
    if (refused("log of " + where, [&] { features_->transform_log(X.view(), Z.view(), factor); })) return;
    bool right = std::ranges::all_of(factor, [](double f) { return std::isfinite(f); });
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (const T z : Z.view().row(i)) right = right && z < std::numeric_limits<T>::infinity();  // nor a NaN
    if (!right) violation("log of " + where + " is not finite");
  }

  /// A refusal of rows names the first of them that is refused by itself, with the number that stands there.
  void check_row(const std::string& where, const std::string& sentence, const Matrix<T>& X,
                 const std::function<void(std::size_t, std::size_t)>& transform) {
    static const std::regex kRow("row ([0-9]+)"), kEntry("X has ([^ ]+) at row ([0-9]+), column ([0-9]+)");
    std::smatch found;
    if (!std::regex_search(sentence, found, kRow)) {
      if (sentence.starts_with("X ")) violation(where + " names no row: " + sentence);
      return;
    }
    const std::size_t row = std::stoul(found[1]);
    if (row >= X.rows()) return violation(where + " names a row that X has not: " + sentence);
    if (row > 0 && !sentence_of("", [&] { transform(0, row); }).empty())
      violation(where + " does not name the first row: " + sentence);
    const std::string expected = std::regex_replace(sentence, kRow, "row 0");
    if (const std::string alone = sentence_of("", [&] { transform(row, row + 1); }); alone != expected)
      violation(fmt::format("{} of one row says other things than of all: {} | {}", where, alone, sentence));
    if (!std::regex_search(sentence, found, kEntry)) return;
    const std::size_t column = std::stoul(found[3]);
    const double said = std::stod(found[1]), is = static_cast<double>(X(row, column));
    // Six digits, and what is lost where X / lengthscale is subnormal.
    const double sigma = spec_.lengthscale[spec_.lengthscale.size() == 1 ? 0 : column];
    const double close =
        1e-5 * std::abs(is) + static_cast<double>(std::numeric_limits<T>::min()) * std::max(1.0, sigma);
    if (std::isfinite(is) ? !(std::abs(said - is) <= close) : std::isfinite(said))
      violation(fmt::format("{} shows a number that X has not: {} for {}", where, sentence, is));
  }

  /// Rows that a bounded map has no reason to refuse.
  bool is_harmless(const Matrix<T>& X) const {
    const Family family = find_map(spec_.map).family;
    const bool bounded = family == Family::fourier || family == Family::sign;
    if (!bounded || spec_.kernel == "softmax" || !spec_.parameters.empty()) return false;
    for (std::size_t i = 0; i < X.rows(); ++i)
      for (std::size_t l = 0; l < X.cols(); ++l) {
        const double sigma = spec_.lengthscale[spec_.lengthscale.size() == 1 ? 0 : l];
        if (!(std::abs(static_cast<double>(X(i, l))) <= 1e16 * sigma) || sigma < 1e-35) return false;
      }
    return true;
  }

  static bool all_finite(MatrixView<const T> Z) {
    for (std::size_t i = 0; i < Z.rows(); ++i)
      for (const T z : Z.row(i))
        if (!std::isfinite(z)) return false;
    return true;
  }

  std::string sentence_of(const std::string& name, const std::function<void()>& call) {
    return calls_.sentence_of(name, call);
  }
  bool refused(const std::string& name, const std::function<void()>& call) { return calls_.refused(name, call); }
  void violation(const std::string& what) { calls_.violation(what); }

  Dice dice_;
  Calls calls_;
  Spec spec_;
  Matrix<T> X_;
  std::unique_ptr<Features> features_;
};

TEST(Properties, FeaturesAreFiniteOrASentenceSaysWhyNot) {
  const std::vector<conformance::Combination> all = conformance::combinations();
  const std::size_t cases = test::scaled(kCases);
  Ledger ledger;
  parallel_for(cases, 8, [&](std::size_t first, std::size_t last) {
    for (std::size_t number = first; number < last; ++number) {
      const conformance::Combination& names = all[number / 2 % all.size()];
      if (number % 2 == 0) {
        FeaturesCase<float>(number, names, ledger).run();
      } else {
        FeaturesCase<double>(number, names, ledger).run();
      }
    }
  });
  ledger.judge(cases);
}

/// What returned infinities once: a sentence about X, or finite numbers.
TEST(Properties, WhatOverflowedInSilence) {
  struct Case {
    Spec spec;
    double size;
    bool fits;  ///< into float32
  };
  for (const auto& [spec, size, fits] :
       {Case{{.d = 36, .map = "hybrid_clustered", .m = 64}, 1.0, false},
        Case{{.d = 32, .map = "hybrid_gaussian", .m = 8, .lengthscale = {4034}}, 1e-42, true},
        Case{
            {.d = 36, .kernel = "softmax", .map = "complex_exponential", .m = 64, .lengthscale = {0.3}}, 1.0, false}}) {
    std::size_t refused = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Matrix<float> X = as<float>(test::normal_rows(20, spec.d, size, seed));
      const auto features = make_features(spec);
      features->fit(X.view());
      Matrix<float> Z(X.rows(), features->outputs());
      const std::string said = test::refusal([&] { features->transform(X.view(), Z.view()); });
      refused += !said.empty();
      EXPECT_TRUE(said.empty() || said.starts_with("X has a row too long for this map")) << said;
      for (std::size_t i = 0; said.empty() && i < Z.rows(); ++i)
        EXPECT_TRUE(std::ranges::all_of(Z.view().row(i), [](float z) { return std::isfinite(z); })) << spec.map;
    }
    EXPECT_EQ(refused == 0, fits) << spec.map;
  }
}

}  // namespace
}  // namespace bochner::properties
