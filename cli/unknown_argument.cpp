// SPDX-License-Identifier: Apache-2.0
#include "unknown_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "bochner/refuse.h"

namespace bochner::cli {
namespace {

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse_among(std::string_view what, std::string_view name, const std::vector<std::string>& known) {
  refuse_name(what, name, std::vector<std::string_view>(known.begin(), known.end()));
}

/// The command whose arguments were being read, or the program itself if there was none yet.
const CLI::App& current(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.back();
}

std::string name_of(const CLI::App& app, const CLI::App& command) {
  return &command == &app ? app.get_name() : fmt::format("{} {}", app.get_name(), command.get_name());
}

}  // namespace

void refuse_unknown_argument(const CLI::App& app) {
  const std::vector<std::string> before_command = app.remaining();
  const CLI::App& command = before_command.empty() ? current(app) : app;
  const std::vector<std::string> words = command.remaining();
  if (const auto option = std::ranges::find_if(words, is_option); option != words.end())
    refuse_among("option", option->substr(0, option->find('=')), option_names(command));
  if (&command == &app && app.get_subcommands().empty()) refuse_among("command", words.front(), command_names(app));
  throw std::invalid_argument(
      fmt::format("unexpected argument '{}'; see '{} --help'", words.front(), name_of(app, command)));
}

std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  return fmt::format("{}; see '{} --help'", error.what(), name_of(app, current(app)));
}

}  // namespace bochner::cli
