// SPDX-License-Identifier: Apache-2.0
// The one file that compiles fmt. The installed library must not require fmt of its users, so it does not link to fmt's
// library; header-only fmt in every file that formats text would cost 3 seconds of compilation each. fmt::format in all
// other files calls this vformat.
#define FMT_HEADER_ONLY 1
#include <fmt/format.h>

namespace bochner {

/// Taking its address makes the compiler emit the function, which is inline here.
extern std::string (*const compiled_vformat)(fmt::string_view, fmt::format_args);
std::string (*const compiled_vformat)(fmt::string_view, fmt::format_args) = &fmt::vformat;

}  // namespace bochner
