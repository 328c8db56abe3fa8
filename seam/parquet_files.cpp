// Parquet's row groups, read without the interpreter lock but for what Python does.
#include "parquet_files.hpp"

#include <utility>

namespace rankmark {
namespace {

// A function of Python's, which may be let go on any thread.
using Function = std::shared_ptr<const nb::object>;

Function kept(nb::object function) {
  return Function(new nb::object(std::move(function)), [](const nb::object* own) {
    const Locked locked;
    delete own;
  });
}

OwnedBytes owned_bytes(const nb::object& object) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(object.ptr(), view.get(), PyBUF_SIMPLE) != 0) nb::raise_python_error();
  const std::string_view bytes(static_cast<const char*>(view->buf), static_cast<std::size_t>(view->len));
  const std::shared_ptr<const void> owner(view.release(), [](Py_buffer* own) {
    const Locked locked;
    const nb::error_scope kept;  // letting go may run Python code, which must not meet an error on its way
    PyBuffer_Release(own);
    delete own;
  });
  return {owner, bytes};
}

// Memory for the time of a call, to read or to write.
nb::object lent(char* bytes, std::size_t size, int use) {
  return nb::steal(owned(PyMemoryView_FromMemory(bytes, static_cast<Py_ssize_t>(size), use)));
}

}  // namespace

const ParquetGroup& ParquetFooter::group(std::size_t number) const {
  if (number >= groups.size()) throw nb::index_error("the file has no such row group");
  return groups[number];
}

ParquetFooter parquet_footer(const nb::bytes& footer) {
  return {parquet_groups(std::string_view(footer.c_str(), footer.size())), Buffers()};
}

nb::dict unpacked_sizes(const ParquetFooter& footer, std::size_t group) {
  nb::dict sizes;
  for (const ParquetChunk& chunk : footer.group(group).columns) {
    if (chunk.is_read) sizes[decoded(chunk.name)] = chunk.unpacked;
  }
  return sizes;
}

std::unique_ptr<ParquetRows> parquet_rows(const ParquetFooter& footer, std::size_t group,
                                          const std::vector<std::string>& names,
                                          const std::vector<std::string>& formats, std::uint64_t size, nb::object read,
                                          nb::object unpack) {
  ParquetInput input{
      size,
      [function = kept(std::move(read))](std::uint64_t place, std::span<char> into) {
        const Locked locked;
        (*function)(place, lent(into.data(), into.size(), PyBUF_WRITE));
      },
      [function = kept(std::move(unpack))](std::int64_t codec, std::string_view packed, std::size_t unpacked) {
        const Locked locked;
        char* const bytes = const_cast<char*>(packed.data());  // which is lent for reading only
        return owned_bytes((*function)(codec, lent(bytes, packed.size(), PyBUF_READ), unpacked));
      }};
  return std::make_unique<ParquetRows>(footer.group(group), names, formats, std::move(input), footer.buffers);
}

std::optional<Table> next_rows(ParquetRows& rows, std::int64_t most) {
  const Unlocked unlocked;
  return rows.next(most);
}

}  // namespace rankmark
