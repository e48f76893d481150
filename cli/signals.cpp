// SPDX-License-Identifier: Apache-2.0
#include "signals.h"

#include <signal.h>
#include <unistd.h>

#include "bochner/table.h"

namespace bochner::cli {
namespace {

constexpr int kEndingSignals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU};

/// This interrupts anything, a factorisation or an allocation, in any thread, so it makes only system calls.
void end(int signal) {
  abandon_files();
  ::_exit(128 + signal);
}

}  // namespace

void clean_up_on_signals() {
  struct sigaction ending {};
  ending.sa_handler = end;
  ::sigfillset(&ending.sa_mask);
  for (const int signal : kEndingSignals) {
    struct sigaction inherited {};
    ::sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) ::sigaction(signal, &ending, nullptr);
  }
  ::signal(SIGXFSZ, SIG_IGN);  // then the write that meets a file size limit fails, and its error can be printed
}

}  // namespace bochner::cli
