// The target of runs that are read query by query: each query's hits, in judgment order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "ids.hpp"
#include "judgments.hpp"
#include "query.hpp"
#include "ranking.hpp"

namespace rankmark {

// Where ranked queries go: hits by judged query, and the ids of the others.
class AlignedQueries {
 public:
  using Rows = std::vector<Hit>;

  struct Outcome {
    std::uint32_t query;  // number in Judgments, or kUnjudged
    QueryCounts counts;
  };

  class Ranker {
   public:
    Ranker(const Judgments& judgments, const RankingOptions& options)
        : judgments_(judgments), ranker_(judgments, options) {}

    template <class Ids>
    Outcome operator()(std::string_view query_id, const Ids& ids, std::span<const double> scores, Rows& hits) {
      const std::uint32_t query = judgments_.find_query(query_id);
      return {query, ranker_.rank(query, query_id, ids, scores, hits)};
    }

   private:
    const Judgments& judgments_;
    QueryRanker ranker_;
  };

  AlignedQueries(const Judgments& judgments, const RankingOptions& options)
      : judgments_(judgments), options_(options), columns_(judgments.queries()) {}

  Ranker ranker() const { return {judgments_, options_}; }
  bool needs_hashes() const { return !options_.units.tell_repeats(); }

  bool put(std::string_view id, const Outcome& outcome, const Rows& hits, std::size_t first, std::size_t count) {
    if (outcome.query == Judgments::kUnjudged) {
      const std::uint32_t known = run_only_.size();
      run_only_.find_or_add(id);
      return run_only_.size() > known;
    }
    if (columns_.has(outcome.query)) return false;
    columns_.put(outcome.query, outcome.counts, {hits.data() + first, count});
    return true;
  }

  void expect(std::string_view id) {
    if (judgments_.find_query(id) == Judgments::kUnjudged) run_only_.find_or_add(id);
  }

  void replace(std::string_view, const Outcome& outcome, const Rows& hits, std::size_t first, std::size_t count) {
    if (outcome.query == Judgments::kUnjudged) return;
    columns_.put(outcome.query, outcome.counts, {hits.data() + first, count});
  }

  AlignedRun finish(std::int64_t rows, std::int64_t extra_columns, std::int64_t interleaved) {
    AlignedRun run{std::move(columns_).finish(), rows, extra_columns, 0, {}, interleaved};
    run.name_others(run_only_);
    return run;
  }

 private:
  const Judgments& judgments_;
  const RankingOptions& options_;
  AlignedColumnsBuilder columns_;
  IdTable run_only_;
};

}  // namespace rankmark
