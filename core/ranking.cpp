// Counting, searching, and what depth and judged_only leave of a ranking.
#include "ranking.hpp"

namespace rankmark {

void ScoreOrder::start(std::span<const double> scores, std::size_t questions) {
  scores_ = scores;
  in_order_ = std::is_sorted(scores.begin(), scores.end(), std::greater<>());
  // Counting costs a pass over the scores for each question, sorting about six passes for each
  // doubling of their number (measured at 100 to 10,000 scores).
  searched_ = in_order_ || questions > 6 * static_cast<std::size_t>(std::bit_width(scores.size()));
  if (searched_ && !in_order_) {
    sorted_.assign(scores.begin(), scores.end());
    std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  }
}

ScoreOrder::Place ScoreOrder::place(double score) const noexcept {
  if (searched_) {
    const std::span<const double> sorted = in_order_ ? scores_ : std::span<const double>(sorted_);
    const auto first = std::lower_bound(sorted.begin(), sorted.end(), score, std::greater<>());
    const auto last = std::upper_bound(first, sorted.end(), score, std::greater<>());
    return {static_cast<std::size_t>(first - sorted.begin()), static_cast<std::size_t>(last - first)};
  }
  std::size_t greater = 0, equal = 0;
  for (const double other : scores_) {
    greater += other > score ? 1 : 0;
    equal += other == score ? 1 : 0;
  }
  return {greater, equal};
}

QueryCounts Ranker::keep(std::size_t retrieved, std::vector<Hit>& hits) {
  const auto beyond = std::find_if(ranked_.begin(), ranked_.end(),
                                   [&](const Hit& hit) { return hit.rank > options_.depth; });
  ranked_.erase(beyond, ranked_.end());
  if (options_.judged_only) condense();
  QueryCounts counts;
  counts.retrieved = options_.judged_only ? static_cast<std::int64_t>(ranked_.size())
                                          : std::min(static_cast<std::int64_t>(retrieved), options_.depth);
  counts.judged = static_cast<std::int64_t>(ranked_.size());
  for (const Hit& hit : ranked_) {
    counts.tied += hit.tie_first != hit.tie_last ? 1 : 0;
    counts.judged_top += hit.rank <= kTop ? 1 : 0;
    if (hit.label >= options_.lowest) hits.push_back(hit);
  }
  return counts;
}

void Ranker::condense() {
  for (std::size_t first = 0, last; first < ranked_.size(); first = last) {
    last = first + 1;
    while (last < ranked_.size() && ranked_[last].tie_first == ranked_[first].tie_first) ++last;
    for (std::size_t i = first; i < last; ++i) {
      ranked_[i].rank = static_cast<std::int32_t>(i + 1);
      ranked_[i].tie_last = static_cast<std::int32_t>(last);
    }
    // Last, for it tells where the group ends.
    for (std::size_t i = first; i < last; ++i) ranked_[i].tie_first = static_cast<std::int32_t>(first + 1);
  }
}

}  // namespace rankmark
