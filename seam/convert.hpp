// Between Python's objects and the core's: arrays, ids, options, columns.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "blocks.hpp"
#include "columns.hpp"
#include "ids.hpp"
#include "inlining.hpp"
#include "numbers.hpp"
#include "ranking.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankmark {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

// Hands a vector's memory to NumPy, read-only and without a copy.
template <class T>
Array<T> to_array(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(kept->data(), {kept->size()}, owner);
}

// Shows NumPy values that stay where they are for as long as their owner lives.
template <class T>
Array<T> array_in(std::span<const T> values, nb::handle owner) {
  return Array<T>(values.data(), {values.size()}, owner);
}

// Hands over rows of equal length.
template <class T>
nb::ndarray<nb::numpy, const T, nb::ndim<2>> to_table(std::vector<T>&& values, std::size_t rows) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, const T, nb::ndim<2>>(kept->data(), {rows, kept->size() / rows}, owner);
}

// Refuses values that do not stand where the processor may expect them, as in a view of bytes.
template <class T>
void check_aligned(const T* values) {
  if (reinterpret_cast<std::uintptr_t>(values) % alignof(T) != 0) throw nb::value_error("an array must be aligned");
}

template <class T>
std::span<T> span_of(const nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>& array) {
  check_aligned(array.data());
  return {array.data(), array.size()};
}

// A thread that asks for the interpreter's lock while the interpreter ends, a daemon's say, never gets it. From Python
// 3.14 on it waits for the process to end. Before, it is ended by unwinding its stack, which C++ code cannot survive:
// the whole process would be aborted. So it waits here. That is a destructor's task, as the unwinding may not be caught
// while another exception is being handled; and no inlining, as cleaning up may be left out of what must not throw.
[[noreturn]] inline void wait_forever() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

class WaitsForever {
 public:
  WaitsForever() = default;
  WaitsForever(const WaitsForever&) = delete;
  WaitsForever& operator=(const WaitsForever&) = delete;
  ~WaitsForever() {
    if (unwinding_) wait_forever();
  }
  void dismiss() { unwinding_ = false; }

 private:
  bool unwinding_ = true;
};

inline bool is_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

RANKMARK_NOT_INLINE inline PyGILState_STATE locked_or_never() {
  // Near its end the interpreter forgets its threads, and a thread it does not know may no longer be made known to it.
  if (PyGILState_GetThisThreadState() == nullptr && is_ending()) wait_forever();
  WaitsForever unless_locked;
  const PyGILState_STATE state = PyGILState_Ensure();
  unless_locked.dismiss();
  return state;
}

RANKMARK_NOT_INLINE inline void restored_or_never(PyThreadState* state) {
  WaitsForever unless_restored;
  PyEval_RestoreThread(state);
  unless_restored.dismiss();
}

// The interpreter's lock is released.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() { restored_or_never(state_); }

 private:
  PyThreadState* state_;
};

// The interpreter's lock is held, on any thread.
class Locked {
 public:
  Locked() : state_(locked_or_never()) {}
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  ~Locked() {
    // Code of others that was called here may have let go of the lock, and not have got it back.
    if (PyGILState_Check() == 0) wait_forever();
    PyGILState_Release(state_);
  }

 private:
  PyGILState_STATE state_;
};

// Takes what a function of Python's own made; its error goes on as it is.
inline PyObject* owned(PyObject* made) {
  if (made == nullptr) nb::raise_python_error();
  return made;
}

// Takes the error that an object's own code raised, so that Python can say where it struck. What is
// meant for somebody else, Ctrl-C say, goes on.
nb::object taken_failure();

inline nb::object borrowed(PyObject* object) { return nb::borrow<nb::object>(object); }

// A dict that no other thread changes while it is walked: the caller's own under the interpreter's lock, else a copy.
inline nb::object unchanging(PyObject* dict) {
#if defined(Py_GIL_DISABLED)
  return nb::steal(owned(PyDict_Copy(dict)));
#else
  return borrowed(dict);
#endif
}

nb::str decoded(std::string_view bytes);

std::optional<std::string_view> encoded_utf8_of(PyObject* text);

// The bytes of a str, where Python keeps them; none where it is no Unicode text. Those of ASCII lie in the str itself.
inline std::optional<std::string_view> utf8_of(PyObject* text) {
  if (!PyUnicode_Check(text) || !PyUnicode_IS_COMPACT_ASCII(text)) return encoded_utf8_of(text);
  const auto* const ascii = static_cast<const char*>(PyUnicode_DATA(text));
  return std::string_view(ascii, static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)));
}

// The double that an int is; none where it is one of no double, or not known to be. A bool is an int.
inline std::optional<double> exact_whole(PyObject* whole) {
#if PY_VERSION_HEX >= 0x030C0000
  const auto* const held = reinterpret_cast<const PyLongObject*>(whole);
  if (PyUnstable_Long_IsCompact(held)) return static_cast<double>(PyUnstable_Long_CompactValue(held));
#elif !defined(PYPY_VERSION)
  const Py_ssize_t size = Py_SIZE(whole);  // in digits, with the sign
  if (size >= -1 && size <= 1) return static_cast<double>(size * reinterpret_cast<PyLongObject*>(whole)->ob_digit[0]);
#endif
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole, &overflow);
  if (overflow != 0 || std::llabs(value) >= static_cast<long long>(kExactWhole)) return std::nullopt;
  return static_cast<double>(value);
}

using IdTuple = nb::typed<nb::tuple, nb::str, nb::ellipsis>;  // as the stub shows it

template <class IdOf>
IdTuple ids(std::size_t count, const IdOf& id) {
  nb::list list;
  for (std::uint32_t number = 0; number < count; ++number) list.append(decoded(id(number)));
  return nb::tuple(list);
}

// The numbers of some ids; -1 where an id is not in the table.
Array<std::int64_t> numbers_of_ids(const IdTable& table, const nb::list& wanted);

// Lets Ctrl-C through.
void let_signals_through(std::uint64_t done);

// Now and then: lets Ctrl-C through, and tells the caller how many bytes are done.
ReadOptions read_options(int threads, std::size_t block_size, const nb::object& progress);

// The order of documents with equal scores; ValueError for one that there is not.
Ties ties_named(std::string_view name);

// What to rank by, as Python names it; ValueError for a rule that there is not.
RankingOptions ranking_options(std::string_view ties, std::int64_t depth, bool judged_only, bool drop_self,
                               std::string_view duplicates, bool single, double lowest, std::int64_t deepest,
                               std::uint64_t memory);

// Of ids of units and those of their documents, as bytes.
Parents* parents_of(const nb::list& units, const nb::list& documents);
// Lets units with equal scores be ordered as documents are.
void order_units(UnitOptions& units, Ties ties) noexcept;
UnitOptions combined_units(UnitOptions units, std::string_view separator, std::string_view combine,
                           std::int64_t of_best, std::int64_t depth);
// The same options, of units whose documents stand before a separator.
template <class Options>
Options of_units(const Options& options, std::string_view separator, std::string_view combine, std::int64_t of_best,
                 std::int64_t depth) {
  Options mapped = options;
  mapped.units = combined_units(options.units, separator, combine, of_best, depth);
  return mapped;
}
std::string_view name_of_duplicates(const RankingOptions& options) noexcept;
std::string_view name_of_ties(const RankingOptions& options) noexcept;

nb::tuple columns_tuple(AlignedColumns&& columns);
nb::tuple run_tuple(AlignedRun&& run);

}  // namespace rankmark
