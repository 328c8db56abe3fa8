// Ranks of the judged documents when lists are fused, for many weights of the lists, by counting.
#pragma once

#include <cstdint>
#include <span>

#include "poll.hpp"
#include "segments.hpp"

namespace rankmark {

// The documents of all lists, query by query, and what each list gives them: `values` has a row for each list, and
// `weights` a row of one number a list for each way to fuse. A score is the sum over the lists, from the first to the
// last, of weight * value, or of weight / value where the values are `divisors`.
struct FusedLists {
  Starts starts;                         // the documents of each query
  std::span<const double> values;        // lists x documents
  std::span<const double> weights;       // ways x lists
  bool divisors;                         // then, infinity gives nothing
  std::span<const std::int64_t> places;  // of documents with equal scores, the one of the lower place comes first
  Starts judged_starts;                  // the judged documents of each query, one start for each query and the end
  std::span<const std::int64_t> judged;  // rows of these documents
  std::int64_t deepest;                  // documents that tie below this rank are left out
};

// Ways x judged documents: 1-based ranks, and the first and last rank of the documents of the same score; all 0 where
// the document is left out.
struct FusedRanks {
  std::span<std::int32_t> rank, tie_first, tie_last;
};

void rank_fused(const FusedLists& lists, const FusedRanks& out, int threads, const Poll& poll);

}  // namespace rankmark
