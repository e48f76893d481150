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

/// Every law for every combination it is about; of a small run and of another instruction set than the best, where W is
/// the same, those combinations that cover the lines of the registry, and there no statistical laws.
std::vector<Case> cases() {
  const bool small = test::scaled(1000, 1) < 1000 || target_is_forced();
  const auto taken = [&](const Law& law, const Combination& combination) {
    if (small && !covers(combination)) return false;
    if (law.statistical && target_is_forced()) return false;
    return law.of_coupling || !law.statistical || statistics_wanted(combination);
  };
  std::vector<Case> all;
  for (const Law& law : all_laws())
    for (const Combination& combination : law.of_coupling ? one_per_coupling() : combinations())
      if (taken(law, combination)) all.push_back({&law, combination});
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

TEST(Registry, every_line_composes_with_something) {
  const auto met = [](std::string Combination::*which, std::string_view name) {
    for (const Combination& combination : combinations())
      if (combination.*which == name) return true;
    return false;
  };
  for (const Entry& kernel : kernels()) EXPECT_TRUE(met(&Combination::kernel, kernel.name)) << kernel.name;
  for (const Entry& map : maps()) EXPECT_TRUE(met(&Combination::map, map.name)) << map.name;
  for (const Entry& coupling : couplings()) EXPECT_TRUE(met(&Combination::coupling, coupling.name)) << coupling.name;
}

}  // namespace
}  // namespace bochner::conformance
