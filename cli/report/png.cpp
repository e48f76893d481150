// SPDX-License-Identifier: Apache-2.0
#include "report/png.h"

#include <algorithm>
#include <string_view>

namespace bochner::cli {
namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

/// CRC-32 of ISO 3309, which PNG requires.
std::uint32_t crc(std::string_view bytes) {
  std::uint32_t value = 0xffffffff;
  for (const char byte : bytes) {
    value ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0u);
  }
  return ~value;
}

std::uint32_t adler(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void append_chunk(std::string& out, const std::string& type, const std::string& data) {
  append_big_endian(out, static_cast<std::uint32_t>(data.size()));
  out += type + data;
  append_big_endian(out, crc(type + data));
}

/// A zlib stream of stored deflate blocks, each of at most 65535 bytes.
std::string stored_zlib(const std::string& raw) {
  constexpr std::size_t kMost = 65535;
  std::string out = "\x78\x01";
  for (std::size_t first = 0; first < raw.size(); first += kMost) {
    const std::size_t size = std::min(kMost, raw.size() - first);
    out += static_cast<char>(first + size == raw.size());
    for (const std::size_t word : {size, ~size}) {
      out += static_cast<char>(word & 0xff);
      out += static_cast<char>(word >> 8 & 0xff);
    }
    out += raw.substr(first, size);
  }
  append_big_endian(out, adler(raw));
  return out;
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) out += i + k <= bytes.size() ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace

std::string png_data_uri(std::size_t width, std::size_t height, std::span<const std::uint8_t> pixels,
                         std::span<const Colour> palette) {
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(width));
  append_big_endian(header, static_cast<std::uint32_t>(height));
  header += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, palette, deflate, filter method 0, not interlaced
  std::string colours;
  for (const Colour& colour : palette)
    for (const std::uint8_t channel : colour) colours += static_cast<char>(channel);
  std::string raw;
  for (std::size_t i = 0; i < height; ++i) {
    raw += '\0';  // filter type none
    for (const std::uint8_t pixel : pixels.subspan(i * width, width)) raw += static_cast<char>(pixel);
  }
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR", header);
  append_chunk(file, "PLTE", colours);
  append_chunk(file, "IDAT", stored_zlib(raw));
  append_chunk(file, "IEND", "");
  return "data:image/png;base64," + base64(file);
}

}  // namespace bochner::cli
