// Tables: Arrow data by its capsules, and columns of Python's own making.
#include "tables.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>

#include "arrow.hpp"
#include "object_columns.hpp"
#include "table_rankings.hpp"

namespace rankmark {
namespace {

template <class T>
T& held_by(nb::handle capsule, const char* name) {
  if (PyCapsule_CheckExact(capsule.ptr()) == 0) {
    throw StreamFault(std::string(Py_TYPE(capsule.ptr())->tp_name) + " in place of a capsule '" + name + "'");
  }
  if (PyCapsule_IsValid(capsule.ptr(), name) == 0) {
    const char* const named = PyCapsule_GetName(capsule.ptr());
    PyErr_Clear();
    throw StreamFault(std::string("a capsule ") +
                      (named == nullptr ? "without a name" : "'" + std::string(named) + "'") + " in place of '" + name +
                      "'");
  }
  return *static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
}

// Keeps an array for as long as the core uses its memory, which may be a copy that its object made for us alone.
template <class AnyArray>
std::shared_ptr<const void> kept(AnyArray array) {
  return std::shared_ptr<const AnyArray>(new AnyArray(std::move(array)), [](const AnyArray* own) {
    const Locked locked;
    delete own;
  });
}

using AnyNumbers = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Nothing for what is no number of one of Arrow's sizes.
const char* format_of(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  const auto of_size = [&](const char* one, const char* two, const char* four, const char* eight) {
    if (type.lanes != 1) return "";
    return type.bits == 8 ? one : type.bits == 16 ? two : type.bits == 32 ? four : type.bits == 64 ? eight : "";
  };
  switch (static_cast<Code>(type.code)) {
    case Code::Bool: return of_size("B", "", "", "");  // a byte each, which Arrow has not
    case Code::Int: return of_size("c", "s", "i", "l");
    case Code::UInt: return of_size("C", "S", "I", "L");
    case Code::Float: return of_size("", "e", "f", "g");
    default: return "";
  }
}

TableColumn column_of_numbers(const AnyNumbers& array, Table& table) {
  TableColumn column{"", format_of(array.dtype()), {}};
  Piece piece;
  piece.storage = column.format == "B" ? Storage::bytes : storage_of(column.format);
  piece.length = static_cast<std::int64_t>(array.size());
  piece.values = array.data();
  column.pieces.push_back(piece);
  table.owners.push_back(kept(array));
  return column;
}

// Lets the memory go as Python's own objects do: producers may run Python code for it, which must not meet the
// error that is on its way.
void let_go_quietly(Table& table) {
  auto* const owners = new std::vector<std::shared_ptr<const void>>(std::move(table.owners));
  table.owners.clear();
  table.owners.emplace_back(owners, [](const std::vector<std::shared_ptr<const void>>* of) {
    const Locked locked;
    const nb::error_scope kept;
    delete of;
  });
}

struct Text {
  std::string bytes;
  std::vector<std::int64_t> offsets{0};

  void end_id() { offsets.push_back(static_cast<std::int64_t>(bytes.size())); }
};

TableColumn column_of_text(const std::shared_ptr<const Text>& text, Table& table) {
  Piece piece;
  piece.storage = Storage::text64;
  piece.length = static_cast<std::int64_t>(text->offsets.size()) - 1;
  piece.values = text->offsets.data();
  piece.text = text->bytes.data();
  table.owners.push_back(text);
  return {"", "U", {piece}};
}

TableColumn column_of_bytes(const nb::tuple& ids, Table& table) {
  const auto text = std::make_shared<Text>();
  text->offsets.reserve(ids.size() + 1);
  for (const nb::handle id : ids) {
    const auto bytes = nb::cast<nb::bytes>(id);
    text->bytes.append(bytes.c_str(), bytes.size());
    text->end_id();
  }
  return column_of_text(text, table);
}

TableColumn column_of_ids(const nb::list& ids, std::size_t number, Table& table) {
  const auto text = std::make_shared<Text>();
  text->offsets.reserve(ids.size() + 1);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const nb::object id = nb::steal(owned(PySequence_GetItem(ids.ptr(), static_cast<Py_ssize_t>(row))));
    nb::object failure = nb::none();
    if (!append_id(id.ptr(), text->bytes, failure)) {
      throw NoIdFault{number, static_cast<std::int64_t>(row), id, failure};
    }
    text->end_id();
  }
  return column_of_text(text, table);
}

// Ids that repeat: the distinct ones once, and for each row its place among them.
TableColumn column_of_places(const nb::dict& encoded, std::size_t number, Table& table) {
  const auto ids = nb::cast<nb::list>(encoded["ids"]);
  Input<std::int32_t> places;
  if (!nb::try_cast(nb::object(encoded["places"]), places, false)) throw nb::type_error("places are an array of int32");
  for (std::size_t row = 0; row < places.size(); ++row) {
    if (places.data()[row] < 0 || static_cast<std::size_t>(places.data()[row]) >= ids.size()) {
      throw nb::index_error("a place without an id");
    }
  }
  const TableColumn words = column_of_ids(ids, number, table);
  Piece piece;
  piece.storage = Storage::int32;
  piece.length = static_cast<std::int64_t>(places.size());
  piece.values = places.data();
  piece.dictionary = std::make_shared<const Piece>(words.pieces[0]);
  table.owners.push_back(kept(places));
  return {"", "U", {piece}};
}

}  // namespace

