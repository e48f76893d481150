// SPDX-License-Identifier: Apache-2.0
#include "data/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "data/csv_reader.h"
#include "data/csv_writer.h"
#include "data/file_error.h"
#include "data/gzip_source.h"
#include "data/idx_reader.h"
#include "data/libsvm_reader.h"
#include "data/npy_reader.h"
#include "data/npy_writer.h"

namespace bochner::data {

namespace {

constexpr Format kFormats[] = {
    {".csv", open_csv, write_csv},     {".npy", open_npy, write_npy},       {".svm", open_libsvm, nullptr},
    {".libsvm", open_libsvm, nullptr}, {".svmlight", open_libsvm, nullptr}, {"idx1-ubyte", open_idx, nullptr},
    {"idx3-ubyte", open_idx, nullptr},
};

std::string lower_name(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return name;
}

const Format* find(std::string_view name) {
  for (const Format& format : kFormats)
    if (name.size() > format.ending.size() && name.ends_with(format.ending)) return &format;
  return nullptr;
}

[[noreturn]] void fail_unknown(const std::filesystem::path& file, std::string_view expected) {
  const std::string extension = std::filesystem::path(lower_name(file)).extension().string();
  fail(file, extension.empty() ? fmt::format("has no extension; expected {}", expected)
                               : fmt::format("unknown extension '{}'; expected {}", extension, expected));
}

}  // namespace

const Format& readable_format(const std::filesystem::path& file) {
  const std::filesystem::path plain = is_gzip_name(file) ? file.stem() : file;
  if (const Format* found = find(lower_name(plain))) return *found;
  fail_unknown(file, ".csv or .npy, .svm, .libsvm or idx3-ubyte, with or without .gz");
}

const Format& writable_format(const std::filesystem::path& file) {
  const Format* const found = find(lower_name(file));
  if (found != nullptr && found->write != nullptr) return *found;
  fail_unknown(file, ".csv or .npy");
}

void refuse_table_name(const std::filesystem::path& file) {
  const std::string name = lower_name(is_gzip_name(file) ? file.stem() : file);
  const Format* const found = find(name);
  if (found == nullptr && !name.ends_with(".tsv")) return;
  fail(file,
       fmt::format("cannot be written: names that end in {} are those of tables; expected another, such as one in "
                   ".safetensors for a model or .html for a report",
                   found == nullptr ? ".tsv" : found->ending));
}

}  // namespace bochner::data

namespace bochner {

std::unique_ptr<RowSource> open_rows(const std::filesystem::path& file, const ReadOptions& options) {
  return data::readable_format(file).open(file, options);
}

}  // namespace bochner
