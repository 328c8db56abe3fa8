// Hits put into judgment order.
#include "columns.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace rankmark {

void AlignedRun::name_others(const IdTable& others) {
  run_only = others.size();
  for (std::uint32_t i = 0; i < std::min(others.size(), std::uint32_t{3}); ++i) {
    run_only_examples.emplace_back(others[i]);
  }
}

void AlignedColumnsBuilder::put(std::uint32_t query, const QueryCounts& counts, std::span<const Hit> hits) {
  is_in_order_ = is_in_order_ && query >= next_;
  next_ = query + 1;
  const std::size_t first = columns_.rank.size();
  places_[query] = {counts, first, hits.size(), true};
  columns_.rank.resize(first + hits.size());
  columns_.label.resize(first + hits.size());
  bool ties = !columns_.tie_first.empty();
  for (std::size_t i = 0; i < hits.size(); ++i) {
    columns_.rank[first + i] = hits[i].rank;
    columns_.label[first + i] = hits[i].label;
    ties |= hits[i].tie_first != hits[i].tie_last;
  }
  if (ties) append_ties(hits);
}

void AlignedColumnsBuilder::append_ties(std::span<const Hit> hits) {
  const auto before = columns_.rank.end() - static_cast<std::ptrdiff_t>(hits.size());
  for (std::vector<std::int32_t>* const column : {&columns_.tie_first, &columns_.tie_last}) {
    if (column->empty()) column->assign(columns_.rank.begin(), before);  // none of which tie
  }
  for (const Hit& hit : hits) {
    columns_.tie_first.push_back(hit.tie_first);
    columns_.tie_last.push_back(hit.tie_last);
  }
}

AlignedColumns AlignedColumnsBuilder::finish() && {
  if (!is_in_order_) put_in_order();
  columns_.starts.reserve(places_.size() + 1);
  columns_.starts.push_back(0);
  for (const Place& place : places_) {
    columns_.starts.push_back(columns_.starts.back() + static_cast<std::int64_t>(place.count));
  }
  put_counts();
  return std::move(columns_);
}

void AlignedColumnsBuilder::put_in_order() {
  std::size_t total = 0;
  for (const Place& place : places_) total += place.count;
  const auto gathered = [&](const auto& column) {
    std::remove_cvref_t<decltype(column)> in_order;
    in_order.reserve(total);
    for (const Place& place : places_) {
      const auto first = column.begin() + static_cast<std::ptrdiff_t>(place.first);
      in_order.insert(in_order.end(), first, first + static_cast<std::ptrdiff_t>(place.count));
    }
    return in_order;
  };
  columns_.rank = gathered(columns_.rank);
  columns_.label = gathered(columns_.label);
  if (columns_.tie_first.empty()) return;
  columns_.tie_first = gathered(columns_.tie_first);
  columns_.tie_last = gathered(columns_.tie_last);
  if (columns_.tie_first != columns_.tie_last) return;
  columns_.tie_first.clear();  // only rows that were replaced tied
  columns_.tie_last.clear();
}

void AlignedColumnsBuilder::put_counts() {
  const std::size_t queries = places_.size();
  columns_.counts.resize(AlignedColumns::kCounts * queries);
  for (std::size_t query = 0; query < queries; ++query) {
    const Place& place = places_[query];
    const auto put = [&](AlignedColumns::Count row, std::int64_t count) {
      columns_.counts[row * queries + query] = count;
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
}

}  // namespace rankmark