ChosenColumns columns_of(const Table& table, std::size_t query, std::size_t document, std::optional<std::size_t> number,
                         bool by_rank) {
  const auto there = [&](std::size_t column) { return column < table.columns.size(); };
  if (!there(query) || !there(document) || (number && !there(*number))) {
    throw nb::index_error("the table has no such column");
  }
  return {query, document, number, by_rank};
}

namespace {

// Whether all values are stored in one of the ways from `first` to `last`.
bool holds_only(const NumberColumn& column, Storage first, Storage last) {
  return std::all_of(column->pieces.begin(), column->pieces.end(), [&](const Piece& piece) {
    const Storage storage = piece.storage_of_values();
    return first <= storage && storage <= last;
  });
}

template <class Number>
Array<Number> whole_numbers(const NumberColumn& column) {
  std::vector<std::int64_t> numbers;  // the bits of numbers without a sign, too
  append_whole_numbers(column, 0, column.rows(), numbers);
  return to_array(std::vector<Number>(numbers.begin(), numbers.end()));
}

// Doubles that lie in one piece, where they lie; none where they do not.
std::optional<Array<double>> doubles_in_place(const Table& table, const NumberColumn& column) {
  if (column->pieces.size() != 1 || column->pieces[0].dictionary || column->pieces[0].storage != Storage::float64) {
    return std::nullopt;
  }
  const Piece& piece = column->pieces[0];
  const double* const first = static_cast<const double*>(piece.values) + piece.offset;
  if (reinterpret_cast<std::uintptr_t>(first) % alignof(double) != 0) return std::nullopt;
  using Owners = std::vector<std::shared_ptr<const void>>;
  const nb::capsule owner(new Owners(table.owners), [](void* of) noexcept { delete static_cast<Owners*>(of); });
  return Array<double>(first, {static_cast<std::size_t>(piece.length)}, owner);
}

bool append_text(PyObject* id, std::string& text) {
  const std::optional<std::string_view> bytes = utf8_of(id);
  if (bytes) text += *bytes;
  return bytes.has_value();
}

// False where there are more digits than Python writes.
bool append_digits(PyObject* whole, std::string& text) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(whole, &overflow);
  if (overflow == 0) {
    char digits[20];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    return true;
  }
  const nb::object written = nb::steal(PyObject_Str(whole));
  if (!written.is_valid()) taken_failure();
  return written.is_valid() && append_text(written.ptr(), text);
}

nb::object whole_number_of_float(PyObject* id) {
  const double number = PyFloat_AsDouble(id);
  const bool failed = number == -1.0 && PyErr_Occurred() != nullptr;
  return failed || !is_whole(number) ? nb::object() : nb::steal(PyLong_FromDouble(number));
}

nb::object whole_number_of_decimal(PyObject* id) {
  const nb::object ratio = nb::steal(PyObject_CallMethod(id, "as_integer_ratio", nullptr));
  if (!ratio.is_valid() || !PyTuple_Check(ratio.ptr()) || PyTuple_GET_SIZE(ratio.ptr()) != 2) return {};
  PyObject* const part = PyTuple_GET_ITEM(ratio.ptr(), 0);
  PyObject* const of = PyTuple_GET_ITEM(ratio.ptr(), 1);
  int overflow = 0;
  const bool is_whole = PyLong_Check(part) && PyLong_Check(of) && PyLong_AsLongAndOverflow(of, &overflow) == 1;
  return is_whole ? borrowed(part) : nb::object();
}

