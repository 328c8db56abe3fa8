// The entries of dicts, where CPython keeps them.
#pragma once

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

// Whether the entries of dicts are read where they lie; otherwise each dict is read by PyDict_Next.
bool reads_dict_entries() noexcept;

}  // namespace rankmark
