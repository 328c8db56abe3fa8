// Parquet's row groups, read and unpacked by functions of Python's where the core does not do so itself.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "convert.hpp"
#include "parquet.hpp"
#include "table.hpp"

namespace rankmark {

struct ParquetFooter {
  std::vector<ParquetGroup> groups;
  Buffers buffers;  // of all threads that read the file

  const ParquetGroup& group(std::size_t number) const;  // IndexError where there is none
};

ParquetFooter parquet_footer(const nb::bytes& footer);

// The bytes of the columns of a row group when they are not packed.
nb::dict unpacked_sizes(const ParquetFooter& footer, std::size_t group);

// `read(place, buffer)` reads bytes of the file, which has so many, and `unpack(codec, packed, size)` unpacks some.
std::unique_ptr<ParquetRows> parquet_rows(const ParquetFooter& footer, std::size_t group,
                                          const std::vector<std::string>& names,
                                          const std::vector<std::string>& formats, std::uint64_t size, nb::object read,
                                          nb::object unpack);
std::optional<Table> next_rows(ParquetRows& rows, std::int64_t most);

}  // namespace rankmark
