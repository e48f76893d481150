// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "demo/pictures.h"
#include "report/png.h"

namespace bochner::cli {
namespace {

constexpr double kTile = 166, kGap = 14, kHead = 26, kBand = 5, kBelow = 52, kLeft = 10;
/// Errors are drawn this many times stronger than values.
constexpr double kErrorGain = 4;

Colour mix(const Colour& a, const Colour& b, double share) {
  Colour result;
  for (std::size_t c = 0; c < 3; ++c) result[c] = static_cast<std::uint8_t>(std::lround(a[c] + share * (b[c] - a[c])));
  return result;
}

/// The colour at a share 0..1 of evenly spaced stops.
Colour ramp(std::span<const Colour> stops, double share) {
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const auto first = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  return mix(stops[first], stops[first + 1], place - static_cast<double>(first));
}

constexpr Colour kValueStops[] = {{122, 40, 0}, {236, 140, 72}, {250, 250, 248}, {94, 168, 214}, {4, 50, 96}};
constexpr Colour kPlaceStops[] = {{68, 62, 150}, {33, 145, 140}, {94, 190, 90}, {240, 180, 30}};

/// 255 colours: index 0 is -1, 127 is 0, 254 is 1.
std::vector<Colour> value_palette() {
  std::vector<Colour> palette;
  for (int i = 0; i < 255; ++i) palette.push_back(ramp(kValueStops, i / 254.0));
  return palette;
}

std::string hex(const Colour& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]); }

std::string heat_map(std::size_t size, double x, double y,
                     const std::function<double(std::size_t, std::size_t)>& value) {
  std::vector<std::uint8_t> pixels;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j)
      pixels.push_back(static_cast<std::uint8_t>(std::lround(127 + 127 * std::clamp(value(i, j), -1.0, 1.0))));
  return fmt::format("<image class=\"heat\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" href=\"{}\"/>\n", x, y,
                     kTile, kTile, png_data_uri(size, size, pixels, value_palette()));
}

std::string text(double x, double y, const std::string& style, const std::string& words) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, x, y, svg::escape(words));
}

/// Bands on the left and upper border of a matrix, coloured by the place along the curve.
std::string place_bands(double x, double y) {
  constexpr int kSteps = 40;
  std::string out;
  for (int k = 0; k < kSteps; ++k) {
    const double at = kTile * k / kSteps, size = kTile / kSteps + 0.3;
    const std::string colour = hex(ramp(kPlaceStops, (k + 0.5) / kSteps));
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"/>", x - kBand - 2,
                       y + at, kBand, size, colour);
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>", x + at,
                       y - kBand - 2, size, kBand, colour);
  }
  return out + "\n";
}

/// The points seen from above the front left; far points are drawn first.
std::string draw_points(const Matrix<double>& X, double left, double top) {
  struct Dot {
    double x, y, depth, place;
  };
  std::vector<Dot> dots;
  const double turn = -0.95, tilt = 0.35;
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const double across = std::cos(turn) * X(i, 0) + std::sin(turn) * X(i, 1);
    const double away = -std::sin(turn) * X(i, 0) + std::cos(turn) * X(i, 1);
    dots.push_back({across, std::cos(tilt) * X(i, 2) + std::sin(tilt) * away,
                    std::cos(tilt) * away - std::sin(tilt) * X(i, 2),
                    static_cast<double>(i) / static_cast<double>(X.rows())});
  }
  std::sort(dots.begin(), dots.end(), [](const Dot& a, const Dot& b) { return a.depth > b.depth; });
  std::string out;
  for (const Dot& dot : dots)
    out += fmt::format("<circle class=\"mark\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\" fill=\"{}\" stroke=\"none\"/>",
                       left + kTile * (0.5 + dot.x / 5.4), top + kTile * (0.5 - dot.y / 5.4),
                       hex(ramp(kPlaceStops, dot.place)));
  return out + "\n";
}

std::string colour_bar(double left, double top) {
  constexpr int kSteps = 100;
  constexpr double kWidth = 320;
  std::string out;
  for (int k = 0; k < kSteps; ++k)
    out +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"10\" fill=\"{}\"/>",
                    left + kWidth * k / kSteps, top, kWidth / kSteps + 0.3, hex(ramp(kValueStops, (k + 0.5) / kSteps)));
  for (int k = -2; k <= 2; ++k) {
    const double x = left + kWidth * (k + 2) / 4;
    out += fmt::format("<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>", x, top + 24,
                       k < 0 ? "&#8722;" : "", std::abs(k) / 2.0);
  }
  return out + text(left + kWidth + 16, top + 9, "label", "value of an entry; errors are drawn four times stronger");
}

}  // namespace

std::string draw_gram(const GramStudy& study) {
  const double second = kHead + kTile + 44;
  const auto column = [](std::size_t k) { return kLeft + static_cast<double>(k) * (kTile + kGap); };
  const std::size_t size = study.shown.rows();
  std::string out = fmt::format(
      "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "aria-label=\"Exact and approximated Gram matrices\"><title>Exact and approximated Gram matrices</title>\n",
      column(study.approximations.size() + 1), second + kTile + kBelow);
  out += text(column(0), kHead - 12, "title", "exact") +
         heat_map(size, column(0), kHead, [&](std::size_t i, std::size_t j) { return study.shown(i, j); }) +
         place_bands(column(0), kHead) + draw_points(study.points, column(0), second) +
         text(column(0), second - 8, "label", "the points");
  for (std::size_t k = 0; k < study.approximations.size(); ++k) {
    const auto& one = study.approximations[k];
    const double x = column(k + 1);
    out += text(x, kHead - 12, "title", fmt::format("m = {}", one.m)) +
           heat_map(size, x, kHead, [&](std::size_t i, std::size_t j) { return one.shown(i, j); }) +
           text(x, second - 8, "label", fmt::format("its error, rms {:.4f}", one.measured)) +
           heat_map(size, x, second,
                    [&](std::size_t i, std::size_t j) { return kErrorGain * (one.shown(i, j) - study.shown(i, j)); });
  }
  return out + colour_bar(column(1), second + kTile + 16) + "</svg>\n";
}

}  // namespace bochner::cli