// The whole number that an object is; nothing where it is none, perhaps with the error that its own code raised.
nb::object whole_number_of(PyObject* id) {
  if (PyIndex_Check(id)) return nb::steal(PyNumber_Index(id));
  if (PyObject_HasAttrString(id, "is_integer") != 0) return whole_number_of_float(id);  // NumPy's floats among them
  if (PyObject_HasAttrString(id, "as_integer_ratio") != 0) return whole_number_of_decimal(id);
  return {};
}

}  // namespace

bool append_id(PyObject* id, std::string& text, nb::object& failure) {
  if (PyUnicode_Check(id)) return append_text(id, text);
  if (PyBool_Check(id)) return false;
  const nb::object whole = whole_number_of(id);
  if (whole.is_valid()) return append_digits(whole.ptr(), text);
  if (PyErr_Occurred() == nullptr && PyObject_HasAttrString(id, "time_hi_version") != 0) {  // a UUID
    const nb::object written = nb::steal(PyObject_Str(id));
    if (written.is_valid()) return append_text(written.ptr(), text);
  }
  failure = taken_failure();
  return false;
}

Table table_from_stream(nb::handle capsule) {
  ArrowArrayStream& stream = held_by<ArrowArrayStream>(capsule, "arrow_array_stream");
  if (stream.release == nullptr) throw StreamFault("the stream was read already");
  const Unlocked unlocked;  // a producer may need other threads, and those the lock
  Table table = TableStream(stream).rest(let_signals_through);
  let_go_quietly(table);
  return table;
}

std::unique_ptr<TableStream> table_stream(nb::handle capsule) {
  ArrowArrayStream& stream = held_by<ArrowArrayStream>(capsule, "arrow_array_stream");
  if (stream.release == nullptr) throw StreamFault("the stream was read already");
  const Unlocked unlocked;
  return std::make_unique<TableStream>(stream);
}

std::optional<Table> next_table(TableStream& stream) {
  const Unlocked unlocked;
  std::optional<Table> table = stream.next();
  if (table) let_go_quietly(*table);
  return table;
}

Table table_from_array(nb::handle schema, nb::handle array) {
  ArrowSchema& fields = held_by<ArrowSchema>(schema, "arrow_schema");
  ArrowArray& values = held_by<ArrowArray>(array, "arrow_array");
  if (fields.release == nullptr || values.release == nullptr) throw StreamFault("the array was read already");
  Table table = read_array(fields, values);
  let_go_quietly(table);
  return table;
}

namespace {

TableColumn column_of(const nb::object& values, std::size_t number, int threads, Table& table) {
  if (nb::isinstance<nb::list>(values)) return column_of_ids(nb::borrow<nb::list>(values), number, table);
  if (nb::isinstance<nb::dict>(values)) return column_of_places(nb::borrow<nb::dict>(values), number, table);
  if (nb::isinstance<nb::tuple>(values)) return column_of_bytes(nb::borrow<nb::tuple>(values), table);
  AnyNumbers array;
  if (nb::try_cast(values, array, false)) return column_of_numbers(array, table);
  if (std::optional<TableColumn> text = column_of_objects(values, number, threads, table)) return std::move(*text);
  throw nb::type_error(
      "a column is a list or an array of ids, a tuple of bytes, an array of numbers, or {ids: list, places: int32}");
}

std::string name_of_column(nb::handle name) {
  const nb::object bytes = nb::steal(owned(PyUnicode_AsEncodedString(name.ptr(), "utf-8", "backslashreplace")));
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

}  // namespace

Table table_from_columns(const nb::list& names, const nb::list& columns, std::uint32_t queries, int threads) {
  if (names.size() != columns.size()) throw nb::value_error("as many names as columns");
  Table table;
  table.queries = queries;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    TableColumn column = column_of(columns[i], i, threads, table);
    column.name = name_of_column(names[i]);
    const std::int64_t rows = column.pieces.back().first + column.pieces.back().length;
    if (i == 0) table.rows = rows;
    if (rows != table.rows) throw nb::value_error("columns must be equally long");
    if (table.rows == 0) column.pieces.clear();
    table.columns.push_back(std::move(column));
  }
  if (table.rows >= Judgments::kUnjudged)
    throw LimitFault({"more than four thousand million rows", "evaluate them in parts"});
  return table;
}

