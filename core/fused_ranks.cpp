// Scores of one query's documents in memory that stays in the cache, and counts of those above the judged ones.
#include "fused_ranks.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <vector>

#include "parallel.hpp"
#include "ranking.hpp"

namespace rankmark {
namespace {

constexpr std::size_t kBlock = 128;  // scores counted before looking whether enough are above

class FusedRanker {
 public:
  FusedRanker(const FusedLists& lists, const FusedRanks& out)
      : lists_(lists),
        out_(out),
        documents_(lists.places.size()),
        number_of_lists_(documents_ == 0 ? 0 : lists.values.size() / documents_),
        ways_(number_of_lists_ == 0 ? 0 : lists.weights.size() / number_of_lists_) {}

  void operator()(std::uint64_t query) {
    const auto first = static_cast<std::size_t>(lists_.starts[query]);
    const auto count = static_cast<std::size_t>(lists_.starts[query + 1]) - first;
    const auto judged_first = static_cast<std::size_t>(lists_.judged_starts[query]);
    const auto judged_count = static_cast<std::size_t>(lists_.judged_starts[query + 1]) - judged_first;
    if (judged_count == 0) return;
    check_rankable(count);
    scores_.resize(count);
    // Sorting costs about six passes for each doubling of the documents; see ScoreOrder.
    const bool is_sorting = judged_count > 6 * static_cast<std::size_t>(std::bit_width(count));
    for (std::size_t way = 0; way < ways_; ++way) {
      add_up(way, first);
      if (is_sorting) {
        sorted_.assign(scores_.begin(), scores_.end());
        std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
      }
      for (std::size_t at = judged_first; at < judged_first + judged_count; ++at) {
        place(way, first, at, is_sorting);
      }
    }
  }

 private:
  void add_up(std::size_t way, std::size_t first) {
    std::fill(scores_.begin(), scores_.end(), 0.0);
    for (std::size_t list = 0; list < number_of_lists_; ++list) {
      const double weight = lists_.weights[way * number_of_lists_ + list];
      const double* const values = lists_.values.data() + list * documents_ + first;
      if (lists_.divisors) {
        for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] += weight / values[i];
      } else {
        for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] += weight * values[i];
      }
    }
  }

  void place(std::size_t way, std::size_t first, std::size_t at, bool is_sorting) {
    const auto row = static_cast<std::size_t>(lists_.judged[at]);
    const double score = scores_[row - first];
    const auto deepest = static_cast<std::size_t>(lists_.deepest);
    std::size_t greater = 0;
    if (is_sorting) {
      greater = static_cast<std::size_t>(std::lower_bound(sorted_.begin(), sorted_.end(), score, std::greater<>()) -
                                         sorted_.begin());
    } else {
      for (std::size_t begin = 0; begin < scores_.size() && greater < deepest; begin += kBlock) {
        const std::size_t end = std::min(begin + kBlock, scores_.size());
        for (std::size_t i = begin; i < end; ++i) greater += scores_[i] > score ? 1 : 0;
      }
    }
    const std::size_t cell = way * lists_.judged.size() + at;
    if (greater >= deepest) {
      out_.rank[cell] = out_.tie_first[cell] = out_.tie_last[cell] = 0;
      return;
    }
    std::size_t equal = 0, before = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const bool is_equal = scores_[i] == score;
      equal += is_equal ? 1 : 0;
      before += is_equal && lists_.places[first + i] < lists_.places[row] ? 1 : 0;
    }
    out_.rank[cell] = static_cast<std::int32_t>(greater + before + 1);
    out_.tie_first[cell] = static_cast<std::int32_t>(greater + 1);
    out_.tie_last[cell] = static_cast<std::int32_t>(greater + equal);
  }

  const FusedLists& lists_;
  const FusedRanks& out_;
  std::size_t documents_, number_of_lists_, ways_;
  std::vector<double> scores_, sorted_;
};

}  // namespace

void rank_fused(const FusedLists& lists, const FusedRanks& out, int threads, const Poll& poll) {
  share_out(lists.starts.size() - 1, threads, poll, [&] { return FusedRanker(lists, out); });
}

}  // namespace rankmark
