// Tables: Arrow data by its capsules, and columns of Python's own making.
#pragma once

#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>

#include <memory>
#include <variant>

#include "arrow.hpp"
#include "convert.hpp"
#include "judgments.hpp"
#include "table.hpp"
#include "table_rankings.hpp"

namespace rankmark {

// Capsules of the Arrow C interfaces; anything else is a StreamFault.
Table table_from_stream(nb::handle stream);
std::unique_ptr<TableStream> table_stream(nb::handle stream);
std::optional<Table> next_table(TableStream& stream);
Table table_from_array(nb::handle schema, nb::handle array);

// `columns` are NumPy arrays of numbers, whose memory is kept, lists of ids and arrays of objects that are ids, which
// become text, and tuples of bytes, which are ids as files have them, whether or not they are Unicode. The first so
// many `queries`, called 0, 1, ..., are there, whether or not rows name them.
Table table_from_columns(const nb::list& names, const nb::list& columns, std::uint32_t queries, int threads);

// IndexError for a column that the table has not.
ChosenColumns columns_of(const Table& table, std::size_t query, std::size_t document, std::optional<std::size_t> number,
                         bool by_rank);

Judgments qrels_from_table(const Table& table, std::size_t query, std::size_t document,
                           std::optional<std::size_t> label);

nb::tuple align_columns(const Table& table, std::size_t query, std::size_t document, std::optional<std::size_t> number,
                        bool by_rank, const Judgments& judgments, const RankingOptions& ranking, int threads);

std::vector<std::int64_t> rows_of_pair(const Table& table, std::size_t query, std::size_t document,
                                       const nb::bytes& query_id, const nb::bytes& doc_id);

nb::tuple query_rows(const Table& table, std::size_t query, std::size_t document, const nb::bytes& query_id,
                     int threads);

nb::tuple numbered_ids(const Table& table, std::size_t column);
// As doubles, where they lie if they are; or as the whole numbers that they are, where doubles do not hold them.
using Numbers = std::variant<Array<double>, Array<std::int64_t>, Array<std::uint64_t>>;
Numbers column_numbers(const Table& table, std::size_t column);
// The rows as {query: {document: number}}, in their order.
nb::dict nested_rows(const Table& table, std::size_t query, std::size_t document, std::size_t number);

// Thrown for an object in a column of ids that is none; Python words it. `failure` is the error that its own
// code raised, or None.
struct NoIdFault {
  std::size_t column;
  std::int64_t row;
  nb::object found, failure;
};

// Adds an id to `text`; false where the object is none, with the error that its own code raised, if any.
bool append_id(PyObject* id, std::string& text, nb::object& failure);

}  // namespace rankmark
