// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "bochner/table.h"

namespace bochner::cli {

/// What every command that reads CSV files may be told of their first lines.
struct HeaderOption {
  bool header = false, no_header = false;

  /// Throws std::invalid_argument where both are given.
  Header asked() const;
  /// " --header", " --no-header" or nothing: for a command that is to read the same file.
  const char* flag() const { return header ? " --header" : no_header ? " --no-header" : ""; }
};

void add_header_option(CLI::App& command, HeaderOption& option);

}  // namespace bochner::cli
