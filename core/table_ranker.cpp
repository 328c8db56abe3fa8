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

template <class... Rows>
void TableRanker::append(const Rows&... rows) {
  if (numbers_are_ids_) {
    append_whole_numbers(columns_.document, rows..., numbers_);
  } else {
    texts_.append(columns_.document, rows...);
  }
  if (columns_.number) columns_.append_scores(rows..., scores_);
}

QueryCounts TableRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const Stretch> stretches,
                              std::vector<Hit>& hits) {
  start();
  for (const Stretch& stretch : stretches) append(stretch.first, stretch.first + stretch.rows);
  return rank_gathered(query, query_id, hits);
}

QueryCounts TableRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::uint32_t> rows,
                              std::vector<Hit>& hits) {
  start();
  try {
    append(rows);
  } catch (const TableFault&) {
    // Of several faults that of the first row counts.
    start();
    for (const std::int64_t row : rows) append(row, row + 1);
    throw;
  }
  return rank_gathered(query, query_id, hits);
}

QueryCounts TableRanker::rank_gathered(std::uint32_t query, std::string_view query_id, std::vector<Hit>& hits) {
  const std::span<const std::int64_t> numbers = numbers_;
  const std::span<const std::string_view> texts = texts_.texts();
  const std::size_t rows = numbers_are_ids_ ? numbers.size() : texts.size();
  const std::span<const double> scores = columns_.number ? scores_ : places_.of(rows);
  return numbers_are_ids_ ? ranker_.rank(query, query_id, numbers, scores, hits)
                          : ranker_.rank(query, query_id, texts, scores, hits);
}

}  // namespace rankmark
