// SPDX-License-Identifier: Apache-2.0
#include "data/npy_writer.h"

#include <array>
#include <bit>
#include <type_traits>

#include "data/atomic_file.h"
#include "data/npy_header.h"

namespace bochner::data {

static_assert(std::endian::native == std::endian::little, "payloads are written as they are");

void write_npy(const std::filesystem::path& file, const Table& table) {
  std::visit(
      [&]<class T>(const Matrix<T>& values) {
        AtomicFile out(file);
        out.write(format_npy_header(std::is_same_v<T, float> ? "<f4" : "<f8",
                                    std::array<std::size_t, 2>{values.rows(), values.cols()}));
        out.write({reinterpret_cast<const char*>(values.data()), values.rows() * values.cols() * sizeof(T)});
        out.commit();
      },
      table.values);
}

}  // namespace bochner::data
