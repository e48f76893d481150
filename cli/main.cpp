// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "bochner/table.h"
#include "bochner/version.h"
#include "commands.h"
#include "signals.h"
#include "unknown_argument.h"

namespace bochner::cli {
namespace {

using AddCommand = void (*)(CLI::App& app);
constexpr AddCommand kCommands[] = {add_list,    add_plan,     add_transform, add_fit,
                                    add_predict, add_evaluate, add_attention, add_demo};

constexpr int kDone = 0;
constexpr int kFailure = 1;
constexpr int kBadInput = 2;

/// Prints exactly one line, whatever is in a file name or an argument.
int report(std::string_view sentence, int exit_code) {
  std::string line;
  for (const char c : sentence) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  std::fputs(fmt::format("bochner: {}\n", line).c_str(), stderr);
  return exit_code;
}

void parse_and_run(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    refuse_unknown_argument(app);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw std::invalid_argument(sentence_of(app, error));
    app.exit(error);  // help or version
    return;
  }
  if (app.get_subcommands().empty()) throw std::invalid_argument("no command; see 'bochner --help'");
}

void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0)
    throw Failure(fmt::format("cannot write to standard output: {}", std::system_category().message(errno)));
}

int run(int argc, const char* const* argv) {
  try {
    CLI::App app("Random features: k(x, y) ~ phi(x) . phi(y), phi(x) = f(W x), W ~ coupling(law).", "bochner");
    app.set_version_flag("--version", fmt::format("bochner {}", kVersion), "print the version");
    app.get_formatter()->column_width(28);
    app.footer("Example:\n  bochner list\n\nRun 'bochner COMMAND --help' for the options of a command.");
    app.require_subcommand(0, 1);
    for (const AddCommand add : kCommands) add(app);
    parse_and_run(app, argc, argv);
    flush_output();
    return kDone;
  } catch (const std::invalid_argument& error) {
    return report(error.what(), kBadInput);
  } catch (const FileError& error) {
    return report(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return report("not enough memory", kFailure);
  } catch (const std::exception& error) {
    return report(error.what(), kFailure);
  }
}

}  // namespace
}  // namespace bochner::cli

int main(int argc, char** argv) {
  bochner::cli::clean_up_on_signals();
  return bochner::cli::run(argc, argv);
}
