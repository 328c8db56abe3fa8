// Hits put into judgment order.
#include "columns.hpp"

namespace rankmark {

void AlignedColumnsBuilder::put(std::uint32_t query, const QueryCounts& counts, std::span<const Hit> hits) {
  places_[query] = {counts, hits_.size(), hits.size(), true};
  hits_.insert(hits_.end(), hits.begin(), hits.end());
}

AlignedColumns AlignedColumnsBuilder::finish() const {
  AlignedColumns columns;
  const std::size_t queries = places_.size();
  columns.starts.reserve(queries + 1);
  columns.starts.push_back(0);
  for (auto* column : {&columns.retrieved, &columns.judged, &columns.tied, &columns.judged_top, &columns.self_matches,
                       &columns.duplicates, &columns.seen}) {
    column->reserve(queries);
  }
  columns.answered.reserve(queries);
  bool ties = false;
  std::size_t total = 0;
  for (const Place& place : places_) total += place.count;
  columns.rank.reserve(total);
  columns.label.reserve(total);
  for (const Place& place : places_) {
    for (std::size_t i = place.first; i < place.first + place.count; ++i) {
      columns.rank.push_back(hits_[i].rank);
      columns.label.push_back(hits_[i].label);
      ties |= hits_[i].tie_first != hits_[i].tie_last;
    }
    columns.starts.push_back(static_cast<std::int64_t>(columns.rank.size()));
    columns.retrieved.push_back(place.counts.retrieved);
    columns.judged.push_back(place.counts.judged);
    columns.tied.push_back(place.counts.tied);
    columns.judged_top.push_back(place.counts.judged_top);
    columns.self_matches.push_back(place.counts.self_matches);
    columns.duplicates.push_back(place.counts.duplicates);
    columns.seen.push_back(place.counts.seen);
    columns.answered.push_back(place.answered ? 1 : 0);
  }
  if (ties) {
    columns.tie_first.reserve(total);
    columns.tie_last.reserve(total);
    for (const Place& place : places_) {
      for (std::size_t i = place.first; i < place.first + place.count; ++i) {
        columns.tie_first.push_back(hits_[i].tie_first);
        columns.tie_last.push_back(hits_[i].tie_last);
      }
    }
  }
  return columns;
}

}  // namespace rankmark
