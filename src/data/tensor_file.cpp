// SPDX-License-Identifier: Apache-2.0
#include "data/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/strict_json.h"
#include "data/atomic_file.h"
#include "data/file_error.h"
#include "data/input_file.h"
#include "data/limits.h"

namespace bochner::data {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 40;
constexpr std::string_view kMetadata = "__metadata__";

std::string header_of(const TensorFile& content) {
  nlohmann::ordered_json header = {{kMetadata, content.metadata}};
  std::uint64_t offset = 0;
  for (const Tensor& tensor : content.tensors) {
    const std::uint64_t end = offset + 8 * tensor.values.size();
    header[tensor.name] = {{"dtype", "F64"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // numbers begin at a multiple of 8
  return text;
}

std::string checked_header(const std::filesystem::path& file, const TensorFile& content) {
  std::string header = header_of(content);
  if (header.size() > kMaxModelHeaderBytes)
    fail(file, fmt::format("the header of the model would have {} bytes; expected at most {} (names, categories and "
                           "classes count)",
                           header.size(), kMaxModelHeaderBytes));
  return header;
}

/// One tensor of the header.
struct Entry {
  std::string name;
  std::vector<std::size_t> shape;
  std::uint64_t first = 0, last = 0;
};

bool is_count_list(const json& value, std::size_t least, std::size_t most) {
  return value.is_array() && value.size() >= least && value.size() <= most &&
         std::ranges::all_of(value, [](const json& entry) { return entry.is_number_unsigned(); });
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : file_(path) {}

  TensorFile read() {
    TensorFile content;
    const std::uint64_t payload = content.payload = read_header(content.metadata);
    const std::uint64_t left = file_.size().value() - payload;
    check_offsets(left, payload);
    for (const Entry& entry : entries_) {
      Tensor tensor{entry.name, entry.shape, std::vector<double>((entry.last - entry.first) / 8)};
      const std::span<double> values(tensor.values);
      if (file_.read({reinterpret_cast<char*>(values.data()), values.size_bytes()}) != values.size_bytes())
        fail(file_.path(), "became shorter while it was read");
      content.tensors.push_back(std::move(tensor));
    }
    return content;
  }

 private:
  std::uint64_t read_header(std::map<std::string, std::string>& metadata) {
    const std::uint64_t size = file_.size().value();
    char bytes[kLengthBytes] = {};
    if (file_.read(bytes) != kLengthBytes)
      fail_byte(file_.path(), size, "the file ends inside the length of its header; expected a model");
    std::uint64_t length = 0;
    for (std::size_t k = kLengthBytes; k-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[k]);
    if (length > kMaxModelHeaderBytes)
      fail_byte(file_.path(), 0,
                fmt::format("not a model: a header of {} bytes; expected at most {}", length, kMaxModelHeaderBytes));
    if (length > size - kLengthBytes)
      fail_byte(file_.path(), 0,
                fmt::format("a header of {} bytes; the file has {} left", length, size - kLengthBytes));
    std::string text(length, '\0');
    if (file_.read(text) != length) fail(file_.path(), "became shorter while it was read");
    try {
      parse_header(parse_strict_json(text), metadata);
    } catch (const std::invalid_argument& error) {
      fail_byte(file_.path(), kLengthBytes, fmt::format("the header: {}", error.what()));
    }
    return kLengthBytes + length;
  }

  [[noreturn]] void fail_header(const std::string& sentence) const {
    fail_byte(file_.path(), kLengthBytes, "the header: " + sentence);
  }

  void parse_header(const json& header, std::map<std::string, std::string>& metadata) {
    if (!header.is_object()) fail_header("not a JSON object");
    for (const auto& [name, value] : header.items()) {
      if (name == kMetadata) {
        if (!value.is_object()) fail_header("__metadata__ is not an object");
        for (const auto& [key, text] : value.items()) {
          if (!text.is_string()) fail_header(fmt::format("{} of __metadata__ is not a string", shown(key)));
          metadata.emplace(key, text.get<std::string>());
        }
      } else {
        entries_.push_back(entry_of(name, value));
      }
    }
    std::ranges::sort(entries_, {}, [](const Entry& entry) { return std::pair(entry.first, entry.last); });
  }

  Entry entry_of(const std::string& name, const json& value) const {
    const bool keys = value.is_object() && value.size() == 3 && value.contains("dtype") && value.contains("shape") &&
                      value.contains("data_offsets");
    if (!keys) fail_header(fmt::format("the tensor {} has not dtype, shape and data_offsets", shown(name)));
    if (value["dtype"] != "F64") fail_header(fmt::format("the tensor {} is not of dtype F64", shown(name)));
    if (!is_count_list(value["shape"], 1, 2))
      fail_header(fmt::format("the shape of tensor {} is not 1 or 2 whole numbers", shown(name)));
    if (!is_count_list(value["data_offsets"], 2, 2))
      fail_header(fmt::format("the data_offsets of tensor {} are not 2 whole numbers", shown(name)));
    Entry entry{name, value["shape"].get<std::vector<std::size_t>>(), value["data_offsets"][0].get<std::uint64_t>(),
                value["data_offsets"][1].get<std::uint64_t>()};
    std::uint64_t count = 1;
    for (const std::size_t size : entry.shape) {
      if (size > kMostNumbers / std::max<std::uint64_t>(count, 1))
        fail_header(fmt::format("the shape of tensor {} is too large", shown(name)));
      count *= size;
    }
    if (entry.last < entry.first || entry.last - entry.first != 8 * count)
      fail_header(fmt::format("the tensor {} has {} numbers by its shape and the bytes {} to {}", shown(name), count,
                              entry.first, entry.last));
    return entry;
  }

  void check_offsets(std::uint64_t left, std::uint64_t payload) const {
    std::uint64_t expected = 0;
    for (const Entry& entry : entries_) {
      if (entry.first != expected)
        fail_header(fmt::format("the tensor {} begins at byte {} of the numbers; expected {}: no holes, no overlap",
                                shown(entry.name), entry.first, expected));
      expected = entry.last;
    }
    if (expected != left)
      fail_byte(file_.path(), payload + std::min(expected, left),
                fmt::format("{} of numbers; expected {} by the header", counted(left, "byte"), expected));
  }

  InputFile file_;
  std::vector<Entry> entries_;
};

}  // namespace

void check_names(const std::filesystem::path& file, std::span<const std::string> names,
                 std::span<const std::string> dropped) {
  std::size_t bytes = 0, less = 0;
  for (const std::string& name : names) bytes += name.size() + 1;
  for (const std::string& name : dropped) less += name.size() + 1;
  if (bytes > less + kMaxModelHeaderBytes)
    fail(file, fmt::format("the header of the model would have more than {} bytes; expected at most {} (names of "
                           "columns count)",
                           bytes - less, kMaxModelHeaderBytes));
}

void check_header(const std::filesystem::path& file, const TensorFile& content) { checked_header(file, content); }

void write_tensors(const std::filesystem::path& file, const TensorFile& content) {
  const std::string header = checked_header(file, content);
  std::string length(kLengthBytes, '\0');
  for (std::size_t k = 0; k < kLengthBytes; ++k) length[k] = static_cast<char>(header.size() >> (8 * k) & 0xff);
  AtomicFile out(file);
  out.write(length);
  out.write(header);
  for (const Tensor& tensor : content.tensors)
    out.write({reinterpret_cast<const char*>(tensor.values.data()), 8 * tensor.values.size()});
  out.commit();
}

TensorFile read_tensors(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace bochner::data
