// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace bochner::test {

/// What gzip makes of the bytes.
inline std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string out(::deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int code = ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (code != Z_STREAM_END) throw std::runtime_error("deflate");
  return out;
}

}  // namespace bochner::test
