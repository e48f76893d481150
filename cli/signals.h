// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bochner::cli {

/// From now on a signal that ends the command (SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXCPU) first removes its temporary
/// files; the exit code is 128 + the number of the signal, as in a shell. A signal that the parent ignores, as nohup
/// does with SIGHUP, stays ignored. SIGQUIT and SIGKILL end the process at once; its temporary file is then removed by
/// the next file that is written into the folder.
void clean_up_on_signals();

}  // namespace bochner::cli
