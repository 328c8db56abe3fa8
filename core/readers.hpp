// Files of text become judgments, aligned runs, or plain rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "blocks.hpp"
#include "columns.hpp"
#include "file.hpp"
#include "ids.hpp"
#include "judgments.hpp"
#include "layout.hpp"
#include "ranking.hpp"
#include "rankings.hpp"

namespace rankmark {

struct QrelsRead {
  Judgments judgments;
  FileCounts counts;
};

// Throws ParseFault for the first line that cannot be read, and DuplicateFault.
QrelsRead read_qrels(const File& file, const TextLayout& layout, const ReadOptions& options);

// Ranks the judged documents of each query of a run. A query's documents are forgotten once it ends, so
// that memory does not grow with the run; queries that come back later are read again, together, at the
// end.
AlignedRun read_run(const File& file, const TextLayout& layout, const Judgments& judgments,
                    const RankingOptions& ranking, const ReadOptions& options);

struct RankingsRead {
  Rankings rankings;
  FileCounts counts;
};

// Keeps the documents of each query of a run, best first.
RankingsRead read_rankings(const File& file, const TextLayout& layout, const ListOptions& list,
                           const ReadOptions& options);

// Every row as it stands in the file. Of faults and of lines with more columns the first ones are kept.
struct RowsRead {
  static constexpr std::size_t kMostKept = 100;

  struct Fault {
    std::int64_t line;
    Message message;
  };

  IdTable queries, documents;                         // numbered in order of appearance
  std::vector<std::uint32_t> query_codes, doc_codes;  // (rows,)
  std::vector<double> number, rank;                   // (rows,), NaN where there is none
  std::vector<std::int64_t> line;                     // (rows,), 1-based
  FileCounts counts;
  std::vector<std::int64_t> extra_lines;
  std::vector<Fault> faults;
  std::int64_t faulty = 0;
};

// Where `lenient`, lines that cannot be read are left out and told, and any number goes; else the first
// of them throws ParseFault, NaN and infinite labels among them. A document may stand twice. Where some
// queries alone are `wanted`, lines of others are passed over unread.
RowsRead read_rows(const File& file, const TextLayout& layout, bool lenient, const ReadOptions& options,
                   const std::unordered_set<std::string_view>* wanted = nullptr);

// The lines on which a document stands for a query, as 1-based numbers, the first two.
std::vector<std::uint64_t> lines_of(const File& file, const TextLayout& layout, std::string_view query,
                                    std::string_view document, const Poll& poll);

}  // namespace rankmark
