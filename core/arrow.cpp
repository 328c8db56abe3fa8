// Chunks of Arrow data as pieces of columns.
#include "arrow.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "arrow_types.hpp"
#include "fault.hpp"

namespace rankmark {
namespace {

// Owns a structure of the interface: a producer's memory goes when its release is called.
template <class T>
class Held {
 public:
  Held() { value.release = nullptr; }
  explicit Held(T& taken) : value(taken) { taken.release = nullptr; }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value.release != nullptr) value.release(&value);
  }

  T value;
};

// What the metadata of a field has under a key: four bytes that count the pairs, then four bytes and text for each key
// and for each value.
std::string_view metadata_of(const ArrowSchema& field, std::string_view key) {
  const char* p = field.metadata;
  if (p == nullptr) return {};
  const auto number = [&] {
    std::int32_t read = 0;
    std::memcpy(&read, p, sizeof read);
    p += sizeof read;
    return read;
  };
  const auto text = [&] {
    const std::int32_t size = number();
    const std::string_view read(p, static_cast<std::size_t>(size < 0 ? 0 : size));
    p += read.size();
    return read;
  };
  for (std::int32_t left = number(); left > 0; --left) {
    const std::string_view name = text(), value = text();
    if (name == key) return value;
  }
  return {};
}

std::string format_of(const ArrowSchema& field) {
  if (field.format == nullptr) throw StreamFault("the producer names no type for a column");
  const bool uuid = metadata_of(field, "ARROW:extension:name") == "arrow.uuid";
  return std::string(uuid && std::string_view(field.format) == "w:16" ? kUuidFormat : field.format);
}

std::string words_of(const ArrowSchema& field) {
  if (field.dictionary == nullptr) return "";
  return field.dictionary->dictionary == nullptr ? format_of(*field.dictionary) : "dictionary of dictionaries";
}

// The columns of a table, or of a chunk of it.
template <class T>
std::span<T* const> children_of(const T& parent) {
  if (parent.n_children < 0 || (parent.n_children > 0 && parent.children == nullptr)) {
    throw StreamFault("the producer gives a table whose columns are missing");
  }
  const std::span<T* const> children(parent.children, static_cast<std::size_t>(parent.n_children));
  for (const T* const child : children) {
    if (child == nullptr) throw StreamFault("the producer gives a table whose columns are missing");
  }
  return children;
}

std::vector<ArrowField> fields_of(const ArrowSchema& schema) {
  if (schema.release == nullptr) throw StreamFault("the producer gives a schema that was released");
  if (format_of(schema) != "+s") {
    throw StreamFault("a single column of " + held_by_type(format_of(schema)), "give a table with columns");
  }
  std::vector<ArrowField> fields;
  for (const ArrowSchema* const child : children_of(schema)) {
    fields.push_back({child->name == nullptr ? "" : child->name, format_of(*child), words_of(*child)});
  }
  return fields;
}

// What the interface promises of lengths; where it is broken, reading on would leave the producer's memory. No memory
// holds as many values as would make the places of their bytes overflow.
void check_lengths(const ArrowArray& array) {
  constexpr std::int64_t kMost = std::int64_t{1} << 56;
  if (array.length < 0 || array.offset < 0 || array.n_buffers < 0 || array.length > kMost || array.offset > kMost) {
    throw StreamFault("the producer gives a column of " + std::to_string(array.length) + " rows from " +
                      std::to_string(array.offset) + " on");
  }
  if (array.n_buffers > 0 && array.buffers == nullptr) throw StreamFault("the producer gives a column without buffers");
}

// Null where nothing is missing; a count of -1 means that nobody counted.
const std::uint8_t* valid_of(const ArrowArray& array) {
  return array.null_count == 0 || array.n_buffers < 1 ? nullptr : static_cast<const std::uint8_t*>(array.buffers[0]);
}

Piece piece_of(const ArrowArray& array, std::string_view format) {
  check_lengths(array);
  Piece piece;
  piece.foreign = true;
  piece.offset = array.offset;
  piece.length = array.length;
  piece.storage = storage_of(format);
  if (piece.storage == Storage::unreadable) return piece;
  const bool by_offsets = piece.storage == Storage::text32 || piece.storage == Storage::text64;
  const bool by_view = piece.storage == Storage::view;
  if (array.n_buffers < (by_offsets ? 3 : 2)) throw StreamFault("a column has fewer buffers than its type needs");
  piece.valid = valid_of(array);
  piece.values = array.buffers[1];
  if (by_offsets) piece.text = static_cast<const char*>(array.buffers[2]);
  if (by_view) {
    piece.buffers = array.buffers + 2;  // the texts, and behind them their lengths
    piece.texts = std::max<std::int64_t>(array.n_buffers - 3, 0);
    if (piece.texts > 0) piece.text_sizes = array.buffers[array.n_buffers - 1];
  }
  if (piece.storage == Storage::decimal) {
    const DecimalType type = decimal_type_of(format);
    piece.width = type.width;
    piece.scale = type.scale;
  }
  return piece;
}

