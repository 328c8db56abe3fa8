// The entries of dicts, where CPython keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "convert.hpp"

namespace rankmark {

// An entry whose key is a str; it was removed if there is no value.
struct DictEntry {
  PyObject *key, *value;
};

// Whether all keys of a dict are of the type str itself, which CPython notes in the dict. False, too, where that cannot
// be told: in a dict that once had other keys, and where dicts do not lie in memory as is known here.
bool holds_only_text(PyObject* dict) noexcept;

// The entries of such a dict, in order, for as long as nobody changes it. PyDict_Next would read the hash of each key,
// and wait for memory that nobody needs.
std::span<const DictEntry> entries_of(PyObject* dict) noexcept;

// Finds the entries of such a dict, from which nothing was removed, by their keys; for as long as nobody changes it.
// Asking the dict itself takes three times as long.
class EntryFinder {
 public:
  explicit EntryFinder(PyObject* dict) noexcept;

  // The place of the entry with a key, a str, or the number of entries.
  std::size_t find(PyObject* key, Py_hash_t hash) const noexcept {
    std::uint64_t rest = static_cast<std::uint64_t>(hash);
    for (std::uint64_t slot = rest & mask_;; slot = (5 * slot + (rest >>= kShift) + 1) & mask_) {
      const std::int64_t place = place_in(slot);
      if (place == kFree) return entries_.size();
      if (place >= 0 && is(entries_[static_cast<std::size_t>(place)].key, key, hash)) {
        return static_cast<std::size_t>(place);
      }
    }
  }

  // Whether all slots hold places of entries, and some are free, so that every search ends.
  bool is_sound() const noexcept;

 private:
  static constexpr std::int64_t kFree = -1;
  static constexpr int kShift = 5;

  std::int64_t place_in(std::uint64_t slot) const noexcept {
    switch (bytes_) {
      case 1: return static_cast<const std::int8_t*>(slots_)[slot];
      case 2: return static_cast<const std::int16_t*>(slots_)[slot];
      case 4: return static_cast<const std::int32_t*>(slots_)[slot];
      default: return static_cast<const std::int64_t*>(slots_)[slot];
    }
  }
  // Nearly always two that are equal are one object, or their texts are compared.
  static bool is(PyObject* held, PyObject* key, Py_hash_t hash) noexcept {
    return held == key || (reinterpret_cast<PyASCIIObject*>(held)->hash == hash && PyUnicode_Compare(held, key) == 0);
  }

  std::span<const DictEntry> entries_;
  const void* slots_;
  std::uint64_t mask_;
  int bytes_;  // of a slot
};

// Whether the entries of dicts are read where they lie; otherwise each dict is read by PyDict_Next.
bool reads_dict_entries() noexcept;

}  // namespace rankmark
