// Queries ranked by several threads, the outcome in judgment order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "parallel.hpp"
#include "poll.hpp"
#include "ranking.hpp"

namespace rankmark {

// Calls `work(q)` for q from 0 to `queries`; `make_worker` makes the `work` of one thread.
template <class MakeWorker>
void share_out_queries(std::uint32_t queries, int threads, const Poll& poll, const MakeWorker& make_worker) {
  constexpr std::uint64_t kAtOnce = 16;  // queries that a thread takes at a time
  share_out((queries + kAtOnce - 1) / kAtOnce, threads, poll, [&] {
    return [queries, work = make_worker()](std::uint64_t piece) mutable {
      const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>((piece + 1) * kAtOnce, queries));
      for (auto q = static_cast<std::uint32_t>(piece * kAtOnce); q < end; ++q) work(q);
    };
  });
}

// Ranks `queries`, of which the first `judged` may have hits. `make_ranker` makes the `rank` of one
// thread; `rank(q, hits)` appends the query's hits and gives its counts, or none for a query that is
// not to be kept.
template <class MakeRanker>
AlignedColumns rank_queries(std::uint32_t queries, std::uint32_t judged, int threads, const Poll& poll,
                            const MakeRanker& make_ranker) {
  struct Ranked {
    std::uint32_t query;
    QueryCounts counts;
    std::size_t hits;
  };
  struct Part {
    std::vector<Ranked> ranked;
    std::vector<Hit> hits;
  };
  std::deque<Part> parts;  // one a thread, which stays where it is
  std::mutex mutex;
  share_out_queries(queries, threads, poll, [&] {
    const std::scoped_lock lock(mutex);
    return [&part = parts.emplace_back(), rank = make_ranker()](std::uint32_t query) mutable {
      const std::size_t before = part.hits.size();
      const std::optional<QueryCounts> counts = rank(query, part.hits);
      if (counts) part.ranked.push_back({query, *counts, part.hits.size() - before});
    };
  });
  AlignedColumnsBuilder built(judged);
  for (const Part& part : parts) {
    std::size_t hit = 0;
    for (const Ranked& one : part.ranked) {
      built.put(one.query, one.counts, {part.hits.data() + hit, one.hits});
      hit += one.hits;
    }
  }
  return std::move(built).finish();
}

}  // namespace rankmark
