// Patterns as bytes: the query, the number of documents, then label, rank and tie of each hit.
#include "ranking_patterns.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "fault.hpp"
#include "parallel.hpp"

namespace rankmark {
namespace {

constexpr std::size_t kRankingsAtATime = 256;  // that one thread takes

template <class T>
void append_bytes(std::string& bytes, T value) {
  char held[sizeof value];
  std::memcpy(held, &value, sizeof value);
  bytes.append(held, sizeof value);
}

template <class T>
void take_bytes(std::string_view& bytes, T& value) {
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
}

constexpr std::size_t kHead = sizeof(std::uint32_t) + sizeof(std::int64_t);
constexpr std::size_t kHit = sizeof(double) + 3 * sizeof(std::int32_t);  // without the bytes behind its fields
static_assert(offsetof(Hit, tie_last) + sizeof(std::int32_t) == kHit);

}  // namespace

AlikeQueries::AlikeQueries(std::uint32_t queries) {
  first_.reserve(queries);
  for (std::uint32_t query = 0; query < queries; ++query) first_.push_back(query);
}

AlikeQueries::AlikeQueries(std::span<const std::int64_t> starts, std::span<const double> labels) {
  IdTable known;
  std::vector<std::uint32_t> first;
  std::string bytes;
  for (std::uint32_t query = 0; query + std::size_t{1} < starts.size(); ++query) {
    bytes.clear();
    for (std::int64_t row = starts[query]; row < starts[query + std::size_t{1}]; ++row) {
      append_bytes(bytes, labels[static_cast<std::size_t>(row)]);
    }
    const std::uint32_t number = known.find_or_add(bytes);
    if (number == first.size()) first.push_back(query);
    first_.push_back(first[number]);
  }
}

void GivenRankings::clear() noexcept {
  text_.clear();
  ends_.clear();
  scores_.clear();
  rankings_.clear();
}

void GivenRankings::start(std::string_view query_id, bool scored) {
  rankings_.push_back({text_.size(), ends_.size() + 1, scores_.size(), scored});
  add_text(query_id);
}

void GivenRankings::take_back() noexcept {
  const Place place = rankings_.back();
  rankings_.pop_back();
  text_.resize(place.text);
  ends_.resize(place.first_id - 1);
  scores_.resize(place.first_score);
}

GivenRankings::Ranking GivenRankings::ranking(std::size_t number, std::vector<std::string_view>& ids) const {
  const Place& place = rankings_[number];
  const std::size_t end = number + 1 < rankings_.size() ? rankings_[number + 1].first_id - 1 : ends_.size();
  const std::string_view text = text_;
  std::size_t begin = ends_[place.first_id - 1];
  const std::string_view query_id = text.substr(place.text, begin - place.text);
  ids.clear();
  for (std::size_t id = place.first_id; id < end; ++id) {
    ids.push_back(text.substr(begin, ends_[id] - begin));
    begin = ends_[id];
  }
  const auto scores = std::span(scores_).subspan(place.first_score, place.scored ? ids.size() : 0);
  return {query_id, ids, scores};
}

std::optional<PatternFinder::Found> PatternFinder::find(const GivenRankings::Ranking& ranking) {
  const std::uint32_t query = judgments_.judgments().find_query(ranking.query_id);
  if (query == Judgments::kUnjudged) return std::nullopt;
  hits_.clear();
  const QueryCounts counts =
      ranking.scores.empty()
          ? by_place_.rank(query, ranking.query_id, ranking.ids, places_.of(ranking.ids.size()), hits_)
          : by_score_.rank(query, ranking.query_id, ranking.ids, ranking.scores, hits_);
  return Found{alike_.first(query), counts, hits_};
}

bool PatternFinder::append(const GivenRankings::Ranking& ranking, std::string& pattern) {
  const std::optional<Found> found = find(ranking);
  if (!found) return false;
  append_bytes(pattern, found->query);
  append_bytes(pattern, found->counts.retrieved);
  const std::size_t begin = pattern.size();
  pattern.resize(begin + found->hits.size() * kHit);
  char* to = pattern.data() + begin;
  for (const Hit& hit : found->hits) {
    std::memcpy(to, &hit, kHit);
    to += kHit;
  }
  return true;
}

bool Pattern::read(std::string_view bytes) {
  if (bytes.size() < kHead || (bytes.size() - kHead) % kHit != 0) return false;
  take_bytes(bytes, query);
  take_bytes(bytes, counts.retrieved);
  hits.resize(bytes.size() / kHit);
  for (Hit& hit : hits) {
    std::memcpy(&hit, bytes.data(), kHit);
    bytes.remove_prefix(kHit);
  }
  return true;
}

void DistinctPatterns::add(const GivenRankings& rankings, const HashedJudgments& judgments, const AlikeQueries& alike,
                           const RankingOptions& options, int threads, const Poll& poll) {
  struct Piece {
    std::string bytes;
    std::vector<std::size_t> ends;  // of each ranking's pattern; nothing is in it where the query is not judged
    std::vector<std::uint64_t> hashes;
  };
  std::vector<Piece> pieces((rankings.size() + kRankingsAtATime - 1) / kRankingsAtATime);
  share_out(pieces.size(), threads, poll, [&] {
    return [&, finder = PatternFinder(judgments, alike, options),
            ids = std::vector<std::string_view>()](std::uint64_t number) mutable {
      Piece& piece = pieces[static_cast<std::size_t>(number)];
      const auto first = static_cast<std::size_t>(number) * kRankingsAtATime;
      for (std::size_t one = first; one < std::min(first + kRankingsAtATime, rankings.size()); ++one) {
        const std::size_t begin = piece.bytes.size();
        finder.append(rankings.ranking(one, ids), piece.bytes);
        piece.ends.push_back(piece.bytes.size());
        piece.hashes.push_back(hash_id(std::string_view(piece.bytes).substr(begin)));
      }
    };
  });
  for (const Piece& piece : pieces) {
    std::size_t begin = 0;
    for (std::size_t one = 0; one < piece.ends.size(); ++one) {
      const auto pattern = std::string_view(piece.bytes).substr(begin, piece.ends[one] - begin);
      begin = piece.ends[one];
      numbers_.push_back(
          pattern.empty() ? kUnjudged : static_cast<std::int32_t>(patterns_.find_or_add(pattern, piece.hashes[one])));
    }
  }
  if (patterns_.size() > static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max())) {
    throw LimitFault({"more than two thousand million distinct rankings", "give them in several batches"});
  }
}

}  // namespace rankmark
