// The reader of runs against judgments: what each query's judged documents came to.
#include <algorithm>

#include "aligned_queries.hpp"
#include "read_segments.hpp"
#include "readers.hpp"

namespace rankmark {

RunRead read_run(const File& file, const TextLayout& layout, const Judgments& judgments, const RankingOptions& ranking,
                 const ReadOptions& options) {
  AlignedQueries target(judgments, ranking);
  const SegmentsRead done = read_segments(file, layout, target, options);
  const IdTable& run_only = target.run_only();
  RunRead read{target.columns(), done.counts, run_only.size(), {}, done.interleaved};
  for (std::uint32_t i = 0; i < std::min(run_only.size(), std::uint32_t{3}); ++i) {
    read.run_only_examples.emplace_back(run_only[i]);
  }
  return read;
}

}  // namespace rankmark
