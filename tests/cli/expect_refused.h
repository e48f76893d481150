// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/command.h"
#include "support/temporary_folder.h"

namespace bochner::test {

/// Every file of a folder with its bytes.
inline std::map<std::string, std::string> contents(const TemporaryFolder& folder) {
  std::map<std::string, std::string> all;
  for (const std::string& name : folder.names())
    all[name] = std::filesystem::is_regular_file(folder / name) ? folder.read(name) : "";
  return all;
}

/// The command line is refused with exit code 2 and one line that holds every word; the folder is as it was `before`.
inline void expect_refused(const TemporaryFolder& folder, const std::map<std::string, std::string>& before,
                           const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
  const Outcome outcome = run_bochner(arguments, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("bochner: ")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with('\n')) << outcome.err;
  EXPECT_LT(outcome.err.size(), 800u) << outcome.err;
  for (const std::string& word : words)
    EXPECT_NE(outcome.err.find(word), std::string::npos) << "'" << word << "' is missing in: " << outcome.err;
  EXPECT_EQ(contents(folder), before);
}

}  // namespace bochner::test
