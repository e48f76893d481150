// SPDX-License-Identifier: Apache-2.0
#include "core/available_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace bochner {
namespace {

using test::TemporaryFolder;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

TEST(AvailableMemory, IsTheLeastLimitOfTheGroupsAbove) {
  const TemporaryFolder folder;
  for (const char* group : {"root/a/b/c", "root/memory/x/y"}) std::filesystem::create_directories(folder / group);
  folder.write("two", "0::/a/b/c\n");
  folder.write("one", "9:name=systemd:/\n4:cpu,memory:/x/y\n0::/\n");
  const auto two = [&] { return group_limit(folder / "two", folder / "root"); };
  const auto one = [&] { return group_limit(folder / "one", folder / "root"); };
  EXPECT_EQ(two(), kNone);
  EXPECT_EQ(one(), kNone);
  folder.write("root/a/b/c/memory.max", "max\n");
  EXPECT_EQ(two(), kNone);
  folder.write("root/a/b/c/memory.max", "5000\n");
  folder.write("root/a/memory.max", "4000\n");
  EXPECT_EQ(two(), 4000u);
  EXPECT_EQ(one(), kNone);
  folder.write("root/memory/x/y/memory.limit_in_bytes", "3000\n");
  EXPECT_EQ(one(), 3000u);
  folder.write("root/memory.max", "2000\n");
  EXPECT_EQ(two(), 2000u);
  EXPECT_EQ(one(), 2000u);
  // Inside of a container the name may be one of the outside, which has no folder here.
  folder.write("elsewhere", "0::/outside/of/this\n");
  EXPECT_EQ(group_limit(folder / "elsewhere", folder / "root"), 2000u);
  EXPECT_EQ(group_limit(folder / "missing", folder / "nothing"), kNone);
}

TEST(AvailableMemory, ALimitOfTheAddressSpaceCounts) {
  const std::size_t before = memory_left();
  EXPECT_LE(before, available_memory());
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
  const rlim_t most = std::min<rlim_t>(limit.rlim_max, rlim_t{1} << 40);
  const rlimit lower{most, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &lower), 0);
  EXPECT_LE(available_memory(), most);
  EXPECT_LT(memory_left(), most);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  EXPECT_EQ(memory_left() <= available_memory(), true);
}

}  // namespace
}  // namespace bochner
