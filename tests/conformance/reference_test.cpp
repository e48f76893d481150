// SPDX-License-Identifier: Apache-2.0
// The laws have teeth: the plain reference obeys all of them, and the reference with a bug planted breaks at least one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "conformance/laws.h"
#include "reference/features.h"

namespace bochner::conformance {
namespace {

using reference::Bug;

Subject plain(Bug bug) {
  return [bug](const Spec& spec) { return reference::make_features(spec, bug); };
}

struct Case {
  const Law* law;
  Combination combination;
};

void PrintTo(const Case& test, std::ostream* out) {
  *out << test.combination.kernel << ' ' << test.combination.map << ' ' << test.combination.coupling;
}

std::vector<Case> plain_cases() {
  std::vector<Case> all;
  for (const Law& law : all_laws())
    for (const Combination& combination : law.of_coupling ? one_per_coupling() : combinations())
      if (reference::knows_map(combination.map) && reference::knows_coupling(combination.coupling))
        all.push_back({&law, combination});
  return all;
}

class Reference : public ::testing::TestWithParam<Case> {};

TEST_P(Reference, obeys) {
  const auto& [law, combination] = GetParam();
  const Report report = law->check(plain(Bug::none), combination, Effort::reference);
  EXPECT_TRUE(report.violations.empty()) << report.violations.size() << " of " << report.checks
                                         << " checks, first: " << report.violations.front();
}

std::string case_name(const ::testing::TestParamInfo<Case>& test) {
  const auto& [law, combination] = test.param;
  return law->name + "_" + combination.kernel + "_" + combination.map + "_" + combination.coupling;
}

INSTANTIATE_TEST_SUITE_P(Registry, Reference, ::testing::ValuesIn(plain_cases()), case_name);

/// A bug, and the names under which it is planted.
struct Planted {
  std::string name;
  Bug bug;
  Combination where;
};

const std::vector<Planted>& planted_bugs() {
  static const std::vector<Planted> bugs = {
      {"bandwidth_doubled", Bug::bandwidth_doubled, {"gaussian", "trigonometric", "orthogonal"}},
      {"bandwidth_doubled_softmax", Bug::bandwidth_doubled, {"softmax", "positive", "iid"}},
      {"weight_determinant_missing", Bug::weight_determinant_missing, {"gaussian", "optimal_positive", "iid"}},
      {"weight_slope_missing", Bug::weight_slope_missing, {"softmax", "optimal_positive_paired", "orthogonal"}},
      {"key_not_conjugated", Bug::key_not_conjugated, {"gaussian", "exponential", "iid"}},
      {"square_as_norm", Bug::square_as_norm, {"softmax", "complex_exponential", "orthogonal"}},
      {"monomial_sign_missing", Bug::monomial_sign_missing, {"gaussian", "poisson", "iid"}},
      {"monomial_norm_missing", Bug::monomial_norm_missing, {"softmax", "geometric_positive", "iid"}},
      {"factorial_missing", Bug::factorial_missing, {"gaussian", "geometric", "iid"}},
      {"law_of_other_monomial", Bug::law_of_other_monomial, {"gaussian", "poisson_positive", "iid"}},
      {"norms_unpadded", Bug::norms_unpadded, {"gaussian", "trigonometric", "orthogonal"}},
      {"norms_unpadded_fixed", Bug::norms_unpadded, {"gaussian", "trigonometric", "orthogonal_fixed"}},
      {"fixed_rows_independent", Bug::rows_independent, {"gaussian", "cosine", "orthogonal_fixed"}},
      {"bandwidth_root_two", Bug::bandwidth_root_two, {"gaussian", "trigonometric", "iid"}},
      {"bandwidth_root_two_paired", Bug::bandwidth_root_two, {"gaussian", "positive_paired", "simplex"}},
      {"lengthscale_of_first", Bug::lengthscale_of_first, {"gaussian", "cosine", "iid"}},
      {"cosine_scale_two_over_root", Bug::cosine_scale_two_over_root, {"gaussian", "cosine", "iid"}},
      {"scale_missing", Bug::scale_missing, {"gaussian", "trigonometric", "iid"}},
      {"paired_scale_of_single", Bug::paired_scale_of_single, {"softmax", "positive_paired", "iid"}},
      {"qr_without_sign_fix", Bug::qr_without_sign_fix, {"softmax", "positive", "orthogonal"}},
      {"qr_without_sign_fix_simplex", Bug::qr_without_sign_fix, {"softmax", "positive", "simplex"}},
      {"norms_on_columns", Bug::norms_on_columns, {"gaussian", "trigonometric", "orthogonal"}},
      {"norms_shared", Bug::norms_shared, {"gaussian", "trigonometric", "orthogonal"}},
      {"norms_fixed", Bug::norms_fixed, {"softmax", "positive", "orthogonal"}},
      {"blocks_identical", Bug::blocks_identical, {"gaussian", "trigonometric", "simplex"}},
      {"rows_independent", Bug::rows_independent, {"gaussian", "trigonometric", "orthogonal"}},
      {"simplex_printed", Bug::simplex_printed, {"gaussian", "positive", "simplex"}},
      {"simplex_rows_of_full", Bug::simplex_rows_of_full, {"gaussian", "positive", "simplex"}},
      {"norm_term_missing", Bug::norm_term_missing, {"gaussian", "positive", "iid"}},
      {"norm_term_positive", Bug::norm_term_positive, {"softmax", "positive_paired", "orthogonal"}},
      {"softmax_factor_missing", Bug::softmax_factor_missing, {"softmax", "trigonometric", "iid"}},
      {"phases_from_entries", Bug::phases_from_entries, {"gaussian", "cosine", "iid"}},
      {"phases_equal", Bug::phases_equal, {"gaussian", "cosine", "orthogonal"}},
      {"phases_half", Bug::phases_half, {"gaussian", "cosine", "iid"}},
      {"phases_without_seed", Bug::phases_without_seed, {"gaussian", "cosine", "iid"}},
      {"sides_differ", Bug::sides_differ, {"softmax", "positive", "orthogonal"}},
      {"count_rounded_up", Bug::count_rounded_up, {"gaussian", "trigonometric", "orthogonal"}},
      {"half_precision", Bug::half_precision, {"gaussian", "trigonometric", "iid"}},
      {"entries_uniform", Bug::entries_uniform, {"gaussian", "trigonometric", "iid"}},
      {"counters_collide", Bug::counters_collide, {"gaussian", "trigonometric", "iid"}},
      {"rows_feel_their_batch", Bug::rows_feel_their_batch, {"gaussian", "trigonometric", "iid"}},
      {"seed_truncated", Bug::seed_truncated, {"gaussian", "trigonometric", "iid"}},
      {"laws_swapped_laplace", Bug::laws_swapped, {"laplace", "trigonometric", "iid"}},
      {"laws_swapped_cauchy", Bug::laws_swapped, {"cauchy", "cosine", "iid"}},
      {"scale_shared", Bug::scale_shared, {"matern", "trigonometric", "iid"}},
      {"scale_shared_orthogonal", Bug::scale_shared, {"matern", "trigonometric", "orthogonal"}},
      {"smoothness_halved", Bug::smoothness_halved, {"matern", "cosine", "simplex"}},
      {"lengthscale_of_first_laplace", Bug::lengthscale_of_first, {"laplace", "trigonometric", "iid"}},
      {"lengthscale_of_first_angular", Bug::lengthscale_of_first, {"angular", "sign", "iid"}},
      {"sign_as_step", Bug::sign_as_step, {"angular", "sign", "orthogonal"}},
      {"norms_on_columns_angular", Bug::norms_on_columns, {"angular", "sign", "orthogonal"}},
  };
  return bugs;
}

/// The laws of W alone are those of normal rows.
bool has_normal_rows(const Combination& where) {
  return where.kernel != "laplace" && where.kernel != "cauchy" && where.kernel != "matern" &&
         !made_of_monomials(where.map);
}

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class PlantedBug : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedBug, is_caught) {
  const auto& [name, bug, where] = GetParam();
  std::string caught;
  for (const Law& law : all_laws()) {
    if (law.of_coupling && !has_normal_rows(where)) continue;
    const Report report = law.check(plain(bug), where, Effort::reference);
    if (!report.violations.empty())
      caught += fmt::format(" {} ({} of {})", law.name, report.violations.size(), report.checks);
  }
  std::cout << fmt::format("{:<28} {} {} {}: caught by{}\n", name, where.kernel, where.map, where.coupling, caught);
  EXPECT_FALSE(caught.empty()) << "no law noticed";
}

INSTANTIATE_TEST_SUITE_P(Reference, PlantedBug, ::testing::ValuesIn(planted_bugs()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace bochner::conformance
