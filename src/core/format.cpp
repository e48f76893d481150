// SPDX-License-Identifier: Apache-2.0
// The one file that compiles fmt. The installed library must not require fmt of its users, so it does not link to fmt's
// library; header-only fmt in every file that formats text would cost 3 seconds of compilation each. fmt::format in all
// other files calls this vformat.
#define FMT_HEADER_ONLY 1
#include "core/format.h"

namespace bochner {

/// Taking its address makes the compiler emit the function, which is inline here.
extern std::string (*const compiled_vformat)(fmt::string_view, fmt::format_args);
std::string (*const compiled_vformat)(fmt::string_view, fmt::format_args) = &fmt::vformat;

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  out += text.size() > kShown ? "...'" : "'";
  return out;
}

}  // namespace bochner
