// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "bochner/table.h"

namespace bochner::cli {

/// What the user can say about the first line of CSV files, for every command that reads them.
struct HeaderOption {
  bool header = false, no_header = false;

  /// Throws std::invalid_argument if both are given.
  Header asked() const;
  /// " --header", " --no-header" or nothing, to be added to another command that reads the same file.
  const char* flag() const { return header ? " --header" : no_header ? " --no-header" : ""; }
};

void add_header_option(CLI::App& command, HeaderOption& option);

}  // namespace bochner::cli
