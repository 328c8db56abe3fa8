// The Arrow C data and stream interfaces: structures that any producer fills in the same way.
// https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html
#pragma once

#include <cstdint>

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

// Takes all chunks of a stream of tables; their memory is kept, not copied. The stream itself stays
// the caller's to release. Throws StreamFault where the producer fails or gives something else.
Table read_stream(ArrowArrayStream& stream, const Poll& poll);

// Takes one table; both structures are moved from: the array is released when the table goes, the schema at once.
Table read_array(ArrowSchema& schema, ArrowArray& array);

}  // namespace rankmark
