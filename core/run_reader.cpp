// The reader of runs against judgments: what each query's judged documents came to.
#include "aligned_queries.hpp"
#include "read_segments.hpp"
#include "readers.hpp"

namespace rankmark {

AlignedRun read_run(const File& file, const TextLayout& layout, const Judgments& judgments,
                    const RankingOptions& ranking, const ReadOptions& options) {
  AlignedQueries target(judgments, ranking);
  const SegmentsRead read = read_segments(file, layout, target, options);
  return target.finish(read.counts.rows, read.counts.extra_columns, read.interleaved);
}

}  // namespace rankmark
