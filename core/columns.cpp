// Hits put into judgment order.
#include "columns.hpp"

#include <algorithm>

namespace rankmark {

void AlignedRun::name_others(const IdTable& others) {
  run_only = others.size();
  for (std::uint32_t i = 0; i < std::min(others.size(), std::uint32_t{3}); ++i) {
    run_only_examples.emplace_back(others[i]);
  }
}

void AlignedColumnsBuilder::put(std::uint32_t query, const QueryCounts& counts, std::span<const Hit> hits) {
  places_[query] = {counts, hits_.size(), hits.size(), true};
  hits_.insert(hits_.end(), hits.begin(), hits.end());
}

AlignedColumns AlignedColumnsBuilder::finish() const {
  AlignedColumns columns;
  const std::size_t queries = places_.size();
  columns.starts.reserve(queries + 1);
  columns.starts.push_back(0);
  columns.counts.resize(AlignedColumns::kCounts * queries);
  bool ties = false;
  std::size_t total = 0;
  for (const Place& place : places_) total += place.count;
  columns.rank.resize(total);
  columns.label.resize(total);
  std::size_t row = 0;
  for (std::size_t query = 0; query < queries; ++query) {
    const Place& place = places_[query];
    for (std::size_t i = place.first; i < place.first + place.count; ++i, ++row) {
      columns.rank[row] = hits_[i].rank;
      columns.label[row] = hits_[i].label;
      ties |= hits_[i].tie_first != hits_[i].tie_last;
    }
    columns.starts.push_back(static_cast<std::int64_t>(row));
    const auto put = [&](AlignedColumns::Count row, std::int64_t count) {
      columns.counts[row * queries + query] = count;
    };
    put(AlignedColumns::answered, place.answered ? 1 : 0);
    put(AlignedColumns::judged, place.counts.judged);
    put(AlignedColumns::tied, place.counts.tied);
    put(AlignedColumns::judged_top, place.counts.judged_top);
    put(AlignedColumns::self_matches, place.counts.self_matches);
    put(AlignedColumns::duplicates, place.counts.duplicates);
    put(AlignedColumns::seen, place.counts.seen);
    put(AlignedColumns::retrieved, place.counts.retrieved);
    put(AlignedColumns::not_positive, place.counts.not_positive);
    put(AlignedColumns::rises, place.counts.rises);
    put(AlignedColumns::units, place.counts.units.units);
    put(AlignedColumns::whole_units, place.counts.units.whole);
    put(AlignedColumns::negative_units, place.counts.units.negative);
    put(AlignedColumns::unit_documents, place.counts.units.documents);
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
