// One query's rows brought together from a table's columns.
#include "table_ranker.hpp"

namespace rankmark {

TableRanker::TableRanker(const CheckedColumns& columns, const Judgments& judgments, const RankingOptions& ranking)
    : columns_(columns), numbers_are_ids_(holds_whole_numbers(columns.document)), ranker_(judgments, ranking) {}

void TableRanker::start() {
  texts_.start();
  numbers_.clear();
  scores_.clear();
}

void TableRanker::append(const Stretch& stretch) {
  const std::int64_t end = stretch.first + stretch.rows;
  if (numbers_are_ids_) {
    append_whole_numbers(columns_.document, stretch.first, end, numbers_);
  } else {
    texts_.append(columns_.document, stretch.first, end);
  }
  if (columns_.number) append_numbers(*columns_.number, stretch.first, end, scores_);
}

QueryCounts TableRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const Stretch> stretches,
                              std::vector<Hit>& hits) {
  std::size_t rows = 0;
  for (const Stretch& stretch : stretches) rows += static_cast<std::size_t>(stretch.rows);
  start();
  for (const Stretch& stretch : stretches) append(stretch);
  return rank_gathered(query, query_id, rows, hits);
}

QueryCounts TableRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::uint32_t> rows,
                              std::vector<Hit>& hits) {
  start();
  try {
    if (numbers_are_ids_) {
      append_whole_numbers(columns_.document, rows, numbers_);
    } else {
      texts_.append(columns_.document, rows);
    }
    if (columns_.number) append_numbers(*columns_.number, rows, scores_);
  } catch (const TableFault&) {
    // Of several faults that of the first row counts.
    start();
    for (const std::uint32_t row : rows) append({row, 1, query});
    throw;
  }
  return rank_gathered(query, query_id, rows.size(), hits);
}

QueryCounts TableRanker::rank_gathered(std::uint32_t query, std::string_view query_id, std::size_t rows,
                                       std::vector<Hit>& hits) {
  if (!columns_.number) {
    for (std::size_t row = 0; row < rows; ++row) scores_.push_back(-static_cast<double>(row));
  } else if (columns_.by_rank) {
    for (double& score : scores_) score = -score;
  }
  if (numbers_are_ids_) return ranker_.rank(query, query_id, std::span<const std::int64_t>(numbers_), scores_, hits);
  return ranker_.rank(query, query_id, texts_.texts(), scores_, hits);
}

}  // namespace rankmark
