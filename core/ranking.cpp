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

QueryCounts Ranker::keep(std::size_t retrieved, std::vector<Hit>& hits) const {
  QueryCounts counts;
  counts.retrieved = static_cast<std::int64_t>(options_.judged_only ? ranked_.size() : retrieved);
  counts.retrieved = std::min(counts.retrieved, options_.depth);
  std::int32_t condensed = 0;       // rank among the judged documents
  std::int32_t condensed_first = 0;  // that of the first with the same score
  std::size_t same_until = 0;
  for (std::size_t i = 0; i < ranked_.size(); ++i) {
    Hit hit = ranked_[i];
    if (options_.judged_only) {
      if (i == same_until) {
        condensed_first = condensed + 1;
        while (same_until < ranked_.size() && ranked_[same_until].tie_first == hit.tie_first) ++same_until;
      }
      hit.rank = ++condensed;
      hit.tie_first = condensed_first;
      hit.tie_last = static_cast<std::int32_t>(same_until);
    }
    if (hit.rank > options_.depth) break;
    ++counts.judged;
    counts.tied += hit.tie_first != hit.tie_last ? 1 : 0;
    counts.judged_top += hit.rank <= kTop ? 1 : 0;
    if (hit.label >= options_.lowest) hits.push_back(hit);
  }
  return counts;
}

}  // namespace rankmark
