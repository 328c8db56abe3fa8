// Judgments and runs that stand in a table, a row a document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "columns.hpp"
#include "judgments.hpp"
#include "poll.hpp"
#include "ranking.hpp"
#include "table.hpp"

namespace rankmark {

// Which column holds what. Without a number, judged documents have label 1, and retrieved ones stand
// best first.
struct ChosenColumns {
  std::size_t query = 0, document = 0;
  std::optional<std::size_t> number;
  bool by_rank = false;  // the number is a rank: lower is better
};

// The same, looked at. Throws TableFault.
struct CheckedColumns {
  CheckedColumns(const Table& table, const ChosenColumns& chosen);

  IdColumn query, document;
  std::optional<NumberColumn> number;
  bool by_rank;
};

struct TableRun {
  AlignedColumns columns;
  std::int64_t run_only = 0;                   // queries that nobody judged
  std::vector<std::string> run_only_examples;  // the first three
  std::int64_t rows = 0;
  std::int64_t interleaved = 0;  // queries whose rows do not stand together
};

// Adds the rows of a table to judgments. Throws TableFault.
void add_table_qrels(JudgmentsBuilder& builder, const Table& table, const ChosenColumns& columns, const Poll& poll);

// Throws TableFault, and DuplicateFault where a query holds a document twice.
Judgments read_table_qrels(const Table& table, const ChosenColumns& columns, const Poll& poll);
TableRun align_table(const Table& table, const ChosenColumns& columns, const Judgments& judgments,
                     const RankingOptions& ranking, int threads, const Poll& poll);

// The first two rows that hold a document for a query, counted from 0.
std::vector<std::int64_t> rows_of(const Table& table, const ChosenColumns& columns, std::string_view query,
                                  std::string_view document);

// The rows of one query in their order, and the documents there.
struct QueryRows {
  std::vector<std::int64_t> rows;      // counted from 0
  std::vector<std::string> documents;  // ids, one a row
};
QueryRows rows_of_query(const Table& table, const ChosenColumns& columns, std::string_view query, int threads,
                        const Poll& poll);

// The ids of a column, numbered in the order in which they came.
struct Numbered {
  std::vector<std::uint32_t> codes;  // a row
  IdTable ids;
};
Numbered numbered(const Table& table, std::size_t column, const Poll& poll);

}  // namespace rankmark
