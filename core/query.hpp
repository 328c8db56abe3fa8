// One query's documents as they were retrieved, all of them at hand: matched and ranked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "judgments.hpp"
#include "ranking.hpp"
#include "written_numbers.hpp"

namespace rankmark {

// Ranks one query after another, keeping its scratch space; one for each thread.
class QueryRanker {
 public:
  QueryRanker(const Judgments& judgments, const RankingOptions& options)
      : judgments_(judgments), options_(options), ranker_(options) {}

  // `query` is its number in the judgments, or kUnjudged: then only the documents are looked through.
  // Ids are text, or whole numbers that stand for their digits. Appends the hits. Throws DuplicateFault
  // where a document stands twice and should not.
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                   std::span<const double> scores, std::vector<Hit>& hits);
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::int64_t> ids,
                   std::span<const double> scores, std::vector<Hit>& hits);

 private:
  template <class Id>
  QueryCounts rank_ids(std::uint32_t query, std::string_view query_id, std::span<const Id> ids,
                       std::span<const double> scores, std::vector<Hit>& hits);
  // Leaves one row of each document, with its hash, ready to be looked up.
  template <class Id>
  void leave_out_duplicates(std::span<const Id>& ids, std::span<const double>& scores);
  // Calls `use` with each document that the query has seen.
  template <class Use>
  void each_seen(std::string_view query_id, const Use& use) const;
  // Leaves out all rows but those of `kept_`, which rise.
  template <class Id>
  void keep(std::span<const Id>& ids, std::span<const double>& scores);

  const Judgments& judgments_;
  RankingOptions options_;
  Ranker ranker_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;
  std::vector<Match> matches_;
  WrittenNumbers written_;
  std::vector<std::uint32_t> kept_;
  std::vector<std::size_t> dropped_;  // rows that are not there, rising
  // What ids and scores become where they do not stay as they were given.
  std::tuple<std::vector<std::string_view>, std::vector<std::int64_t>> own_ids_;
  std::vector<double> own_scores_;
};

}  // namespace rankmark