Judgments qrels_from_table(const Table& table, std::size_t query, std::size_t document,
                           std::optional<std::size_t> label) {
  const Unlocked unlocked;
  return read_table_qrels(table, columns_of(table, query, document, label, false), let_signals_through);
}

nb::tuple align_columns(const Table& table, std::size_t query, std::size_t document, std::optional<std::size_t> number,
                        bool by_rank, const Judgments& judgments, const RankingOptions& ranking, int threads) {
  AlignedRun run = [&] {
    const Unlocked unlocked;
    return align_table(table, columns_of(table, query, document, number, by_rank), judgments, ranking, threads,
                       let_signals_through);
  }();
  return run_tuple(std::move(run));
}

std::vector<std::int64_t> rows_of_pair(const Table& table, std::size_t query, std::size_t document,
                                       const nb::bytes& query_id, const nb::bytes& doc_id) {
  return rows_of(table, columns_of(table, query, document, std::nullopt, false), {query_id.c_str(), query_id.size()},
                 {doc_id.c_str(), doc_id.size()});
}

nb::tuple query_rows(const Table& table, std::size_t query, std::size_t document, const nb::bytes& query_id,
                     int threads) {
  const std::string_view id(query_id.c_str(), query_id.size());
  const ChosenColumns columns = columns_of(table, query, document, std::nullopt, false);
  QueryRows found = [&] {
    const Unlocked unlocked;
    return rows_of_query(table, columns, id, threads, let_signals_through);
  }();
  const nb::tuple documents = ids(found.documents.size(), [&](std::uint32_t row) { return found.documents[row]; });
  return nb::make_tuple(to_array(std::move(found.rows)), documents);
}

nb::tuple numbered_ids(const Table& table, std::size_t column) {
  columns_of(table, column, column, std::nullopt, false);
  Numbered all = [&] {
    const Unlocked unlocked;
    return numbered(table, column, let_signals_through);
  }();
  return nb::make_tuple(to_array(std::move(all.codes)), std::move(all.ids));
}

Numbers column_numbers(const Table& table, std::size_t number) {
  columns_of(table, number, number, std::nullopt, false);
  const NumberColumn column(table, number);
  if (std::optional<Array<double>> found = doubles_in_place(table, column)) return *found;
  if (first_inexact(column) >= 0) {
    if (holds_only(column, Storage::int8, Storage::uint32)) return whole_numbers<std::int64_t>(column);
    if (holds_only(column, Storage::uint8, Storage::uint64)) return whole_numbers<std::uint64_t>(column);
    check_exact(column, false);  // decimals may be larger than either
  }
  std::vector<double> numbers;
  append_numbers(column, 0, column.rows(), numbers, true);
  return to_array(std::move(numbers));
}

nb::dict nested_rows(const Table& table, std::size_t query, std::size_t document, std::size_t number) {
  columns_of(table, query, document, number, false);
  const IdColumn queries(table, query), documents(table, document);
  const NumberColumn numbers(table, number);
  nb::dict nested;
  IdSegments segments;
  Ids ids(0);
  std::vector<double> values;
  segments.find(queries, 0, table.rows);
  segments.each(queries, [&](std::string_view query_id, std::int64_t first, std::int64_t end) {
    ids.start();
    ids.append(documents, first, end);
    values.clear();
    append_numbers(numbers, first, end, values);
    const nb::str key = decoded(query_id);
    nb::object inner = nested.contains(key) ? nb::object(nested[key]) : nb::dict();
    nested[key] = inner;
    for (std::size_t row = 0; row < values.size(); ++row) {
      const nb::object value = nb::steal(owned(PyFloat_FromDouble(values[row])));
      if (PyDict_SetItem(inner.ptr(), decoded(ids.texts()[row]).ptr(), value.ptr()) != 0) nb::raise_python_error();
    }
  });
  return nested;
}

}  // namespace rankmark
