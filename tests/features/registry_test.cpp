// SPDX-License-Identifier: Apache-2.0
// What the registry says is complete, unambiguous and true.
#include "bochner/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bochner/features.h"
#include "features/lookup.h"

namespace bochner {
namespace {

std::string upper(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

class Table : public ::testing::TestWithParam<std::span<const Entry> (*)()> {};

TEST_P(Table, EveryLineIsComplete) {
  EXPECT_FALSE(GetParam()().empty());
  for (const Entry& entry : GetParam()()) {
    EXPECT_FALSE(entry.name.empty());
    EXPECT_FALSE(entry.formula.empty()) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    EXPECT_FALSE(entry.reference.empty()) << entry.name;
    for (const char c : entry.name) EXPECT_TRUE(std::islower(static_cast<unsigned char>(c)) || c == '_') << entry.name;
  }
}

TEST_P(Table, NoNameOrAliasIsUsedTwice) {
  std::set<std::string> met;
  for (const Entry& entry : GetParam()()) {
    EXPECT_TRUE(met.insert(upper(entry.name)).second) << entry.name;
    std::istringstream aliases{std::string(entry.aliases)};
    for (std::string alias; aliases >> alias;) EXPECT_TRUE(met.insert(upper(alias)).second) << alias;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Table, ::testing::Values(&kernels, &maps, &couplings));

template <class Find>
void expect_found(const Entry& entry, const Find& name_of) {
  EXPECT_EQ(name_of(entry.name), entry.name);
  EXPECT_EQ(name_of(upper(entry.name)), entry.name);
  std::istringstream aliases{std::string(entry.aliases)};
  for (std::string alias; aliases >> alias;) {
    EXPECT_EQ(name_of(alias), entry.name);
    EXPECT_EQ(name_of(upper(alias)), entry.name);
  }
}

TEST(Lookup, FindsNamesAndAliasesInAnyCase) {
  for (const Entry& entry : kernels())
    expect_found(entry, [](std::string_view n) { return find_kernel(n).entry().name; });
  for (const Entry& entry : maps()) expect_found(entry, [](std::string_view n) { return find_map(n).entry.name; });
  for (const Entry& entry : couplings())
    expect_found(entry, [](std::string_view n) { return find_coupling(n).entry.name; });
}

TEST(Lookup, PaperNamesAreKnown) {
  EXPECT_EQ(find_kernel("rbf").entry().name, "gaussian");
  for (const char* alias : {"rff", "trigrf"}) EXPECT_EQ(find_map(alias).entry.name, "trigonometric");
  for (const char* alias : {"prf", "posrf", "favor+"}) EXPECT_EQ(find_map(alias).entry.name, "positive");
  EXPECT_EQ(find_coupling("orf").entry.name, "orthogonal");
  EXPECT_EQ(find_coupling("simrf").entry.name, "simplex");
}

TEST(Misfit, IsEmptyExactlyWhereFeaturesCanBeMade) {
  for (const Entry& kernel : kernels())
    for (const Entry& map : maps())
      for (const Entry& coupling : couplings())
        for (const std::size_t d : {1, 2, 5}) {
          const std::string reason = misfit(kernel.name, map.name, coupling.name, d);
          std::string thrown;
          try {
            make_features({.d = d,
                           .kernel = std::string(kernel.name),
                           .map = std::string(map.name),
                           .coupling = std::string(coupling.name),
                           .m = 3});
          } catch (const std::invalid_argument& error) {
            thrown = error.what();
          }
          EXPECT_EQ(reason, thrown);
        }
}

TEST(Misfit, SaysWhatWouldFit) {
  EXPECT_EQ(misfit("gaussian", "positive", "simplex", 1), misfit("RBF", "prf", "SIMRF", 1));
  const std::string reason = misfit("gaussian", "positive", "simplex", 1);
  EXPECT_TRUE(reason.starts_with("coupling 'simplex' needs d >= 2, but d is 1; couplings that fit: iid, orthogonal,"))
      << reason;
  EXPECT_EQ(reason.find("simplex", reason.find("fit")), std::string::npos) << reason;
}

TEST(Misfit, OfUnknownNamesThrows) {
  EXPECT_THROW(misfit("nokernel", "positive", "iid", 2), std::invalid_argument);
  EXPECT_THROW(misfit("gaussian", "nomap", "iid", 2), std::invalid_argument);
  EXPECT_THROW(misfit("gaussian", "positive", "nocoupling", 2), std::invalid_argument);
  EXPECT_THROW(width("nomap"), std::invalid_argument);
}

TEST(Width, IsThatOfTheFeatures) {
  for (const Entry& map : maps()) {
    const std::string kernel = misfit("gaussian", map.name, "iid", 2).empty() ? "gaussian" : "angular";
    const auto features = make_features({.d = 2, .kernel = kernel, .map = std::string(map.name), .m = 5});
    if (width(map.name) != 0) {
      EXPECT_EQ(features->outputs(), 5 * width(map.name)) << map.name;
    }
  }
  EXPECT_EQ(width("trigonometric"), 2u);
  EXPECT_EQ(width("cosine"), 1u);
  EXPECT_EQ(width("positive"), 1u);
  EXPECT_EQ(width("positive_paired"), 2u);
  EXPECT_EQ(width("sign"), 1u);
}

}  // namespace
}  // namespace bochner
