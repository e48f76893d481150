// SPDX-License-Identifier: Apache-2.0
#include "header_option.h"

#include <stdexcept>

namespace bochner::cli {

Header HeaderOption::asked() const {
  if (header && no_header) throw std::invalid_argument("--header and --no-header exclude each other; give one of them");
  return header ? Header::present : no_header ? Header::absent : Header::by_content;
}

void add_header_option(CLI::App& command, HeaderOption& option) {
  command.add_flag("--header", option.header, "the first line of a CSV file has column names, whatever they look like");
  command.add_flag("--no-header", option.no_header, "the first line of a CSV file is a row");
}

}  // namespace bochner::cli
