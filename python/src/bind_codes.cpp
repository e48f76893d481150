// SPDX-License-Identifier: Apache-2.0
#include "bind_codes.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bochner/bochner.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

using Codes = Array<const std::uint64_t>;
using Rows = Array<const double>;

template <class T>
Result<std::uint64_t> encode(const BinaryEmbedding& embedding, const Array<const T>& X) {
  const auto rows = view(X);
  Matrix<std::uint64_t> codes(rows.rows(), embedding.words());
  {
    nb::gil_scoped_release unlocked;
    embedding.encode(rows, codes.view());
  }
  return release(std::move(codes));
}

Result<std::uint32_t> distances(const Codes& A, const Codes& B) {
  const auto first = view(A), second = view(B);
  Matrix<std::uint32_t> found;
  {
    nb::gil_scoped_release unlocked;
    found = hamming_distances(first, second);
  }
  return release(std::move(found));
}

nb::tuple nearest(const Codes& queries, const Codes& codes, std::size_t k) {
  const auto first = view(queries), second = view(codes);
  NearestCodes found;
  {
    nb::gil_scoped_release unlocked;
    found = nearest_codes(first, second, k);
  }
  return nb::make_tuple(release(std::move(found.ids)), release(std::move(found.distances)));
}

/// Threads that sample run side by side, without the interpreter's lock; a thread that updates waits until they are
/// done.
struct LockedSampler {
  LockedSampler(const Spec& spec, MatrixView<const double> embeddings, double floor, const std::vector<double>& biases)
      : sampler(spec, embeddings, floor, biases) {}
  SoftmaxSampler sampler;
  std::shared_mutex mutex;
};

nb::tuple sample(LockedSampler& self, const Rows& queries, std::size_t count, std::uint64_t seed,
                 const std::vector<std::uint64_t>& excluded) {
  const auto rows = view(queries);
  Matrix<std::uint64_t> ids(rows.rows(), count);
  Matrix<double> logs(rows.rows(), count);
  {
    const nb::gil_scoped_release unlocked;
    const std::shared_lock lock(self.mutex);
    self.sampler.sample(rows, seed, ids.view(), logs.view(), excluded);
  }
  return nb::make_tuple(release(std::move(ids)), release(std::move(logs)));
}

Result<double> log_probability(LockedSampler& self, const Rows& queries, const Codes& ids,
                               const std::vector<std::uint64_t>& excluded) {
  const auto rows = view(queries);
  const auto chosen = view(ids);
  Matrix<double> logs(chosen.rows(), chosen.cols());
  {
    const nb::gil_scoped_release unlocked;
    const std::shared_lock lock(self.mutex);
    self.sampler.log_probability(rows, chosen, logs.view(), excluded);
  }
  return release(std::move(logs));
}

void update(LockedSampler& self, std::size_t id, const Rows& embedding, std::optional<double> bias) {
  const auto rows = view(embedding);
  const nb::gil_scoped_release unlocked;
  const std::unique_lock lock(self.mutex);
  self.sampler.update(id, rows.row(0), bias);
}

}  // namespace

void bind_codes(nb::module_& module) {
  nb::class_<BinaryEmbedding>(module, "BinaryEmbedding", "Packed signs of projections.")
      .def(nb::init<Spec>(), "spec"_a)
      .def_prop_ro("bits", &BinaryEmbedding::bits)
      .def_prop_ro("words", &BinaryEmbedding::words)
      .def("encode", &encode<float>, "X"_a.noconvert())
      .def("encode", &encode<double>, "X"_a.noconvert());
  module.def("hamming_distances", &distances, "A"_a, "B"_a, "Bits in which rows of A and of B differ.");
  module.def("nearest_codes", &nearest, "queries"_a, "codes"_a, "k"_a, "(ids, differing bits) of the nearest codes.");

  nb::class_<LockedSampler>(module, "SoftmaxSampler", "Draws classes with probabilities near those of a softmax.")
      .def(
          "__init__",
          [](LockedSampler* self, const Spec& spec, const Rows& embeddings, double floor,
             const std::vector<double>& biases) { new (self) LockedSampler(spec, view(embeddings), floor, biases); },
          "spec"_a, "embeddings"_a, "floor"_a, "biases"_a)
      .def_prop_ro("classes", [](const LockedSampler& self) { return self.sampler.classes(); })
      .def("sample", &sample, "queries"_a, "count"_a, "seed"_a, "excluded"_a)
      .def("log_probability", &log_probability, "queries"_a, "ids"_a, "excluded"_a)
      .def("update", &update, "id"_a, "embedding"_a, "bias"_a.none());
}

}  // namespace bochner::python
