// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace bochner::test {

struct Outcome {
  int exit_code = -1;  ///< 128 + signal if killed
  std::string out;
  std::string err;
  std::size_t peak = 0;  ///< most bytes of memory that it held at once
};

/// Starts a program with its arguments in `folder`; standard input is empty, what it prints is written to out and err
/// in `streams`.
inline pid_t start_program(std::vector<std::string> words, const std::filesystem::path& folder,
                           const TemporaryFolder& streams) {
  const std::string out = (streams / "out").string(), err = (streams / "err").string();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + words.front());
  return child;
}

/// Waits for a program that start_program started.
inline Outcome outcome_of(pid_t child, const TemporaryFolder& streams) {
  int status = 0;
  struct rusage used {};
  ::wait4(child, &status, 0, &used);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), streams.read("out"), streams.read("err"),
          static_cast<std::size_t>(used.ru_maxrss) << 10};
}

/// Runs a program with its arguments in `folder` and waits for it.
inline Outcome run_program(std::vector<std::string> words, const std::filesystem::path& folder) {
  const TemporaryFolder streams;
  return outcome_of(start_program(std::move(words), folder, streams), streams);
}

/// Runs the command line of this build.
inline Outcome run_bochner(std::vector<std::string> arguments, const std::filesystem::path& folder) {
  arguments.insert(arguments.begin(), BOCHNER_CLI);
  return run_program(std::move(arguments), folder);
}

/// Runs a line of sh with the command line of this build first in the path.
inline Outcome run_shell(const std::string& line, const std::filesystem::path& folder) {
  const std::string path = std::filesystem::path(BOCHNER_CLI).parent_path().string();
  return run_program({"/bin/sh", "-c", "PATH=" + path + ":$PATH; " + line}, folder);
}

}  // namespace bochner::test
