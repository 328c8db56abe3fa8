// A run whose rows come as one table after another: each query is ranked as soon as it ends, and its rows forgotten.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "aligned_queries.hpp"
#include "gathered_segments.hpp"
#include "judgments.hpp"
#include "poll.hpp"
#include "ranking.hpp"
#include "run_segments.hpp"
#include "table.hpp"
#include "table_rankings.hpp"

namespace rankmark {

// Used in two passes over the same tables, the second only where queries came back: `part` and `merge` for each table,
// then `close`, then `gather` for each table again, then `finish`.
class BatchedRun {
 public:
  using Part = RunPart<AlignedQueries>;

  // The number that tables have, if they have one, is a score or a rank.
  BatchedRun(const Judgments& judgments, const RankingOptions& ranking, bool has_number, bool by_rank);

  // What one table comes to, with its fault if it has one; for several threads at once. Its first and its last query
  // may go on in the neighbouring tables, and stay open.
  Part part(const Table& table, const ChosenColumns& columns) const;

  // Takes the parts in the order of their tables. Throws a part's fault once what stands before it is ranked.
  void merge(Part&& part) { merger_(std::move(part)); }
  // Ends the first pass.
  void close() { merger_.close(); }

  // How many queries came back after another query.
  std::uint32_t interleaved() const noexcept { return merger_.interleaved().size(); }
  // Adds the rows of these queries, in the order of the tables. Throws SpillFault.
  void gather(const Table& table, const ChosenColumns& columns);
  // Throws FileFault where the second pass lacks some of them, and SpillFault.
  AlignedRun finish(const Poll& poll);

 private:
  const Judgments& judgments_;
  RankingOptions ranking_;
  AlignedQueries target_;
  RunMerger<AlignedQueries> merger_;
  GatheredSegments gathered_;
};

}  // namespace rankmark