// `before` counts the rows of earlier tables of its stream.
void add_chunk(Table& table, const ArrowArray& chunk, const std::vector<ArrowField>& fields, std::int64_t before = 0) {
  if (chunk.n_children != static_cast<std::int64_t>(fields.size())) {
    throw StreamFault("a chunk of the table has another number of columns than its schema");
  }
  check_lengths(chunk);
  const auto columns = children_of(chunk);
  if (chunk.length == 0) return;
  constexpr std::int64_t kMostRows = std::numeric_limits<std::uint32_t>::max();
  if (chunk.length >= kMostRows - table.rows) {
    throw StreamFault("a table of more than four thousand million rows");
  }
  const std::int64_t missing = first_missing(valid_of(chunk), chunk.offset, chunk.offset + chunk.length);
  if (missing >= 0) {
    throw StreamFault("row " + std::to_string(before + table.rows + missing - chunk.offset) +
                      " (from 0) is null as a whole; drop the row, or fill it");
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ArrowArray& array = *columns[i];
    check_lengths(array);
    if (array.length < chunk.offset + chunk.length) throw StreamFault("a column is shorter than the table");
    Piece piece = piece_of(array, fields[i].format);
    if (!fields[i].words.empty()) {
      if (array.dictionary == nullptr) throw StreamFault("a dictionary is missing");
      piece.dictionary = std::make_shared<const Piece>(piece_of(*array.dictionary, fields[i].words));
    }
    piece.first = table.rows;
    piece.length = chunk.length;  // a table may be a slice of longer columns
    piece.offset += chunk.offset;
    table.columns[i].pieces.push_back(std::move(piece));
  }
  table.rows += chunk.length;
}

Table empty_table(const std::vector<ArrowField>& fields) {
  Table table;
  for (const ArrowField& field : fields) {
    table.columns.push_back({field.name, field.words.empty() ? field.format : field.words, {}});
  }
  return table;
}

}  // namespace

TableStream::TableStream(ArrowArrayStream& taken) : stream_(taken) {
  taken.release = nullptr;
  try {
    if (stream_.get_schema == nullptr || stream_.get_next == nullptr) {
      throw StreamFault("the producer gives a stream without its functions");
    }
    Held<ArrowSchema> schema;
    check(stream_.get_schema(&stream_, &schema.value));
    fields_ = fields_of(schema.value);
    empty_ = empty_table(fields_);
  } catch (...) {
    close();
    throw;
  }
}

TableStream::~TableStream() { close(); }

void TableStream::close() noexcept {
  if (stream_.release != nullptr) stream_.release(&stream_);
  stream_.release = nullptr;
}

void TableStream::check(int failed) {
  if (failed == 0) return;
  const char* message = stream_.get_last_error == nullptr ? nullptr : stream_.get_last_error(&stream_);
  throw StreamFault(message == nullptr ? "the producer of the table failed" : message);
}

bool TableStream::append_next(Table& table) {
  if (stream_.release == nullptr) return false;
  const auto chunk = std::make_shared<Held<ArrowArray>>();
  try {
    check(stream_.get_next(&stream_, &chunk->value));
    if (chunk->value.release != nullptr) add_chunk(table, chunk->value, fields_, before_);
  } catch (...) {
    close();
    throw;
  }
  if (chunk->value.release == nullptr) {
    close();
    return false;
  }
  table.owners.push_back(chunk);
  return true;
}

std::optional<Table> TableStream::next() {
  Table table = empty_;
  if (!append_next(table)) return std::nullopt;
  before_ += table.rows;
  return table;
}

Table TableStream::rest(const Poll& poll) {
  Table table = empty_;
  Polling polling(poll);
  do {
    polling(static_cast<std::uint64_t>(table.rows));
  } while (append_next(table));
  return table;
}

Table read_array(ArrowSchema& schema, ArrowArray& array) {
  const Held<ArrowSchema> fields_owner(schema);
  const auto chunk = std::make_shared<Held<ArrowArray>>(array);
  const std::vector<ArrowField> fields = fields_of(fields_owner.value);
  Table table = empty_table(fields);
  add_chunk(table, chunk->value, fields);
  table.owners.push_back(chunk);
  return table;
}

}  // namespace rankmark
