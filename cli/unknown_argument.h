// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace bochner::cli {

/// Throws std::invalid_argument for what `app` could not place: an unknown command or option, with the nearest known
/// one, or an argument too many.
[[noreturn]] void refuse_unknown_argument(const CLI::App& app);

/// What CLI11 says about a bad command line, and how to get help.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& error);

}  // namespace bochner::cli
