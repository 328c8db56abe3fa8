// Text taken out of Python's objects: memory is slow here and little is done with it, so it is asked for early.
#include "object_columns.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "parallel.hpp"
#include "prefetch.hpp"
#include "tables.hpp"

namespace rankmark {
namespace {

constexpr std::int64_t kFewestRows = std::int64_t{1} << 14, kMostRows = std::int64_t{1} << 18;  // of a slice
constexpr std::int64_t kAhead = 16;  // objects whose memory is asked for before they are read
constexpr std::int64_t kBetweenSignals = std::int64_t{1} << 22;  // rows

// A view of an array's memory, given back when it goes.
class Buffer {
 public:
  explicit Buffer(PyObject* array) {
    held_ = PyObject_CheckBuffer(array) != 0 && PyObject_GetBuffer(array, &view_, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
    if (!held_) taken_failure();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (held_) PyBuffer_Release(&view_);
  }

  bool holds_objects() const noexcept {
    return held_ && view_.ndim == 1 && view_.format != nullptr && std::string_view(view_.format) == "O";
  }
  std::int64_t rows() const noexcept { return view_.shape[0]; }
  PyObject* operator[](std::int64_t row) const noexcept {
    PyObject* object = nullptr;
    std::memcpy(static_cast<void*>(&object), static_cast<const char*>(view_.buf) + row * view_.strides[0],
                sizeof(void*));
    return object;
  }

 private:
  Py_buffer view_{};
  bool held_ = false;
};

// The text of some rows.
class Slice {
 public:
  // Reads text alone, and no Python code runs; false where a row holds something else, or too much.
  bool read_text(const Buffer& objects, std::int64_t begin, std::int64_t end);
  // Reads whatever is an id; throws NoIdFault.
  void read_ids(const Buffer& objects, std::int64_t begin, std::int64_t end, std::size_t column);

  Piece piece(std::int64_t first) const;

 private:
  // Appends the text of a string as UTF-8; false for lone surrogates, which have none.
  template <class Unit>
  bool append_encoded(const Unit* units, std::int64_t count);
  char* room_for(std::size_t bytes) {
    if (bytes_.size() - used_ < bytes) bytes_.resize(std::max(2 * bytes_.size(), used_ + bytes));
    return bytes_.data() + used_;
  }

  std::vector<char> bytes_;
  std::size_t used_ = 0;
  std::vector<std::int32_t> ends_;  // with a 0 before them
  std::string long_bytes_;
  std::vector<std::int64_t> long_ends_;  // those of read_ids, which may need more digits
};

// Most ids are short, and a call for each would take longer than the copy.
inline void copy_short(char* to, const char* from, std::size_t size) noexcept {
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    std::uint64_t first = 0, last = 0;
    std::memcpy(&first, from, 8);
    std::memcpy(&last, from + size - 8, 8);
    std::memcpy(to, &first, 8);
    std::memcpy(to + size - 8, &last, 8);
  } else if (size >= 4) {
    std::uint32_t first = 0, last = 0;
    std::memcpy(&first, from, 4);
    std::memcpy(&last, from + size - 4, 4);
    std::memcpy(to, &first, 4);
    std::memcpy(to + size - 4, &last, 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
  }
}

bool Slice::read_text(const Buffer& objects, std::int64_t begin, std::int64_t end) {
  const auto rows = static_cast<std::size_t>(end - begin);
  ends_.resize(rows + 1);
  bytes_.resize(8 * rows);
  used_ = 0;
  for (std::int64_t row = begin; row < end; ++row) {
    if (row + kAhead < end) {
      const char* const next = reinterpret_cast<const char*>(objects[row + kAhead]);
      prefetch(next);
      prefetch(next + sizeof(PyASCIIObject));
    }
    PyObject* const object = objects[row];
    if (object == nullptr || PyUnicode_Check(object) == 0) return false;
#if PY_VERSION_HEX < 0x030c0000
    if (PyUnicode_IS_READY(object) == 0) return false;  // in a form that only old extensions make
#endif
    const auto count = static_cast<std::int64_t>(PyUnicode_GET_LENGTH(object));
    const void* const data = PyUnicode_DATA(object);
    if (PyUnicode_IS_ASCII(object)) {
      const auto size = static_cast<std::size_t>(count);
      copy_short(room_for(size), static_cast<const char*>(data), size);
      used_ += size;
    } else {
      const int kind = PyUnicode_KIND(object);
      const bool encoded = kind == 1   ? append_encoded(static_cast<const Py_UCS1*>(data), count)
                           : kind == 2 ? append_encoded(static_cast<const Py_UCS2*>(data), count)
                                       : append_encoded(static_cast<const Py_UCS4*>(data), count);
      if (!encoded) return false;
    }
    if (used_ > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) return false;
    ends_[static_cast<std::size_t>(row - begin) + 1] = static_cast<std::int32_t>(used_);
  }
  return true;
}

template <class Unit>
bool Slice::append_encoded(const Unit* units, std::int64_t count) {
  char* to = room_for(4 * static_cast<std::size_t>(count));
  char* const before = to;
  const auto put = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t code = units[i];
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6);
      put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      if (code >= 0xd800 && code < 0xe000) return false;
      put(0xe0 | code >> 12);
      put(0x80 | (code >> 6 & 0x3f));
      put(0x80 | (code & 0x3f));
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
      put(0x80 | (code >> 6 & 0x3f));
      put(0x80 | (code & 0x3f));
    }
  }
  used_ += static_cast<std::size_t>(to - before);
  return true;
}

