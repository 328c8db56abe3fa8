// The Alignment's columns as they grow query by query, in whatever order queries come.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ranking.hpp"

namespace rankmark {

// For Q judged queries and H kept hits; see Alignment in alignment.py for what each column means.
struct AlignedColumns {
  // Rows of `counts`: whether the query is answered, then QueryCounts.
  enum Count { answered, judged, tied, judged_top, self_matches, duplicates, seen, retrieved, not_positive, rises };
  static constexpr std::size_t kCounts = 10;

  std::vector<std::int64_t> starts;                     // (Q + 1,)
  std::vector<std::int32_t> rank, tie_first, tie_last;  // (H,); no tie columns where nothing ties
  std::vector<double> label;                            // (H,)
  std::vector<std::int64_t> counts;                     // (kCounts, Q)
};

class AlignedColumnsBuilder {
 public:
  explicit AlignedColumnsBuilder(std::uint32_t queries) : places_(queries) {}

  bool has(std::uint32_t query) const noexcept { return places_[query].answered; }

  // A query given a second time takes the place of what it was before.
  void put(std::uint32_t query, const QueryCounts& counts, std::span<const Hit> hits);
  AlignedColumns finish() const;

 private:
  struct Place {
    QueryCounts counts;
    std::size_t first = 0, count = 0;
    bool answered = false;
  };

  std::vector<Place> places_;
  std::vector<Hit> hits_;
};

}  // namespace rankmark
