// Whether dicts lie in memory as is known here: tried on some of each kind.
#include "dict_entries.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace rankmark {

// CPython 3.11 to 3.14 have one layout of keys, which is not part of its interface (Include/internal/pycore_dict.h).
// Without the interpreter's lock there is one more field, and dicts are copied anyway.
#if defined(RANKMARK_NO_DICT_ENTRIES) || defined(Py_GIL_DISABLED) || defined(PYPY_VERSION) || \
    PY_VERSION_HEX >= 0x030F0000

bool reads_dict_entries() noexcept { return false; }
bool holds_only_text(PyObject*) noexcept { return false; }
std::span<const DictEntry> entries_of(PyObject*) noexcept { return {}; }
EntryFinder::EntryFinder(PyObject*) noexcept : slots_(nullptr), mask_(0), bytes_(1) {}

#else

namespace {

// The beginning of a dict's keys. The indices follow, and then the entries.
struct KeysFields {
  Py_ssize_t references;
  std::uint8_t log2_size, log2_index_bytes, kind;
  std::uint32_t version;
  Py_ssize_t usable, entries;
};
constexpr std::uint8_t kTextKeys = 1;

const KeysFields& keys_of(PyObject* dict) noexcept {
  return *reinterpret_cast<const KeysFields*>(reinterpret_cast<const PyDictObject*>(dict)->ma_keys);
}

// A dict whose values lie apart, as those of an object's attributes, is of a kind of its own.
bool has_text_keys(PyObject* dict) noexcept {
  return reinterpret_cast<const PyDictObject*>(dict)->ma_values == nullptr && keys_of(dict).kind == kTextKeys;
}

bool finds_all(PyObject* dict) noexcept {
  const EntryFinder finder(dict);
  if (!finder.is_sound()) return false;
  const std::span<const DictEntry> entries = entries_of(dict);
  for (std::size_t place = 0; place < entries.size(); ++place) {
    const Py_hash_t hash = PyObject_Hash(entries[place].key);
    if (finder.find(entries[place].key, hash) != place) return false;
    const Py_hash_t other = static_cast<Py_hash_t>(~static_cast<std::size_t>(hash));  // of a key that is not there
    if (finder.find(nullptr, other) != entries.size()) return false;
  }
  return true;
}

// Whether a dict, from which nothing was removed last, is as it should be.
bool is_as_expected(PyObject* dict, std::size_t removed) noexcept {
  if (!has_text_keys(dict)) return false;
  const KeysFields& keys = keys_of(dict);
  const auto size = static_cast<std::size_t>(PyDict_Size(dict));
  if (keys.log2_size > 20 || keys.log2_index_bytes > 22 || keys.log2_index_bytes < keys.log2_size) return false;
  if (keys.entries != static_cast<Py_ssize_t>(size + removed) || keys.usable < 0) return false;
  std::size_t rows = 0;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  for (const DictEntry& entry : entries_of(dict)) {
    if (entry.value == nullptr) continue;
    if (PyDict_Next(dict, &at, &key, &value) == 0 || entry.key != key || entry.value != value) return false;
    ++rows;
  }
  return rows == size && (removed > 0 || finds_all(dict));
}

bool is_known_of_size(int size) {
  const auto key = [](int number) { return nb::str(std::to_string(number).c_str()); };
  nb::dict dict;
  for (int i = 0; i < size; ++i) dict[key(i)] = nb::float_(i);
  if (!is_as_expected(dict.ptr(), 0)) return false;
  const int removed = (size + 2) / 3;
  for (int i = 0; i < size; i += 3) nb::del(dict[key(i)]);
  if (!is_as_expected(dict.ptr(), static_cast<std::size_t>(removed))) return false;
  dict[nb::int_(1)] = nb::float_(0.0);
  return !has_text_keys(dict.ptr());
}

// Whether a dict of attributes, whose values may lie in the object, is none of ours or as expected.
bool is_known_of_attributes() {
  const nb::object type = nb::module_::import_("builtins").attr("type")("Object", nb::tuple(), nb::dict());
  const nb::object one = type();
  for (const char* name : {"first", "second", "third"}) one.attr(name) = nb::float_(1.0);
  const nb::object dict = one.attr("__dict__");
  return !has_text_keys(dict.ptr()) || is_as_expected(dict.ptr(), 0);
}

bool are_small_known() noexcept try {
  for (const int size : {1, 5, 6, 90, 100, 1000}) {
    if (!is_known_of_size(size)) return false;
  }
  return is_known_of_attributes();
} catch (const std::exception&) {
  return false;
}

bool are_large_known() noexcept try { return is_known_of_size(70000); } catch (const std::exception&) {
  return false;
}

// Whether something is as it should be; tried once.
class Known {
 public:
  constexpr explicit Known(bool (*trial)() noexcept) : trial_(trial) {}
  bool operator()() noexcept {
    int found = found_.load(std::memory_order_relaxed);
    if (found < 0) found_.store(found = trial_() ? 1 : 0, std::memory_order_relaxed);
    return found == 1;
  }

 private:
  bool (*trial_)() noexcept;
  std::atomic<int> found_{-1};
};

Known small_known{are_small_known};
Known large_known{are_large_known};  // tried when there is one, as that takes milliseconds

// Whether indices have four bytes, as from some 40,000 entries on.
bool is_large(PyObject* dict) noexcept { return keys_of(dict).log2_index_bytes > keys_of(dict).log2_size + 1; }

}  // namespace

bool reads_dict_entries() noexcept { return small_known() && large_known(); }

bool holds_only_text(PyObject* dict) noexcept {
  return small_known() && has_text_keys(dict) && (!is_large(dict) || large_known());
}

std::span<const DictEntry> entries_of(PyObject* dict) noexcept {
  const KeysFields& keys = keys_of(dict);
  const char* const indices = reinterpret_cast<const char*>(&keys + 1);
  const char* const entries = indices + (std::size_t{1} << keys.log2_index_bytes);
  return {reinterpret_cast<const DictEntry*>(entries), static_cast<std::size_t>(keys.entries)};
}

EntryFinder::EntryFinder(PyObject* dict) noexcept : entries_(entries_of(dict)) {
  const KeysFields& keys = keys_of(dict);
  slots_ = &keys + 1;
  mask_ = (std::uint64_t{1} << keys.log2_size) - 1;
  bytes_ = 1 << (keys.log2_index_bytes - keys.log2_size);
}

bool EntryFinder::is_sound() const noexcept {
  std::size_t free = 0;
  for (std::uint64_t slot = 0; slot <= mask_; ++slot) {
    const std::int64_t place = place_in(slot);
    if (place < kFree || place >= static_cast<std::int64_t>(entries_.size())) return false;
    free += place == kFree ? 1 : 0;
  }
  return free > 0 && free + entries_.size() == mask_ + 1;
}

#endif

}  // namespace rankmark
