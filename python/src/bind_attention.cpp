// SPDX-License-Identifier: Apache-2.0
#include "bind_attention.h"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "arrays.h"
#include "bochner/attention.h"

namespace bochner::python {
namespace {

using namespace nb::literals;

/// (batch, heads, length, dim), used without a copy.
template <class T>
using Heads = nb::ndarray<T, nb::ndim<4>, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
HeadsView<T> view(const Heads<T>& array) {
  const std::size_t length = array.shape(2), dim = array.shape(3);
  // Strides of an array without elements may be anything.
  if (array.size() == 0) return {array.data(), array.shape(0), array.shape(1), length, dim};
  if (dim > 1 && array.stride(3) != 1)
    throw std::invalid_argument("an array has strided rows; expected contiguous rows");
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (array.stride(axis) < 0) throw std::invalid_argument("an array has reversed rows; expected rows in order");
  const auto stride = [&](std::size_t axis) { return static_cast<std::size_t>(array.stride(axis)); };
  // The stride of an axis of one entry may be anything.
  const std::size_t row_stride = length > 1 ? stride(2) : dim;
  if (row_stride < dim) throw std::invalid_argument("an array has overlapping rows; expected rows apart");
  return {array.data(), array.shape(0), array.shape(1), length, dim, stride(0), stride(1), row_stride};
}

MatrixView<const bool> view(const std::optional<Mask>& mask) {
  if (!mask) return {};
  return {mask->data(), mask->shape(0), mask->shape(1)};
}

nb::dict described(const AttentionReport& report) {
  nb::dict result;
  result["undefined_rows"] = report.undefined_rows;
  result["A"] = report.A;
  result["effective_features"] = report.effective_features;
  result["relative_error"] = report.relative_error;
  result["negative_rows"] = report.negative_rows;
  result["floored_rows"] = report.floored_rows;
  result["negative_weights"] = report.negative_weights;
  result["sampled_weights"] = report.sampled_weights;
  return result;
}

template <class T>
nb::dict attend(const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v, const Heads<T>& out,
                const std::optional<Mask>& key_mask, const AttentionOptions& options) {
  const auto queries = view(q), keys = view(k), values = view(v);
  const auto results = view(out);
  const auto mask = view(key_mask);
  AttentionReport report;
  {
    nb::gil_scoped_release unlocked;
    report = attention<T>(queries, keys, values, results, options, mask);
  }
  return described(report);
}

template <class T>
void gradient(const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v, const Heads<const T>& grad,
              const Heads<T>& dq, const Heads<T>& dk, const Heads<T>& dv, const std::optional<Mask>& key_mask,
              const AttentionOptions& options) {
  const auto queries = view(q), keys = view(k), values = view(v), by_result = view(grad);
  const auto by_queries = view(dq), by_keys = view(dk), by_values = view(dv);
  const auto mask = view(key_mask);
  nb::gil_scoped_release unlocked;
  attention_gradient<T>(queries, keys, values, by_result, by_queries, by_keys, by_values, options, mask);
}

/// Steps of several threads run one after the other, since they run without the interpreter's lock.
template <class T>
struct LockedState {
  LockedState(const AttentionShape& shape, const AttentionOptions& options) : state(shape, options) {}

  template <class Use>
  auto locked(const Use& use) {
    const nb::gil_scoped_release unlocked;
    const std::lock_guard lock(mutex);
    return use(state);
  }