void Slice::read_ids(const Buffer& objects, std::int64_t begin, std::int64_t end, std::size_t column) {
  bytes_ = {};
  ends_ = {};
  long_ends_.assign(1, 0);
  for (std::int64_t row = begin; row < end; ++row) {
    const nb::object id = objects[row] == nullptr ? nb::none() : borrowed(objects[row]);
    nb::object failure = nb::none();
    if (!append_id(id.ptr(), long_bytes_, failure)) throw NoIdFault{column, row, id, failure};
    long_ends_.push_back(static_cast<std::int64_t>(long_bytes_.size()));
  }
}

Piece Slice::piece(std::int64_t first) const {
  const bool is_long = !long_ends_.empty();
  Piece piece;
  piece.first = first;
  piece.length = static_cast<std::int64_t>(is_long ? long_ends_.size() : ends_.size()) - 1;
  piece.storage = is_long ? Storage::text64 : Storage::text32;
  piece.values = is_long ? static_cast<const void*>(long_ends_.data()) : ends_.data();
  piece.text = is_long ? long_bytes_.data() : bytes_.data();
  return piece;
}

}  // namespace

std::optional<TableColumn> column_of_objects(const nb::object& array, std::size_t number, int threads, Table& table) {
  const Buffer objects(array.ptr());
  if (!objects.holds_objects()) return std::nullopt;
  const std::int64_t rows = objects.rows();
  const std::int64_t step = std::clamp(rows / (4 * std::max(threads, 1)), kFewestRows, kMostRows);
  const auto slices = std::make_shared<std::vector<Slice>>(static_cast<std::size_t>((rows + step - 1) / step));
  const auto at_once = static_cast<std::size_t>(kBetweenSignals / step);
  const auto begin_of = [&](std::size_t slice) { return static_cast<std::int64_t>(slice) * step; };
  const auto end_of = [&](std::size_t slice) { return std::min(begin_of(slice) + step, rows); };
  std::vector<std::uint8_t> is_text(at_once);
  TableColumn column{"", "U", {}};
  for (std::size_t first = 0; first < slices->size(); first += at_once) {
    const std::size_t last = std::min(first + at_once, slices->size());
    share_out(last - first, threads, nullptr, [&] {
      return [&](std::uint64_t at) {
        const std::size_t slice = first + at;
        is_text[at] = (*slices)[slice].read_text(objects, begin_of(slice), end_of(slice)) ? 1 : 0;
      };
    });
    for (std::size_t slice = first; slice < last; ++slice) {
      if (is_text[slice - first] == 0) (*slices)[slice].read_ids(objects, begin_of(slice), end_of(slice), number);
      column.pieces.push_back((*slices)[slice].piece(begin_of(slice)));
    }
    let_signals_through(0);
  }
  if (column.pieces.empty()) column.pieces.emplace_back().storage = Storage::text64;
  table.owners.push_back(slices);
  return column;
}

}  // namespace rankmark
