// The Arrow C data and stream interfaces: structures that any producer fills in the same way.
// https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "poll.hpp"
#include "table.hpp"

extern "C" {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

}  // extern "C"

namespace rankmark {

struct ArrowField {
  std::string name, format, words;  // words: what a dictionary holds, or nothing
};

// A stream of tables, taken over from its producer. Throws StreamFault where that fails or gives something else.
class TableStream {
 public:
  explicit TableStream(ArrowArrayStream& taken);
  TableStream(const TableStream&) = delete;
  TableStream& operator=(const TableStream&) = delete;
  ~TableStream();

  // The columns, without rows.
  const Table& empty() const noexcept { return empty_; }
  // The next table, whose memory is kept, not copied; none at the end.
  std::optional<Table> next();
  // Gives the stream back to its producer, as is done at the end and after an error; nothing is left then. A producer
  // in Python may itself be collected as garbage, and must not be called after that.
  void close() noexcept;
  // All that is left, as one table.
  Table rest(const Poll& poll);

 private:
  bool append_next(Table& table);
  void check(int failed);

  ArrowArrayStream stream_;
  std::vector<ArrowField> fields_;
  Table empty_;
  std::int64_t before_ = 0;  // rows of earlier tables
};

// Takes one table; both structures are moved from: the array is released when the table goes, the schema at once.
Table read_array(ArrowSchema& schema, ArrowArray& array);

}  // namespace rankmark
