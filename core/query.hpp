// One query's documents as they were retrieved, all of them at hand: matched and ranked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "ranking.hpp"
#include "written_numbers.hpp"

namespace rankmark {

// Ranks one query after another, keeping its scratch space; one for each thread.
class QueryRanker {
 public:
  QueryRanker(const Judgments& judgments, const RankingOptions& options)
      : judgments_(judgments), drop_self_(options.drop_self), ranker_(options) {}

  // `query` is its number in the judgments, or kUnjudged: then only the documents are looked through.
  // Ids are text, or whole numbers that stand for their digits. Appends the hits. Throws DuplicateFault
  // where a document stands twice.
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                   std::span<const double> scores, std::vector<Hit>& hits);
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::int64_t> ids,
                   std::span<const double> scores, std::vector<Hit>& hits);

 private:
  template <class Id>
  QueryCounts rank_ids(std::uint32_t query, std::string_view query_id, std::span<const Id> ids,
                       std::span<const double> scores, std::vector<Hit>& hits);
  // Leaves out a row, which must be none of the matches, from ids and scores.
  template <class Id>
  void leave_out(std::size_t row, std::span<const Id>& ids, std::span<const double>& scores, std::vector<Id>& others);

  const Judgments& judgments_;
  bool drop_self_;
  Ranker ranker_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;
  std::vector<Match> matches_;
  WrittenNumbers written_;
  std::vector<std::string_view> other_texts_;  // without the query's own
  std::vector<std::int64_t> other_numbers_;
  std::vector<double> other_scores_;
};

}  // namespace rankmark
