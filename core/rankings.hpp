// Whole rankings by query, and two of them brought together.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ids.hpp"
#include "poll.hpp"
#include "ranking.hpp"
#include "rows_by_id.hpp"
#include "units.hpp"

namespace rankmark {

// A document with the first and the last rank, from 1, of its tie.
struct RankedDocument {
  IdSpan id;
  std::uint64_t hash;
  double score;
  std::int32_t tie_first, tie_last;
};

// Documents of one query behind another's, each best first. Those that tie stand together.
struct RankedDocuments {
  std::string bytes;  // of the ids
  std::vector<RankedDocument> rows;

  std::size_t size() const noexcept { return rows.size(); }
};

struct ListOptions {
  std::optional<Ties> broken;  // the order of documents with equal scores; without one, they tie
  std::int64_t deepest = std::numeric_limits<std::int64_t>::max();  // documents behind this rank are not kept
  bool negated = false;  // lower scores are better, and are kept with the other sign
  UnitOptions units = {};

  // The same, where the document of each unit is given.
  ListOptions of_units_in(const Parents& documents) const {
    ListOptions mapped = *this;
    mapped.units.parents = &documents;
    return mapped;
  }
};

// What a list was made of.
struct ListCounts {
  std::int64_t tied = 0;   // documents that share their score
  std::int64_t rises = 0;  // of the scores in the order given; see rises_of
  std::int64_t given = 0;  // documents, also those that are not kept
  UnitCounts units = {};   // of those that were given in place of documents
};

// Puts one query's documents in order after another's, keeping its scratch space; one for each thread.
class ListRanker {
 public:
  explicit ListRanker(const ListOptions& options) : options_(options), units_(options.units) {}

  // Appends documents, best first; in place of units, theirs. Those that share their score count as tied, whether or
  // not that is broken. Throws DuplicateFault where an id stands twice, unless they are known to be `distinct`.
  ListCounts rank(std::string_view query_id, std::span<const std::string_view> ids, std::span<const double> scores,
                  RankedDocuments& ranked, bool distinct = false);

 private:
  void hash(std::span<const std::string_view> ids);
  // Fills rows_ with those that are not behind the deepest rank, best first.
  void select(std::span<const double> scores);

  ListOptions options_;
  UnitMapper units_;
  std::vector<std::uint64_t> hashes_;
  std::vector<double> negated_;
  RowsById rows_by_id_;
  std::vector<std::uint32_t> rows_;
};

// Rankings of many queries, numbered in the order in which they came. Documents stay where they were
// ranked: they are many.
class Rankings {
 public:
  struct List {
    std::shared_ptr<const RankedDocuments> documents;
    std::size_t first = 0, count = 0;
    ListCounts counts = {};

    const RankedDocument& operator[](std::size_t row) const noexcept { return documents->rows[first + row]; }
    std::string_view id(std::size_t row) const noexcept { return (*this)[row].id.in(documents->bytes.data()); }
  };

  const IdTable& queries() const noexcept { return queries_; }
  const List& list(std::uint32_t query) const noexcept { return lists_[query]; }

  bool has(std::string_view query_id) const noexcept { return queries_.find(query_id) != IdTable::kAbsent; }
  // A query that is there already gets this list in place of its own.
  void put(std::string_view query_id, List list);

 private:
  IdTable queries_;
  std::vector<List> lists_;
};

// Rows of a run: the numbers of each one's query and document in lists of ids, and its score.
struct RunRows {
  std::span<const std::uint32_t> queries;
  std::span<const std::string_view> query_ids;
  std::span<const std::uint32_t> documents;
  std::span<const std::string_view> document_ids;
  std::span<const double> scores;
};

// Ranks every query of the list of ids, in its order. Throws DuplicateFault.
Rankings rank_rows(const RunRows& rows, const ListOptions& options, const Poll& poll);

// Pairs of rankings, item by item: row by row those of a, and those of b. `at` is the row of b that
// holds the document of a row of a, or -1.
struct Paired {
  std::vector<std::int64_t> starts_a, starts_b;                // (pairs + 1,)
  std::vector<std::int32_t> first_a, last_a, first_b, last_b;  // (rows,)
  std::vector<std::int64_t> at;                                // (rows of a,)
};

// Pairs the rankings of queries, which are numbers, or -1 for an empty ranking.
Paired paired(const Rankings& a, const Rankings& b, std::span<const std::int64_t> queries_a,
              std::span<const std::int64_t> queries_b, int threads, const Poll& poll);

}  // namespace rankmark
