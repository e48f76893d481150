// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bochner::cli {

/// A table of finished text, with the same figures in the terminal and on a page.
struct ReportTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  std::size_t words = 1;  ///< leading columns, aligned to the left; the others hold numbers
};

/// Aligned columns for a terminal.
std::string to_text(const ReportTable& table);

/// One self-contained HTML file: no script, no font, no request. Texts are HTML, except titles and cells.
class Page {
 public:
  Page(const std::string& title, const std::string& lead);

  void section(const std::string& title, const std::string& text);
  void formula(const std::string& text);
  void paragraph(const std::string& text);
  /// Adds a picture with a caption that says what to see in it.
  void figure(const std::string& svg, const std::string& caption);
  void table(const ReportTable& table);
  /// Adds a table that opens when it is clicked.
  void folded_table(const ReportTable& table);
  void footer(const std::string& text);
  std::string html() const;

 private:
  std::string title_;
  std::string body_;
  std::size_t figures_ = 0;
};

}  // namespace bochner::cli
