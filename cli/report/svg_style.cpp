// SPDX-License-Identifier: Apache-2.0
#include "report/svg.h"

namespace bochner::cli::svg {
namespace {

constexpr const char* kStyle = R"(:root, svg {
  --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --paper: #ffffff;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #a8528a; --c4: #b87a00; --c5: #3b8fc2; --cg: #8792a0;
}
@media (prefers-color-scheme: dark) {
  :root, svg {
    --ink: #e8ecf1; --soft: #a3aebb; --line: #2f3844; --paper: #12161c;
    --c0: #4fb3ea; --c1: #ff8a3d; --c2: #2fd0a2; --c3: #dd8fc0; --c4: #f0b53a; --c5: #8fd0f5; --cg: #7d8896;
  }
}
.chart { font-family: system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif; }
.chart text { fill: var(--ink); font-size: 12px; }
.chart .tick { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
.chart .label { fill: var(--soft); }
.chart .title { font-size: 13px; font-weight: 600; }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .grid.minor { opacity: 0.45; }
.chart .axis { stroke: var(--soft); fill: none; }
.chart .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.chart .bar { fill: none; stroke-width: 1.4; }
.chart .mark { stroke: var(--paper); stroke-width: 0.7; }
.chart circle[r="1.8"] { stroke: none; opacity: 0.55; }
.chart .line.c0, .chart .bar.c0 { stroke: var(--c0); } .chart .mark.c0, .chart .tc0 { fill: var(--c0); }
.chart .line.c1, .chart .bar.c1 { stroke: var(--c1); } .chart .mark.c1, .chart .tc1 { fill: var(--c1); }
.chart .line.c2, .chart .bar.c2 { stroke: var(--c2); } .chart .mark.c2, .chart .tc2 { fill: var(--c2); }
.chart .line.c3, .chart .bar.c3 { stroke: var(--c3); } .chart .mark.c3, .chart .tc3 { fill: var(--c3); }
.chart .line.c4, .chart .bar.c4 { stroke: var(--c4); } .chart .mark.c4, .chart .tc4 { fill: var(--c4); }
.chart .line.c5, .chart .bar.c5 { stroke: var(--c5); } .chart .mark.c5, .chart .tc5 { fill: var(--c5); }
.chart .line.cg, .chart .bar.cg { stroke: var(--cg); } .chart .mark.cg, .chart .tcg { fill: var(--cg); }
)";

}  // namespace

std::string style() { return kStyle; }

std::string standalone(const std::string& element) {
  const std::size_t inside = element.find('>') + 1;
  return element.substr(0, inside) + "<style>" + style() +
         "</style><rect width=\"100%\" height=\"100%\" fill=\"var(--paper)\"/>" + element.substr(inside);
}

}  // namespace bochner::cli::svg
