// The rankings of several runs brought together, query by query: each document once, with its place in every list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poll.hpp"
#include "prefetch.hpp"
#include "ranking.hpp"
#include "rankings.hpp"
#include "table.hpp"

namespace rankmark {

// Documents of one query stand behind another's, those of a query in the order in which its lists name them first.
class United {
 public:
  // `queries` has a row for each run: the numbers of the queries in it, or -1 for one that it does not answer.
  United(std::span<const Rankings* const> runs, std::span<const std::int64_t> queries, int threads, const Poll& poll);

  std::size_t runs() const noexcept { return runs_; }
  std::size_t queries() const noexcept { return starts_.size() - 1; }
  std::size_t documents() const noexcept { return static_cast<std::size_t>(starts_.back()); }
  // (queries + 1,): where the documents of each query begin.
  const std::vector<std::int64_t>& starts() const noexcept { return starts_; }
  // (runs, documents): the row of the document in the run's list of the query, from 0, or -1.
  const std::vector<std::int32_t>& at() const noexcept { return at_; }
  const Rankings::List& list(std::size_t run, std::size_t query) const noexcept { return lists_[query * runs_ + run]; }
  const std::string& query_id(std::size_t query) const noexcept { return query_ids_[query]; }
  // Of a document, numbered among those of all queries; it lies where its list keeps it.
  std::string_view id(std::size_t document) const noexcept { return ids_[document]; }
  // Asks for the memory of the id of a document that comes a little behind this row of documents.
  void expect_id(std::span<const std::int64_t> documents, std::size_t row) const noexcept {
    constexpr std::size_t kAhead = 16;
    if (row + kAhead < documents.size()) {
      prefetch(ids_[static_cast<std::size_t>(documents[row + kAhead])].data());
    }
  }

 private:
  std::size_t runs_;
  std::vector<std::int64_t> starts_{0};
  std::vector<std::int32_t> at_;
  std::vector<std::string_view> ids_;
  std::vector<Rankings::List> lists_;  // of a query those of all runs, and so on
  std::vector<std::string> query_ids_;
};

// One run's lists of the queries behind one another.
struct ListColumns {
  std::vector<std::int64_t> starts;  // (queries + 1,)
  std::vector<double> scores;        // (rows,)
  std::vector<std::int32_t> first, last;
};
ListColumns columns_of_run(const United& united, std::size_t run);

// The documents by query, and within a query by score, the highest first: their numbers.
std::vector<std::int64_t> order_of(const United& united, std::span<const double> scores, Ties ties, int threads,
                                   const Poll& poll);

// A table with the columns query_id, doc_id and score: a row for each of some documents, which stand query by query.
Table table_of(const United& united, std::span<const std::int64_t> documents, std::span<const double> scores,
               int threads, const Poll& poll);

// The same rows as lines `query Q0 document rank score tag`, a text for each query, from rank 1 on. None where an id,
// or the tag, is empty or holds a blank, or a query begins like a comment.
std::optional<std::vector<std::string>> lines_of(const United& united, std::span<const std::int64_t> documents,
                                                 std::span<const double> scores, std::string_view tag, int threads,
                                                 const Poll& poll);

}  // namespace rankmark
