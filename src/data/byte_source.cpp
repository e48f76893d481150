// SPDX-License-Identifier: Apache-2.0
#include "data/byte_source.h"

#include "data/gzip_source.h"
#include "data/input_file.h"

namespace bochner::data {

bool is_gzip_name(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension.size() == 3 && extension[0] == '.' && (extension[1] | 0x20) == 'g' && (extension[2] | 0x20) == 'z';
}

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  if (is_gzip_name(path)) return std::make_unique<GzipSource>(path);
  return std::make_unique<InputFile>(path);
}

}  // namespace bochner::data
