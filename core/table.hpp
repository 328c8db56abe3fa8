// Rows in memory, as columns: Arrow's arrays where they lie, and plain arrays in the same shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fault.hpp"

namespace rankmark {

// How the values of a column lie in memory.
enum class Storage : std::uint8_t {
  text32,  // bytes, and 32-bit offsets into them
  text64,  // the same with 64-bit offsets
  view,    // Arrow's string views: short text in place, long text by reference
  uuid,    // 16 bytes
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  decimal,  // of 4, 8, 16 or 32 bytes
  bits,     // truth values, a bit each
  bytes,    // truth values, a byte each
  unreadable,
};

// A part of a column that lies in one piece.
struct Piece {
  std::int64_t first = 0, length = 0;       // rows of the table
  std::int64_t offset = 0;                  // where the first of them stands in the buffers
  const std::uint8_t* valid = nullptr;      // a bit a value; null where none is missing
  const void* values = nullptr;             // numbers, offsets or views
  const char* text = nullptr;               // the bytes that offsets point into
  const void* const* buffers = nullptr;     // those that views point into,
  std::int64_t texts = 0;                   // how many there are,
  const void* text_sizes = nullptr;         // and 64-bit numbers of the bytes in each
  bool foreign = false;                     // whether somebody else made it, who may break his promises
  std::shared_ptr<const Piece> dictionary;  // then, `values` are places in it
  Storage storage = Storage::unreadable;    // of the values, or of the dictionary's places
  int width = 0, scale = 0;                 // of decimals: bytes, and digits that follow the point

  Storage storage_of_values() const noexcept { return dictionary ? dictionary->storage : storage; }
};

struct TableColumn {
  std::string name, format;  // the format in Arrow's letters
  std::vector<Piece> pieces;
};

struct Table {
  std::vector<TableColumn> columns;
  std::int64_t rows = 0;
  std::vector<std::shared_ptr<const void>> owners;  // of the memory
  std::uint32_t queries = 0;                        // those called 0, 1, ... are there, whether or not rows name them
};

// A value that is missing or cannot be used. No row means the column as a whole.
struct TableFault : TextFault {
  TableFault(std::size_t column, std::optional<std::int64_t> row, Message message)
      : TextFault(std::move(message)), column(column), row(row) {}

  std::size_t column;
  std::optional<std::int64_t> row;
};

// The same table, with numbers in memory of its own; text is never written to where it lies.
Table copied(const Table& table);

// Adds the rows of a table with as many columns, where they lie. Throws LimitFault for more rows than a table has.
void append_table(Table& table, const Table& more);

// What Arrow calls a type, as a storage; unreadable where it holds neither ids nor numbers.
Storage storage_of(std::string_view format) noexcept;

// How many bytes a number takes; 0 for what is no number, or has no bytes of its own.
std::size_t width_of(Storage storage) noexcept;

// Whether a float of so many binary digits is a whole number that no other could have been rounded to.
bool is_whole(double number, int digits = 53) noexcept;

// The first of the bits begin to end that says that a value is missing, or -1.
std::int64_t first_missing(const std::uint8_t* valid, std::int64_t begin, std::int64_t end) noexcept;

// A column whose values may be read: what can be seen of what its producer promised was looked at, so that nothing
// leads out of its buffers. Whoever reads values takes one, and so cannot read what was not looked at. Texts are looked
// at when they are handed out, by the thread that reads them. Its table is to stay as it is.
class CheckedColumn {
 public:
  std::size_t number() const noexcept { return number_; }  // of the column in its table
  std::int64_t rows() const noexcept { return rows_; }
  const TableColumn& operator*() const noexcept { return *column_; }
  const TableColumn* operator->() const noexcept { return column_; }

  // Refuses texts that lie outside of their buffers: those from one place in the buffers of a piece to another, or
  // those of rows.
  template <class... Places>
  void check_texts(const Piece& piece, const Places&... places) const {
    if (piece.foreign && piece.storage <= Storage::view && !piece.dictionary) check_foreign_texts(piece, places...);
  }

 protected:
  enum class Use { ids, numbers };
  // Refuses columns of other types, missing values, and broken promises.
  CheckedColumn(const Table& table, std::size_t number, Use use);

