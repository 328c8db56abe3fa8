// One query's documents as they were retrieved, all of them at hand: matched and ranked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "ranking.hpp"

namespace rankmark {

// Ranks one query after another, keeping its scratch space; one for each thread.
class QueryRanker {
 public:
  QueryRanker(const Judgments& judgments, const RankingOptions& options)
      : judgments_(judgments), drop_self_(options.drop_self), ranker_(options) {}

  // `query` is its number in the judgments, or kUnjudged: then only the documents are looked through.
  // Appends the hits. Throws DuplicateFault where a document stands twice.
  QueryCounts rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                   std::span<const double> scores, std::vector<Hit>& hits);

 private:
  const Judgments& judgments_;
  bool drop_self_;
  Ranker ranker_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;
  std::vector<Match> matches_;
  std::vector<std::string_view> other_ids_;  // without the query's own
  std::vector<double> other_scores_;
};

}  // namespace rankmark
