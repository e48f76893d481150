// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>

namespace bochner::cli {

/// One function per command, in the file of its name: it adds a subcommand whose callback does the work. The callback
/// prints results to standard output and reports errors by exceptions: the user can mend std::invalid_argument and
/// FileError (exit code 2); everything else is a failure (exit code 1).
void add_attention(CLI::App& app);
void add_demo(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_fit(CLI::App& app);
void add_list(CLI::App& app);
void add_plan(CLI::App& app);
void add_predict(CLI::App& app);
void add_transform(CLI::App& app);

/// The arguments were right, but the work could not be done, e.g. because the disk is full.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bochner::cli