 private:
  void check_foreign_texts(const Piece& piece, std::int64_t from, std::int64_t to) const;
  // A row and the shift give its place.
  void check_foreign_texts(const Piece& piece, std::span<const std::uint32_t> rows, std::int64_t shift) const;

  const TableColumn* column_;
  std::size_t number_;
  std::int64_t rows_;
};

struct IdColumn : CheckedColumn {
  IdColumn(const Table& table, std::size_t number) : CheckedColumn(table, number, Use::ids) {}
};

struct NumberColumn : CheckedColumn {
  NumberColumn(const Table& table, std::size_t number) : CheckedColumn(table, number, Use::numbers) {}
};

// The ids of some rows as text: text where it lies, whole numbers written out into memory of its own.
class Ids {
 public:
  explicit Ids(std::size_t most_rows) : texts_(most_rows) {}

  // What was appended goes.
  void start();
  void append(const IdColumn& column, std::int64_t begin, std::int64_t end);
  // The ids of rows in any places, which rise.
  void append(const IdColumn& column, std::span<const std::uint32_t> rows);

  std::span<const std::string_view> texts() const noexcept { return std::span(texts_).first(size_); }

  // The id of one row, in place of all that was appended.
  std::string_view only(const IdColumn& column, std::int64_t row) {
    start();
    append(column, row, row + 1);
    return texts_[0];
  }

 private:
  template <class Number>
  std::string_view written(Number number);
  std::string_view copied(std::string_view text);
  // For so many more values. What was written before stays where it is, as texts point into it.
  template <class Value>
  void make_room(std::size_t values);
  // `row()` says in which row of the table the value stands.
  template <class Value, class Row>
  std::string_view text_of(const IdColumn& column, const Piece& piece, const Value& value, const Row& row);

  // Makes room for so many more texts, and gives where they go.
  std::string_view* more(std::size_t rows) {
    if (texts_.size() - size_ < rows) texts_.resize(2 * texts_.size() + rows);
    size_ += rows;
    return texts_.data() + (size_ - rows);
  }

  std::vector<std::string_view> texts_;  // more than there are
  std::size_t size_ = 0;
  std::vector<std::vector<char>> written_;  // the last of them has room
  std::size_t used_ = 0;                    // bytes of the last
};

// Whether all ids of a column are numbers that 64 bits with a sign can hold; then they need not be
// written out.
bool holds_whole_numbers(const IdColumn& column) noexcept;
// The lowest and the highest; nothing lies between them where some ids are others, or there are none.
std::pair<std::int64_t, std::int64_t> range_of(const IdColumn& column);
void append_whole_numbers(const CheckedColumn& column, std::int64_t begin, std::int64_t end,
                          std::vector<std::int64_t>& numbers);
void append_whole_numbers(const CheckedColumn& column, std::span<const std::uint32_t> rows,
                          std::vector<std::int64_t>& numbers);

// Segments of rows with one id, among one lot of rows after another.
class IdSegments {
 public:
  void find(const IdColumn& column, std::int64_t begin, std::int64_t end);
  std::size_t size() const noexcept { return bounds_.size() - 1; }

  // Calls `use(id, first, end)` for each; `end` is the row behind its last.
  template <class Use>
  void each(const IdColumn& column, const Use& use) {
    for (std::size_t i = 0; i < size(); ++i) use(ids_.only(column, bounds_[i]), bounds_[i], bounds_[i + 1]);
  }

 private:
  std::vector<std::int64_t> bounds_;
  Ids ids_{1};
};

// The first row that holds a whole number which no double holds, or -1.
std::int64_t first_inexact(const NumberColumn& column);
// Refuses such a row.
void check_exact(const NumberColumn& column, bool labels);

// Appends the numbers of rows begin to end. Throws TableFault for NaN, unless it is let through.
void append_numbers(const NumberColumn& column, std::int64_t begin, std::int64_t end, std::vector<double>& numbers,
                    bool nan_too = false);
// The numbers of rows in any places, which rise.
void append_numbers(const NumberColumn& column, std::span<const std::uint32_t> rows, std::vector<double>& numbers);

}  // namespace rankmark
