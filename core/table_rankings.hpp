// Judgments and runs that stand in a table, a row a document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

  // Appends what orders rows begin to end, or rows in any places, which rise: the greatest first. There is a number.
  void append_scores(std::int64_t begin, std::int64_t end, std::vector<double>& scores) const;
  void append_scores(std::span<const std::uint32_t> rows, std::vector<double>& scores) const;

  IdColumn query, document;
  std::optional<NumberColumn> number;
  bool by_rank;
};

// Adds the rows of a table to judgments. Throws TableFault.
void add_table_qrels(JudgmentsBuilder& builder, const Table& table, const ChosenColumns& columns, const Poll& poll);

// Throws TableFault, and DuplicateFault where a query holds a document twice.
Judgments read_table_qrels(const Table& table, const ChosenColumns& columns, const Poll& poll);
AlignedRun align_table(const Table& table, const ChosenColumns& columns, const Judgments& judgments,
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
