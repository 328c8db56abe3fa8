// The Alignment's columns as they grow query by query, in whatever order queries come.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ids.hpp"
#include "ranking.hpp"

namespace rankmark {

// For Q judged queries and H kept hits; see Alignment in alignment.py for what each column means.
struct AlignedColumns {
  // Rows of `counts`: whether the query is answered, then QueryCounts.
  enum Count {
    answered,
    judged,
    tied,
    judged_top,
    self_matches,
    duplicates,
    seen,
    retrieved,
    not_positive,
    rises,
    units,
    whole_units,
    negative_units,
    unit_documents
  };
  static constexpr std::size_t kCounts = 14;

  std::vector<std::int64_t> starts;                     // (Q + 1,)
  std::vector<std::int32_t> rank, tie_first, tie_last;  // (H,); no tie columns where nothing ties
  std::vector<double> label;                            // (H,)
  std::vector<std::int64_t> counts;                     // (kCounts, Q)
};

// A run that is aligned with judgments, and what its reader wants to be told about it.
struct AlignedRun {
  AlignedColumns columns;
  std::int64_t rows = 0;
  std::int64_t extra_columns = 0;              // rows of a file with more columns than its layout has
  std::int64_t run_only = 0;                   // queries that nobody judged
  std::vector<std::string> run_only_examples;  // the first three
  std::int64_t interleaved = 0;                // queries whose rows do not stand together

  // Takes in the queries that nobody judged.
  void name_others(const IdTable& others);
};

class AlignedColumnsBuilder {
 public:
  explicit AlignedColumnsBuilder(std::uint32_t queries) : places_(queries) {}

  // Room for so many hits.
  void reserve(std::size_t hits) {
    columns_.rank.reserve(hits);
    columns_.label.reserve(hits);
  }
  bool has(std::uint32_t query) const noexcept { return places_[query].answered; }

  // A query given a second time takes the place of what it was before.
  void put(std::uint32_t query, const QueryCounts& counts, std::span<const Hit> hits);
  AlignedColumns finish() &&;

 private:
  struct Place {
    QueryCounts counts;
    std::size_t first = 0, count = 0;
    bool answered = false;
  };

  void append_ties(std::span<const Hit> hits);
  void put_counts();
  // Puts the rows of the queries into judgment order.
  void put_in_order();

  std::vector<Place> places_;
  AlignedColumns columns_;   // rows in the order in which queries came; tie columns from the first tie on
  std::uint32_t next_ = 0;   // after the last query
  bool is_in_order_ = true;  // queries came in judgment order, each once
};

}  // namespace rankmark
