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
#include "ids.hpp"
#include "judgments.hpp"
#include "poll.hpp"
#include "query.hpp"
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

// Consecutive rows of one query.
struct Segment {
  std::int64_t first, rows;
  std::uint32_t query;  // its number
};

// The rows of each query, in their order. Numbers of queries are those of ids that are known, and above them the
// others in order of appearance.
class RowsByQuery {
 public:
  RowsByQuery(const IdColumn& column, const IdTable& known, int threads, const Poll& poll);

  std::uint32_t queries() const noexcept { return static_cast<std::uint32_t>(starts_.size()) - 1; }
  const IdTable& others() const noexcept { return others_; }

  // Whether rows of one query seldom stand together; then they are listed one by one, and not as segments.
  bool are_scattered() const noexcept { return are_scattered_; }
  std::span<const Segment> segments(std::uint32_t query) const noexcept {
    return are_scattered_ ? std::span<const Segment>() : part(segments_, query);
  }
  std::span<const std::uint32_t> rows(std::uint32_t query) const noexcept {
    return are_scattered_ ? part(rows_, query) : std::span<const std::uint32_t>();
  }

  bool has(std::uint32_t query) const noexcept { return starts_[query] < starts_[query + std::size_t{1}]; }
  // Whether rows of other queries stand between those of this one.
  bool is_interleaved(std::uint32_t query) const noexcept;

 private:
  template <class T>
  std::span<const T> part(const std::vector<T>& of, std::uint32_t query) const noexcept {
    return {of.data() + starts_[query], starts_[query + std::size_t{1}] - starts_[query]};
  }

  IdTable others_;
  std::vector<std::size_t> starts_;  // (queries + 1,)
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> rows_;
  bool are_scattered_ = false;
};

// Ranks queries of a table, gathering each one's rows; one for each thread.
class TableRanker {
 public:
  TableRanker(const CheckedColumns& columns, const Judgments& judgments, const RankingOptions& ranking);

  // `query` is its number in the judgments, or kUnjudged. Appends the hits.
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const Segment> segments,
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
