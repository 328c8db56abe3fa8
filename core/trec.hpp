// TREC text: qrels `qid iter docid label` and runs `qid iter docid rank score tag`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blocks.hpp"
#include "columns.hpp"
#include "file.hpp"
#include "judgments.hpp"
#include "ranking.hpp"
#include "text.hpp"

namespace rankmark {

// What a reader of a file wants to be told about it.
struct FileCounts {
  std::int64_t rows = 0;
  std::int64_t extra_columns = 0;  // rows with more columns than the format has
};

struct QrelsRead {
  Judgments judgments;
  FileCounts counts;
};

struct RunRead {
  Columns columns;
  FileCounts counts;
  std::int64_t run_only = 0;                   // queries of the run that nobody judged
  std::vector<std::string> run_only_examples;  // the first three
  std::int64_t interleaved = 0;                // queries that came back after another query
};

// Throws ParseFault for the first line that cannot be read, and DuplicateFault.
QrelsRead read_qrels(const File& file, const ReadOptions& options);

// Ranks the judged documents of each query of a run. Where `by_rank`, the rank column stands in for
// the score. A query's documents are forgotten once it ends, so that memory does not grow with the
// run; queries that come back later are read again, together, at the end.
RunRead read_run(const File& file, const Judgments& judgments, const RankingOptions& ranking, bool by_rank,
                 const ReadOptions& options);

// The lines on which a document stands for a query, as 1-based numbers, the first two.
std::vector<std::uint64_t> lines_of(const File& file, std::string_view query, std::string_view document,
                                    const Poll& poll);

// Refuses a block whose last line goes on and on.
void check_end(const Block& block);

// Refuses a line of too few columns, or one that no text file holds. `wanted` names the columns. What
// it says must follow from the line alone: which lines come here depends on how blocks are cut.
void check_line(const Line& line, std::uint64_t offset, bool has_nul, std::size_t columns, const char* wanted);

// The number in a field; throws ParseFault, naming the column, where there is none.
double number_in(std::string_view field, std::uint64_t offset, const char* column);

}  // namespace rankmark
