// SPDX-License-Identifier: Apache-2.0
// The laws over the registry: every kernel x map x coupling that composes obeys every law.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "bochner/features.h"
#include "conformance/laws.h"

namespace bochner::conformance {
namespace {

struct Case {
  const Law* law;
  Combination combination;
};

void PrintTo(const Case& test, std::ostream* out) {
  *out << test.combination.kernel << ' ' << test.combination.map << ' ' << test.combination.coupling;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Law& law : all_laws())
    for (const Combination& combination : law.of_coupling ? one_per_coupling() : combinations())
      all.push_back({&law, combination});
  return all;
}

class Library : public ::testing::TestWithParam<Case> {};

TEST_P(Library, obeys) {
  const auto& [law, combination] = GetParam();
  const Report report =
      law->check([](const Spec& spec) { return bochner::make_features(spec); }, combination, Effort::library);
  EXPECT_TRUE(report.violations.empty()) << report.violations.size() << " of " << report.checks
                                         << " checks, first: " << report.violations.front();
}

std::string name_of(const ::testing::TestParamInfo<Case>& test) {
  const auto& [law, combination] = test.param;
  return law->name + "_" + (law->of_coupling ? "" : combination.kernel + "_" + combination.map + "_") +
         combination.coupling;
}

INSTANTIATE_TEST_SUITE_P(Registry, Library, ::testing::ValuesIn(cases()), name_of);

TEST(Registry, composes_more_than_one_of_each) {
  EXPECT_GE(combinations().size(), kernels().size() * maps().size());
  EXPECT_EQ(one_per_coupling().size(), couplings().size());
}

}  // namespace
}  // namespace bochner::conformance
