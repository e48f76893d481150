// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/svg.h"

namespace bochner::cli {
namespace {

constexpr const char* kPageStyle = R"(
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 Charter, "Bitstream Charter", Georgia, "DejaVu Serif", serif; }
main { max-width: 1128px; margin: 0 auto; padding: 56px 24px 96px; }
h1 { font-size: 40px; line-height: 1.15; letter-spacing: -0.01em; margin: 0 0 12px; font-weight: 600; }
h2 { font-size: 26px; line-height: 1.25; margin: 72px 0 8px; padding-top: 20px; border-top: 1px solid var(--line); font-weight: 600; }
p { max-width: 72ch; margin: 12px 0; }
.lead { font-size: 19px; color: var(--soft); }
.formula { font-size: 21px; margin: 20px 0 20px 24px; }
figure { margin: 28px 0; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { max-width: 84ch; margin-top: 10px; font-size: 15px; line-height: 1.5; color: var(--soft); }
figcaption b { color: var(--ink); }
.scroll { overflow-x: auto; margin: 24px 0; }
table { border-collapse: collapse; font: 13.5px/1.45 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: 6px; }
th, td { padding: 4px 14px 4px 0; text-align: right; white-space: nowrap; }
th { font-weight: 600; color: var(--soft); border-bottom: 1.5px solid var(--soft); vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); }
.w { text-align: left; }
details { margin: 24px 0; }
summary { cursor: pointer; font: 600 14px system-ui, sans-serif; color: var(--c0); }
code { font: 0.88em ui-monospace, "DejaVu Sans Mono", monospace; background: var(--line); border-radius: 4px; padding: 1px 5px; }
footer { margin-top: 72px; padding-top: 16px; border-top: 1px solid var(--line); font-size: 14px; color: var(--soft); }
)";

/// A cell with a real plus-minus sign.
std::string cell_text(const std::string& cell) {
  std::string html = svg::escape(cell);
  if (const auto at = html.find("+-"); at != std::string::npos) html.replace(at, 2, "&#177;");
  return html;
}

std::string to_html(const ReportTable& table, bool caption) {
  const auto cells = [&](const std::vector<std::string>& row, const char* tag) {
    std::string html = "<tr>";
    for (std::size_t j = 0; j < row.size(); ++j)
      html += fmt::format("<{0}{1}>{2}</{0}>", tag, j < table.words ? " class=\"w\"" : "", cell_text(row[j]));
    return html + "</tr>\n";
  };
  std::string html = "<div class=\"scroll\"><table>";
  if (caption) html += fmt::format("<caption>{}</caption>", svg::escape(table.title));
  html += fmt::format("\n<thead>{}</thead><tbody>\n", cells(table.head, "th"));
  for (const auto& row : table.rows) html += cells(row, "td");
  return html + "</tbody></table></div>\n";
}

}  // namespace

std::string to_text(const ReportTable& table) {
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < table.head.size(); ++j) {
    widths.push_back(table.head[j].size());
    for (const auto& row : table.rows) widths[j] = std::max(widths[j], row[j].size());
  }
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (std::size_t j = 0; j < row.size(); ++j)
      text += j < table.words ? fmt::format("  {:<{}}", row[j], widths[j]) : fmt::format("  {:>{}}", row[j], widths[j]);
    return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  std::string text = table.title + "\n" + line(table.head);
  for (const auto& row : table.rows) text += line(row);
  return text;
}

Page::Page(const std::string& title, const std::string& lead)
    : title_(title), body_(fmt::format("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", svg::escape(title), lead)) {}

void Page::section(const std::string& title, const std::string& text) {
  body_ += fmt::format("<h2>{}</h2>\n", svg::escape(title));
  paragraph(text);
}

void Page::formula(const std::string& text) { body_ += fmt::format("<p class=\"formula\">{}</p>\n", text); }

void Page::paragraph(const std::string& text) { body_ += fmt::format("<p>{}</p>\n", text); }

void Page::figure(const std::string& svg, const std::string& caption) {
  body_ +=
      fmt::format("<figure>\n{}<figcaption><b>Figure {}.</b> {}</figcaption></figure>\n", svg, ++figures_, caption);
}

void Page::table(const ReportTable& table) { body_ += to_html(table, true); }

void Page::folded_table(const ReportTable& table) {
  body_ +=
      fmt::format("<details><summary>{}</summary>\n{}</details>\n", svg::escape(table.title), to_html(table, false));
}

void Page::footer(const std::string& text) { body_ += fmt::format("<footer>{}</footer>\n", text); }

std::string Page::html() const {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body><main>\n{}</main></body>\n</html>\n",
      svg::escape(title_), svg::style(), kPageStyle, body_);
}

}  // namespace bochner::cli
