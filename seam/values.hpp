// Arguments that are NumPy arrays of one dimension, read where they lie; for many small calls.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "convert.hpp"

namespace rankmark {

// The beginning of NumPy's array object, which all modules built against its headers rely on.
struct ArrayFields {
  PyObject_HEAD char* data;
  int dimensions;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* dtype;
  int flags;
};

// What arrays are known by, found when the first is given.
class KnownArrays {
 public:
  // The fields of a contiguous array of one dimension and this type; null for anything else.
  template <class T>
  static const ArrayFields* fields(PyObject* object, bool writable) noexcept {
    const Types* types = found_.load(std::memory_order_acquire);
    if (types == nullptr) types = find();
    if (Py_TYPE(object) != types->array) return nullptr;
    const auto* const array = reinterpret_cast<const ArrayFields*>(object);
    const int wanted = kContiguous | kAligned | (writable ? kWriteable : 0);
    const bool fits = array->dimensions == 1 && array->dtype == types->of<T>() && (array->flags & wanted) == wanted;
    return fits ? array : nullptr;
  }

  // A copy of values as a new array that cannot be written to, of one dimension or of so many rows; no object where no
  // array is known. For few values: nanobind takes several times as long to hand over memory.
  template <class T>
  static nb::object copy_of(std::span<const T> values, std::size_t rows = 0) {
    const Types* types = found_.load(std::memory_order_acquire);
    if (types == nullptr) types = find();
    if (types->array == nullptr) return {};
    const nb::object shape =
        rows == 0 ? nb::object(nb::int_(values.size())) : nb::object(nb::make_tuple(rows, values.size() / rows));
    PyObject* const arguments[] = {shape.ptr(), types->of<T>()};
    nb::object array = nb::steal(owned(PyObject_Vectorcall(types->empty, arguments, 2, nullptr)));
    if (Py_TYPE(array.ptr()) != types->array) return {};
    auto* const fields = reinterpret_cast<ArrayFields*>(array.ptr());
    if (!values.empty()) std::memcpy(fields->data, values.data(), values.size_bytes());
    fields->flags &= ~kWriteable;  // as NumPy's PyArray_CLEARFLAGS does
    return array;
  }

 private:
  static constexpr int kContiguous = 0x1, kAligned = 0x100, kWriteable = 0x400;

  // They are kept as long as the process lives. All are null, so that no array is known, where NumPy is not as
  // expected.
  struct Types {
    PyTypeObject* array = nullptr;
    PyObject *float64 = nullptr, *boolean = nullptr, *int32 = nullptr, *int64 = nullptr;
    PyObject* empty = nullptr;  // the function

    template <class T>
    PyObject* of() const noexcept {
      if constexpr (std::is_same_v<T, double>) return float64;
      if constexpr (std::is_same_v<T, bool>) return boolean;
      if constexpr (std::is_same_v<T, std::int32_t>) return int32;
      if constexpr (std::is_same_v<T, std::int64_t>) return int64;
      return nullptr;
    }
  };

  static Types looked_for();
  static const Types* find() noexcept;

  static std::atomic<const Types*> found_;  // without the interpreter's lock, threads may look for them at once
};

// The values of an array, which lives as long as the call. `T` is const for those that are only read.
template <class T>
class Values {
 public:
  using Other = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  Values() = default;
  explicit Values(const ArrayFields& array)
      : span_(reinterpret_cast<T*>(array.data), static_cast<std::size_t>(array.shape[0])) {}
  explicit Values(Other other) : other_(std::move(other)), span_(span_of(*other_)) {}

  std::size_t size() const noexcept { return span_.size(); }
  std::span<T> span() const noexcept { return span_; }

 private:
  std::optional<Other> other_;  // keeps what is no array of NumPy's
  std::span<T> span_;
};

// Hands values to NumPy, read-only: few as a copy, many where they lie.
constexpr std::size_t kFewBytes = 4096;

template <class T>
nb::object as_array(std::vector<T>&& values) {
  if (values.size() * sizeof(T) <= kFewBytes) {
    nb::object array = KnownArrays::copy_of(std::span<const T>(values));
    if (array.is_valid()) return array;
  }
  return nb::cast(to_array(std::move(values)));
}

// The same with rows of equal length.
template <class T>
nb::object as_table(std::vector<T>&& values, std::size_t rows) {
  if (values.size() * sizeof(T) <= kFewBytes) {
    nb::object array = KnownArrays::copy_of(std::span<const T>(values), rows);
    if (array.is_valid()) return array;
  }
  return nb::cast(to_table(std::move(values), rows));
}

}  // namespace rankmark

namespace nanobind::detail {

template <class T>
struct type_caster<rankmark::Values<T>> {
  using OtherCaster = make_caster<typename rankmark::Values<T>::Other>;
  NB_TYPE_CASTER(rankmark::Values<T>, OtherCaster::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
    constexpr bool writable = !std::is_const_v<T>;
    if (const auto* array = rankmark::KnownArrays::fields<std::remove_const_t<T>>(source.ptr(), writable)) {
      value = rankmark::Values<T>(*array);
      return true;
    }
    OtherCaster other;
    if (!other.from_python(source, flags, cleanup)) return false;
    if (reinterpret_cast<std::uintptr_t>(other.value.data()) % alignof(T) != 0) return false;
    value = rankmark::Values<T>(std::move(other.value));
    return true;
  }
};

}  // namespace nanobind::detail