  AttentionState<T> state;
  std::mutex mutex;
};

template <class T>
nb::dict step(LockedState<T>& self, const Heads<const T>& q, const Heads<const T>& k, const Heads<const T>& v,
              const Heads<T>& out, const std::optional<Mask>& key_mask) {
  const auto queries = view(q), keys = view(k), values = view(v);
  const auto results = view(out);
  const auto mask = view(key_mask);
  return described(
      self.locked([&](AttentionState<T>& state) { return state.step(queries, keys, values, results, mask); }));
}

void bind_options(nb::module_& module) {
  nb::class_<AttentionOptions>(module, "AttentionOptions", "What attention takes beside arrays.")
      .def(
          "__init__",
          [](AttentionOptions* self, std::string map, std::string coupling, std::size_t m, std::uint64_t seed,
             Parameters parameters, std::optional<double> scale, bool causal, bool diagnostics, double floor) {
            new (self) AttentionOptions{.map = std::move(map),
                                        .coupling = std::move(coupling),
                                        .m = m,
                                        .seed = seed,
                                        .parameters = std::move(parameters),
                                        .scale = scale,
                                        .causal = causal,
                                        .diagnostics = diagnostics,
                                        .floor = floor};
          },
          nb::kw_only(), "map"_a, "coupling"_a, "m"_a, "seed"_a, "parameters"_a, "scale"_a.none(), "causal"_a,
          "diagnostics"_a, "floor"_a = 1.0);
}

/// Arrays of Float16 or BFloat16, passed as their bits.
template <class Half>
nb::dict attend_half(const Heads<const std::uint16_t>& q, const Heads<const std::uint16_t>& k,
                     const Heads<const std::uint16_t>& v, const Heads<std::uint16_t>& out,
                     const std::optional<Mask>& key_mask, const AttentionOptions& options) {
  const auto as_half = []<class Number>(auto bits, Number* data) {
    return HeadsView<Number>(data, bits.batch, bits.heads, bits.length, bits.dim, bits.batch_stride, bits.head_stride,
                             bits.row_stride);
  };
  const auto read = [&](const auto& bits) { return as_half(view(bits), reinterpret_cast<const Half*>(bits.data())); };
  const auto queries = read(q), keys = read(k), values = read(v);
  const auto results = as_half(view(out), reinterpret_cast<Half*>(out.data()));
  const auto mask = view(key_mask);
  AttentionReport report;
  {
    nb::gil_scoped_release unlocked;
    report = attention<Half>(queries, keys, values, results, options, mask);
  }
  return described(report);
}

template <class T>
void bind_for(nb::module_& module, const char* state_name) {
  module.def("attention", &attend<T>, "q"_a.noconvert(), "k"_a.noconvert(), "v"_a.noconvert(), "out"_a.noconvert(),
             "key_mask"_a.noconvert().none(), "options"_a);
  module.def("attention_gradient", &gradient<T>, "q"_a.noconvert(), "k"_a.noconvert(), "v"_a.noconvert(),
             "grad"_a.noconvert(), "dq"_a.noconvert(), "dk"_a.noconvert(), "dv"_a.noconvert(),
             "key_mask"_a.noconvert().none(), "options"_a);
  nb::class_<LockedState<T>>(module, state_name, "Causal attention step by step.")
      .def(
          "__init__",
          [](LockedState<T>* self, std::size_t batch, std::size_t heads, std::size_t kv_heads, std::size_t dim,
             std::size_t value_dim, const AttentionOptions& options) {
            new (self) LockedState<T>({batch, heads, kv_heads, dim, value_dim}, options);
          },
          nb::kw_only(), "batch"_a, "heads"_a, "kv_heads"_a, "dim"_a, "value_dim"_a, "options"_a)
      .def("step", &step<T>, "q"_a.noconvert(), "k"_a.noconvert(), "v"_a.noconvert(), "out"_a.noconvert(),
           "key_mask"_a.noconvert().none())
      .def("reset", [](LockedState<T>& self) { self.locked([](auto& state) { state.reset(); }); })
      .def_prop_ro("length",
                   [](LockedState<T>& self) { return self.locked([](auto& state) { return state.length(); }); });
}

}  // namespace

void bind_attention(nb::module_& module) {
  bind_options(module);
  bind_for<float>(module, "AttentionStateFloat");
  bind_for<double>(module, "AttentionStateDouble");
  module.def("attention_float16", &attend_half<Float16>, "q"_a.noconvert(), "k"_a.noconvert(), "v"_a.noconvert(),
             "out"_a.noconvert(), "key_mask"_a.noconvert().none(), "options"_a);
  module.def("attention_bfloat16", &attend_half<BFloat16>, "q"_a.noconvert(), "k"_a.noconvert(), "v"_a.noconvert(),
             "out"_a.noconvert(), "key_mask"_a.noconvert().none(), "options"_a);
}

}  // namespace bochner::python
