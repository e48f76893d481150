// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "bochner/row_source.h"

namespace bochner::data {

/// Lines "label index:value index:value ...": a number, then increasing indices from 1 with finite values; an index
/// that is not given has the value 0. Rows become dense, so indices stay below kMaxColumns. Column 0 is the label,
/// column i is index i. Comments, qid and lists of labels are refused, as is everything that other readers guess at.
std::unique_ptr<RowSource> open_libsvm(const std::filesystem::path& file, const ReadOptions& options);

}  // namespace bochner::data
