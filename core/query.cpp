// Matching the documents of one query by hash, then ranking those that are judged.
#include "query.hpp"

#include <charconv>
#include <string>
#include <type_traits>

#include "fault.hpp"

namespace rankmark {
namespace {

bool read_id(std::string_view text, std::string_view& id) noexcept {
  id = text;
  return true;
}

// Only digits as they are written out are the same id: `01` and `+1` are others than 1.
bool read_id(std::string_view text, std::int64_t& id) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  const std::string_view digits = text.substr(text.front() == '-' ? 1 : 0);
  return digits.front() != '0' || text.size() == 1;
}

std::string text_of(std::string_view id) { return std::string(id); }
std::string text_of(std::int64_t id) { return std::to_string(id); }

}  // namespace

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::string_view> ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  return rank_ids(query, query_id, ids, scores, hits);
}

QueryCounts QueryRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::int64_t> ids,
                              std::span<const double> scores, std::vector<Hit>& hits) {
  return rank_ids(query, query_id, ids, scores, hits);
}

template <class Id>
QueryCounts QueryRanker::rank_ids(std::uint32_t query, std::string_view query_id, std::span<const Id> ids,
                                  std::span<const double> scores, std::vector<Hit>& hits) {
  const std::size_t rows = ids.size();
  hashes_.clear();
  for (const Id id : ids) hashes_.push_back(hash_id(id));
  const auto id_of = [ids](std::size_t row) { return ids[row]; };
  const std::size_t repeated = first_repeated(hashes_.data(), rows, id_of, slots_);
  if (repeated < rows) throw DuplicateFault(std::string(query_id), text_of(ids[repeated]));
  if (query == Judgments::kUnjudged) return {};

  // The judged documents are looked up among the retrieved, which are many more as a rule.
  const auto find = [&](std::string_view text) {
    Id id;
    return read_id(text, id) ? row_of(id, hash_id(id), hashes_.data(), rows, id_of, slots_) : rows;
  };
  const std::size_t own = find(query_id);
  matches_.clear();
  const auto starts = judgments_.starts();
  for (std::int64_t judged = starts[query]; judged < starts[query + std::size_t{1}]; ++judged) {
    const auto number = static_cast<std::uint32_t>(judged);
    const std::size_t row = find(judgments_.document_id(number));
    if (row == rows || (drop_self_ && row == own)) continue;
    const std::size_t moved = drop_self_ && row > own ? 1 : 0;
    matches_.push_back({scores[row], number, static_cast<std::uint32_t>(row - moved)});
  }
  if constexpr (std::is_same_v<Id, std::string_view>) {
    if (drop_self_ && own < rows) leave_out(own, ids, scores, other_texts_);
  } else {
    if (drop_self_ && own < rows) leave_out(own, ids, scores, other_numbers_);
  }
  written_.start();
  const auto text = [&](std::size_t row) {
    if constexpr (std::is_same_v<Id, std::string_view>) {
      return ids[row];
    } else {
      return written_.text(row, ids.size(), [&](std::size_t i) { return ids[i]; });
    }
  };
  QueryCounts counts = ranker_.rank(scores, matches_, text, judgments_, hits);
  counts.self_matches = own < rows ? 1 : 0;
  return counts;
}

template <class Id>
void QueryRanker::leave_out(std::size_t row, std::span<const Id>& ids, std::span<const double>& scores,
                            std::vector<Id>& others) {
  const auto place = static_cast<std::ptrdiff_t>(row);
  others.assign(ids.begin(), ids.end());
  others.erase(others.begin() + place);
  other_scores_.assign(scores.begin(), scores.end());
  other_scores_.erase(other_scores_.begin() + place);
  ids = others;
  scores = other_scores_;
}

}  // namespace rankmark
