// The rows of one query of a table, gathered from wherever they stand and ranked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "query.hpp"
#include "table.hpp"
#include "table_queries.hpp"
#include "table_rankings.hpp"

namespace rankmark {

// Ranks queries of a table, gathering each one's rows; one for each thread.
class TableRanker {
 public:
  TableRanker(const CheckedColumns& columns, const Judgments& judgments, const RankingOptions& ranking);

  // `query` is its number in the judgments, or kUnjudged. Appends the hits.
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const Stretch> stretches,
                   std::vector<Hit>& hits);
  // The same for rows that stand alone, rising.
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::uint32_t> rows,
                   std::vector<Hit>& hits);

 private:
  void start();
  // The rows from a first one to that behind the last, or rows in any places, which rise.
  template <class... Rows>
  void append(const Rows&... rows);
  QueryCounts rank_gathered(std::uint32_t query, std::string_view query_id, std::vector<Hit>& hits);

  const CheckedColumns& columns_;
  bool numbers_are_ids_;
  QueryRanker ranker_;
  Ids texts_{1024};
  std::vector<std::int64_t> numbers_;
  std::vector<double> scores_;
  PlaceScores places_;
};

}  // namespace rankmark
