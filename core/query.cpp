// Matching the documents of one query by hash, then ranking those that are judged.
#include "query.hpp"

#include <string>

#include "fault.hpp"

namespace rankmark {

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  hashes_.clear();
  for (const std::string_view id : ids) hashes_.push_back(hash_id(id));
  const auto id_of = [&](std::size_t row) { return ids[row]; };
  const std::size_t repeated = first_repeated(hashes_.data(), ids.size(), id_of, slots_);
  if (repeated < ids.size()) throw DuplicateFault(std::string(query_id), std::string(ids[repeated]));
  if (query == Judgments::kUnjudged) return {};

  const std::uint64_t own_hash = hash_id(query_id);
  std::size_t own = ids.size();
  matches_.clear();
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (hashes_[row] == own_hash && ids[row] == query_id) {
      own = row;
      if (drop_self_) continue;
    }
    const std::uint32_t judged = judgments_.find(query, ids[row], hashes_[row]);
    if (judged == Judgments::kUnjudged) continue;
    const std::size_t moved = drop_self_ && row > own ? 1 : 0;
    matches_.push_back({scores[row], judged, static_cast<std::uint32_t>(row - moved)});
  }
  const std::int64_t self_matches = own < ids.size() ? 1 : 0;
  if (self_matches != 0 && drop_self_) {
    const auto place = static_cast<std::ptrdiff_t>(own);
    other_ids_.assign(ids.begin(), ids.end());
    other_ids_.erase(other_ids_.begin() + place);
    other_scores_.assign(scores.begin(), scores.end());
    other_scores_.erase(other_scores_.begin() + place);
    ids = other_ids_;
    scores = other_scores_;
  }
  QueryCounts counts = ranker_.rank(scores, matches_, [&](std::size_t row) { return ids[row]; }, judgments_, hits);
  counts.self_matches = self_matches;
  return counts;
}

}  // namespace rankmark
