// Counting, searching, and what depth and judged_only leave of a ranking.
#include "ranking.hpp"

#include <functional>
#include <numeric>

#include "fault.hpp"

namespace rankmark {

void check_rankable(std::size_t documents) {
  if (documents > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw LimitFault({"more than two thousand million documents for one query", "leave out the last"});
  }
}

std::int64_t rises_of(std::span<const double> scores) noexcept {
  std::int64_t rises = 0;
  for (std::size_t i = 1; i < scores.size(); ++i) {
    if (scores[i] < scores[i - 1]) return -1;
    rises += scores[i] > scores[i - 1] ? 1 : 0;
  }
  return rises;
}

void ScoreOrder::start(std::span<const double> scores, std::size_t questions) {
  scores_ = scores;
  sorted_.clear();
  in_order_ = std::is_sorted(scores.begin(), scores.end(), std::greater<>());
  // Counting costs a pass over the scores for each question, sorting about six passes for each
  // doubling of their number (measured at 100 to 10,000 scores).
  if (in_order_ || questions <= 6 * static_cast<std::size_t>(std::bit_width(scores.size()))) return;
  sorted_.reserve(scores.size());
  for (const double score : scores) sorted_.push_back({score, static_cast<std::uint32_t>(sorted_.size())});
  std::sort(sorted_.begin(), sorted_.end(),
            [](const Row& a, const Row& b) { return a.score > b.score || (a.score == b.score && a.row < b.row); });
}

ScoreOrder::Place ScoreOrder::place(double score) const noexcept {
  const auto between = [](auto begin, auto first, auto last) {
    return Place{static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - first)};
  };
  if (in_order_) {
    const auto [first, last] = std::equal_range(scores_.begin(), scores_.end(), score, std::greater<>());
    return between(scores_.begin(), first, last);
  }
  if (!sorted_.empty()) {
    const auto higher = [](const Row& a, const Row& b) { return a.score > b.score; };
    const auto [first, last] = std::equal_range(sorted_.begin(), sorted_.end(), Row{score, 0}, higher);
    return between(sorted_.begin(), first, last);
  }
  std::size_t greater = 0, equal = 0;
  for (const double other : scores_) {
    greater += other > score ? 1 : 0;
    equal += other == score ? 1 : 0;
  }
  return {greater, equal};
}

void ScoreOrder::rows_at(double score, Place place, std::vector<std::uint32_t>& rows) const {
  rows.clear();
  if (in_order_) {
    for (std::size_t i = 0; i < place.equal; ++i) rows.push_back(static_cast<std::uint32_t>(place.greater + i));
  } else if (!sorted_.empty()) {
    for (std::size_t i = 0; i < place.equal; ++i) rows.push_back(sorted_[place.greater + i].row);
  } else {
    for (std::size_t row = 0; row < scores_.size(); ++row) {
      if (scores_[row] == score) rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
}

std::span<const double> Ranker::held(std::span<const double> scores) {
  if (!options_.single) return scores;
  held_.resize(scores.size());
  std::transform(scores.begin(), scores.end(), held_.begin(), [this](double score) { return options_.held(score); });
  return held_;
}

void Ranker::place_by_row(std::span<const Match> group) {
  for (const Match& match : group) {
    const auto at = std::lower_bound(tied_.begin(), tied_.end(), match.row);
    placed_.push_back({static_cast<std::size_t>(at - tied_.begin()), match.judged});
  }
  sort_placed();
}

// The ids are sorted where many places are asked for, and otherwise those before each are counted.
void Ranker::place_by_id(std::span<const Match> group) {
  const bool by_row = options_.ties == Ties::input, up = options_.ties == Ties::docid_asc;
  const auto before = [up](std::string_view a, std::string_view b) { return up ? a < b : a > b; };
  if (by_row || group.size() > 2 * static_cast<std::size_t>(std::bit_width(tied_.size()))) {
    by_id_.resize(tied_.size());
    std::iota(by_id_.begin(), by_id_.end(), 0U);
    std::sort(by_id_.begin(), by_id_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return before(tied_ids_[a], tied_ids_[b]); });
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto at =
          std::lower_bound(by_id_.begin(), by_id_.end(), own_ids_[i],
                           [&](std::uint32_t place, std::string_view id) { return before(tied_ids_[place], id); });
      // The order given needs the row alone, which is found by its id.
      placed_.push_back({by_row ? *at : static_cast<std::size_t>(at - by_id_.begin()), group[i].judged});
    }
  } else {
    for (std::size_t i = 0; i < group.size(); ++i) {
      const auto ahead = std::count_if(tied_ids_.begin(), tied_ids_.end(),
                                       [&](std::string_view id) { return before(id, own_ids_[i]); });
      placed_.push_back({static_cast<std::size_t>(ahead), group[i].judged});
    }
  }
  sort_placed();
}

void Ranker::sort_placed() {
  std::sort(placed_.begin(), placed_.end(), [](const Placed& a, const Placed& b) { return a.position < b.position; });
}

QueryCounts Ranker::keep(std::size_t retrieved, std::vector<Hit>& hits) {
  const auto beyond =
      std::find_if(ranked_.begin(), ranked_.end(), [&](const Hit& hit) { return hit.rank > options_.depth; });
  ranked_.erase(beyond, ranked_.end());
  if (options_.judged_only) condense();
  QueryCounts counts;
  counts.retrieved = options_.judged_only ? static_cast<std::int64_t>(ranked_.size())
                                          : std::min(static_cast<std::int64_t>(retrieved), options_.depth);
  counts.judged = static_cast<std::int64_t>(ranked_.size());
  // Each is written, and the next one over it if it is not kept: nobody could predict labels.
  std::size_t kept = hits.size();
  hits.resize(kept + ranked_.size());
  for (const Hit& hit : ranked_) {
    counts.tied += hit.tie_first != hit.tie_last ? 1 : 0;
    counts.judged_top += hit.rank <= kTop ? 1 : 0;
    hits[kept] = hit;
    kept += hit.label >= options_.lowest && hit.tie_first <= options_.deepest ? 1 : 0;
  }
  hits.resize(kept);
  return counts;
}

void Ranker::condense() {
  for (std::size_t first = 0, last; first < ranked_.size(); first = last) {
    last = first + 1;
    while (last < ranked_.size() && ranked_[last].tie_first == ranked_[first].tie_first) ++last;
    for (std::size_t i = first; i < last; ++i) {
      ranked_[i].rank = static_cast<std::int32_t>(i + 1);
      ranked_[i].tie_first = static_cast<std::int32_t>(first + 1);
      ranked_[i].tie_last = static_cast<std::int32_t>(last);
    }
  }
}

}  // namespace rankmark
