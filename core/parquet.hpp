// Columns of Parquet files as nearly all writers write them: not nested, nothing missing, plain or with a dictionary.
// Whatever else a file may hold is left to a reader of all of Parquet. https://parquet.apache.org/docs/file-format/
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "buffers.hpp"
#include "table.hpp"

namespace rankmark {

// Something damaged, or that is not read here; a reader of all of Parquet knows which of the two.
class ParquetFault : public std::exception {
 public:
  const char* what() const noexcept override { return "Parquet that is damaged, or has more than is read here"; }
};

// Bytes that stay where they are for as long as they are owned.
struct OwnedBytes {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
};

struct ParquetInput {
  std::uint64_t size = 0;  // of the file, in bytes
  // Reads so many bytes from a place on, which the file has.
  std::function<void(std::uint64_t, std::span<char>)> read;
  // Unpacks bytes that this codec of the format packed, which is not Snappy, to so many.
  std::function<OwnedBytes(std::int64_t, std::string_view, std::size_t)> unpack;
};

// A column of a row group.
struct ParquetChunk {
  std::string name;
  std::int64_t type = -1, codec = -1;        // as the format numbers them
  std::int64_t values = -1;                  //
  std::int64_t packed = -1, unpacked = -1;   // bytes of its pages
  std::int64_t dictionary = 0, data = -1;    // places in the file
  bool is_optional = false, is_read = true;  // whether it may have nulls, and can be read here
};

struct ParquetGroup {
  std::int64_t rows = -1;
  std::vector<ParquetChunk> columns;
};

// The row groups of a file and their columns, in order, from its footer. Throws ParquetFault.
std::vector<ParquetGroup> parquet_groups(std::string_view footer);

// The rows of a row group, as one table after another.
class ParquetRows {
 public:
  // Columns and their formats, in Arrow's letters. Throws ParquetFault.
  ParquetRows(const ParquetGroup& group, const std::vector<std::string>& names, const std::vector<std::string>& formats,
              ParquetInput input, Buffers buffers);
  ParquetRows(const ParquetRows&) = delete;
  ParquetRows& operator=(const ParquetRows&) = delete;
  ~ParquetRows();

  // The next rows, at most so many; none at the end. Throws ParquetFault, and what the input throws.
  std::optional<Table> next(std::int64_t most);

 private:
  class Column;

  ParquetInput input_;
  Buffers buffers_;
  std::vector<Column> columns_;
  std::int64_t left_;
};

}  // namespace rankmark
